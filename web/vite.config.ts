import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

import { compressed } from "./plugins/compressed.ts";
import { pdfFiles } from "./plugins/pdf-files.ts";

// The server that `npm run dev` hands requests of the API to.
const server = process.env.API_URL ?? "http://127.0.0.1:8080";

interface Modules {
  getModuleInfo(id: string): { readonly importers: readonly string[] } | null;
}

const first = new Map<string, boolean>();

/** Whether the page needs a module at once: the entry imports it, by way of others or not. */
function isFirst(id: string, modules: Modules): boolean {
  const known = first.get(id);
  if (known !== undefined) return known;
  first.set(id, false); // Modules that import each other are asked once.
  const found =
    id.endsWith("/src/main.tsx") ||
    (modules.getModuleInfo(id)?.importers ?? []).some((each) => isFirst(each, modules));
  first.set(id, found);
  return found;
}

/** One file for all of it: each file more is a way more over a slow line. */
function firstLoad(id: string, modules: Modules): string | null {
  return isFirst(id, modules) ? "first" : null;
}

export default defineConfig({
  plugins: [react(), tailwindcss(), pdfFiles(), compressed()],
  // The server puts a fresh nonce in this place each time it sends the page.
  html: { cspNonce: "__NONCE__" },
  build: {
    outDir: "../src/footnote/interfaces/http/web",
    emptyOutDir: true,
    target: "es2023",
    // Nothing may come as a data: address, which the page's policy does not allow.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // What is served is compressed better, and its sizes are held by tests.
    reportCompressedSize: false,
    chunkSizeWarningLimit: Infinity,
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: firstLoad, debugName: "first" }] } },
    },
  },
  server: { proxy: { "/v1": server, "/health": server, "/stats": server } },
  test: { environment: "node", include: ["src/**/*.test.ts"] },
} as Parameters<typeof defineConfig>[0]);
