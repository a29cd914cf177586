import "@copilotkit/react-core/v2/styles.css";
import "./styles.css";

import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { App } from "./App";
import { configSchema } from "./footnote";

const config = configSchema.parse(await (await fetch("/config.json")).json());
const root = document.getElementById("root");
if (root === null) throw new Error("the page has no root");
createRoot(root).render(
  <StrictMode>
    <App config={config} />
  </StrictMode>,
);
