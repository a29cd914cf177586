// Serves the page, and CopilotKit's runtime, which asks Footnote as an AG-UI agent. The key stays here.
import { HttpAgent } from "@ag-ui/client";
import { CopilotRuntime, InMemoryAgentRunner, createCopilotRuntimeHandler } from "@copilotkit/runtime/v2";
import { createCopilotNodeHandler } from "@copilotkit/runtime/v2/node";
import { readFile } from "node:fs/promises";
import { type ServerResponse, createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const FOOTNOTE = (process.env["FOOTNOTE_URL"] ?? "http://127.0.0.1:8080").replace(/\/$/, "");
const WORKSPACE = process.env["FOOTNOTE_WORKSPACE"] ?? "";
const KEY = process.env["FOOTNOTE_API_KEY"] ?? "";
const PORT = Number(process.env["PORT"] ?? 3000);
const HOST = process.env["HOST"] ?? "127.0.0.1";

const PAGE = fileURLToPath(new URL("./page", import.meta.url));
const TYPES: Record<string, string> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".woff2": "font/woff2",
};

const headers: Record<string, string> = {};
if (KEY !== "") headers["Authorization"] = `Bearer ${KEY}`;
if (WORKSPACE !== "") headers["Footnote-Workspace"] = WORKSPACE;

const runtime = new CopilotRuntime({
  agents: { default: new HttpAgent({ url: `${FOOTNOTE}/agui`, headers }) },
  runner: new InMemoryAgentRunner(),
});
const answer = createCopilotNodeHandler(
  createCopilotRuntimeHandler({ runtime, basePath: "/api/copilotkit" }),
);

async function sendFile(path: string, response: ServerResponse): Promise<void> {
  const file = normalize(join(PAGE, path === "/" ? "index.html" : path));
  try {
    if (!file.startsWith(PAGE)) throw new Error("outside of the page");
    const content = await readFile(file);
    response.writeHead(200, { "Content-Type": TYPES[extname(file)] ?? "application/octet-stream" });
    response.end(content);
  } catch {
    response.writeHead(404).end();
  }
}

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  if (pathname.startsWith("/api/copilotkit")) {
    void answer(request, response);
  } else if (pathname === "/config.json") {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify({ footnote: FOOTNOTE, workspace: WORKSPACE }));
  } else {
    void sendFile(decodeURIComponent(pathname), response);
  }
});
server.listen(PORT, HOST, () => {
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : PORT;
  console.log(`http://${HOST}:${port} asks ${FOOTNOTE}`);
});
