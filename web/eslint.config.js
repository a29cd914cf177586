import js from "@eslint/js";
import a11y from "eslint-plugin-jsx-a11y";
import hooks from "eslint-plugin-react-hooks";
import typescript from "typescript-eslint";

export default typescript.config(
  { ignores: ["node_modules", "lighthouse/node_modules", "src/api/schema.d.ts"] },
  js.configs.recommended,
  ...typescript.configs.strictTypeChecked,
  a11y.flatConfigs.strict,
  hooks.configs.flat["recommended-latest"],
  {
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
      // Routes refuse or redirect by throwing what the router knows.
      "@typescript-eslint/only-throw-error": "off",
    },
  },
  { files: ["*.js", "lighthouse/*.mjs"], ...typescript.configs.disableTypeChecked },
);
