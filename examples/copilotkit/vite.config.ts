// Builds the page into dist/page.
import { defineConfig } from "vite";

export default defineConfig({
  esbuild: { jsx: "automatic" },
  build: { outDir: "dist/page", emptyOutDir: true, chunkSizeWarningLimit: 5000 },
});
