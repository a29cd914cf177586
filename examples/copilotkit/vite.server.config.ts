// Builds the server into dist/server.js; its packages stay where npm put them.
import { defineConfig } from "vite";

export default defineConfig({
  build: {
    ssr: "server.ts",
    outDir: "dist",
    emptyOutDir: false,
    target: "node20",
  },
});
