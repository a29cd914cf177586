// The languages of the app. English is part of it; the others are loaded when they are chosen.
import i18next from "i18next";
import { initReactI18next } from "react-i18next";

import english from "./messages/en.json";

declare module "i18next" {
  interface CustomTypeOptions {
    resources: { translation: typeof english };
  }
}

/** Each by its own name. */
export const LANGUAGES = [
  ["en", "English"],
  ["de", "Deutsch"],
  ["fr", "Français"],
  ["es", "Español"],
  ["zh", "中文"],
  ["ar", "العربية"],
] as const;

const KEY = "footnote.language";
const RIGHT_TO_LEFT = ["ar"];
/** Of the other languages: English is there at once. */
const files = import.meta.glob<typeof english>(["./messages/*.json", "!./messages/en.json"], {
  import: "default",
});

function wanted(): string {
  let kept: string | null = null;
  try {
    kept = localStorage.getItem(KEY);
  } catch {
    // Nothing is kept here; what the browser prefers counts.
  }
  const known = (code: string) => LANGUAGES.some(([each]) => each === code);
  const preferred = [kept ?? "", ...navigator.languages].map((each) => each.split("-")[0] ?? "");
  return preferred.find(known) ?? "en";
}

async function show(code: string): Promise<void> {
  const load = files[`./messages/${code}.json`];
  if (code !== "en" && load !== undefined && !i18next.hasResourceBundle(code, "translation")) {
    i18next.addResourceBundle(code, "translation", await load());
  }
  await i18next.changeLanguage(code);
  document.documentElement.lang = code;
  document.documentElement.dir = RIGHT_TO_LEFT.includes(code) ? "rtl" : "ltr";
}

/** Shows the app in a language, from now on. */
export async function chooseLanguage(code: string): Promise<void> {
  await show(code);
  try {
    localStorage.setItem(KEY, code);
  } catch {
    // The choice holds until the page is closed.
  }
}

export async function startLanguage(): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: "en",
    fallbackLng: "en",
    resources: { en: { translation: english } },
    showSupportNotice: false,
    interpolation: {
      // React escapes what it shows.
      escapeValue: false,
      alwaysFormat: true,
      format: (value: unknown, _format, language) =>
        typeof value === "number" ? value.toLocaleString(language) : String(value),
    },
  });
  await show(wanted());
}
