import { defineConfig } from "vite";

import { compressed } from "./plugins/compressed.ts";

// The widget is one file under a name that stays, since other sites have it in their pages.
export default defineConfig({
  plugins: [compressed()],
  publicDir: false,
  build: {
    outDir: "../src/footnote/interfaces/http/web",
    emptyOutDir: false,
    target: "es2022",
    rolldownOptions: {
      input: "src/widget/main.ts",
      output: { format: "iife", entryFileNames: "widget.js", codeSplitting: false },
    },
  },
});
