// What PDF.js loads while it draws: character maps, the standard fonts, decoders, colour profiles.
import { createReadStream } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";

import type { Plugin } from "vite";

const FOLDERS = ["cmaps", "iccs", "standard_fonts", "wasm"];

/** Serves these files under `__PDF_FILES__`, whose name has PDF.js's version: they may be kept. */
export function pdfFiles(): Plugin {
  const described = createRequire(import.meta.url).resolve("pdfjs-dist/package.json");
  const { version } = createRequire(import.meta.url)(described) as { version: string };
  const source = dirname(described);
  const folder = `assets/pdfjs-${version}/`;
  return {
    name: "pdf-files",
    config: () => ({ define: { __PDF_FILES__: JSON.stringify(`/${folder}`) } }),
    configureServer(server) {
      server.middlewares.use(`/${folder}`, (request, response, next) => {
        const [, from = "", name = ""] = (request.url ?? "").split("/");
        if (!FOLDERS.includes(from) || name !== basename(name)) {
          next();
          return;
        }
        createReadStream(join(source, from, name))
          .on("error", next)
          .pipe(response);
      });
    },
    async generateBundle() {
      for (const from of FOLDERS) {
        for (const name of await readdir(join(source, from))) {
          const content = await readFile(join(source, from, name));
          this.emitFile({ type: "asset", fileName: `${folder}${from}/${name}`, source: content });
        }
      }
    },
  };
}
