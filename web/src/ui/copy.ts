// Puts text on the clipboard, and says whether it is there.
import { useTranslation } from "react-i18next";

import { showToast } from "./toasts";

export function useCopy(): (text: string) => Promise<void> {
  const { t } = useTranslation();
  return async (text) => {
    showToast(t((await isCopied(text)) ? "page.copied" : "page.notCopied"));
  };
}

/** Copies a text; false where the browser does not let it be. */
export async function isCopied(text: string): Promise<boolean> {
  // Over plain HTTP a browser has no clipboard.
  const clipboard = (navigator as Partial<Navigator>).clipboard;
  if (clipboard === undefined) return isCopiedFromField(text);
  return clipboard.writeText(text).then(
    () => true,
    () => isCopiedFromField(text),
  );
}

function isCopiedFromField(text: string): boolean {
  const focused = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "sr-only";
  document.body.append(field);
  field.focus({ preventScroll: true });
  field.select();
  try {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- nothing else copies over plain HTTP
    return document.execCommand("copy");
  } finally {
    field.remove();
    if (focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  }
}
