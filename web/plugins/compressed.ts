// Compresses the files of a build once, so that the server need not for each of its readers.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

import type { Plugin } from "vite";

const COMPRESSIBLE = /\.(js|mjs|css|svg|wasm|json|bcmap|icc|pfb|ttf)$/;
/** Bytes below which a file fits into a packet or two either way. */
const LEAST_BYTES = 1024;
/** Of its size, what a compressed file may have at most to be worth keeping. */
const LARGEST_SHARE = 0.95;

/** Puts `.br` and `.gz` beside each file of the build that they make smaller. */
export function compressed(): Plugin {
  return {
    name: "compressed",
    apply: "build",
    async writeBundle({ dir = "" }, bundle) {
      for (const file of Object.keys(bundle)) {
        if (!COMPRESSIBLE.test(file)) continue;
        const path = join(dir, file);
        const content = await readFile(path);
        if (content.length < LEAST_BYTES) continue;
        const smaller = {
          br: await promisify(brotliCompress)(content, {
            params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
          }),
          gz: await promisify(gzip)(content, { level: 9 }),
        };
        for (const [ending, bytes] of Object.entries(smaller)) {
          if (bytes.length <= content.length * LARGEST_SHARE) {
            await writeFile(`${path}.${ending}`, bytes);
          }
        }
      }
    },
  };
}
