import "./styles.css";

import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { setNonce } from "get-nonce";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { queryClient } from "./api/queryClient";
import { followTheme } from "./app/preferences";
import { router } from "./app/router";
import { startLanguage } from "./i18n/language";

// Menus and dialogs add a style of their own, which the page's policy lets in by its nonce.
const nonce = document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce;
if (nonce) setNonce(nonce);

followTheme();
await startLanguage();
const root = document.getElementById("root");
if (root === null) throw new Error("The page has no place for the app.");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
