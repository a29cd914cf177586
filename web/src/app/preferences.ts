// How the app looks and reads on this device. None of it says who uses it.
import { createStore } from "../ui/store";

export const THEMES = ["system", "light", "dark", "contrast"] as const;
export type Theme = (typeof THEMES)[number];

interface Preferences {
  readonly theme: Theme;
  /** Whether single keys are shortcuts; some input devices send keys that nobody meant. */
  readonly keys: boolean;
  readonly sourcesWidth: number;
  readonly pageWidth: number;
}

const KEY = "footnote.preferences";
const DEFAULTS: Preferences = { theme: "system", keys: true, sourcesWidth: 272, pageWidth: 520 };

function kept(): Preferences {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? "{}") as Partial<Preferences>;
    return { ...DEFAULTS, ...found };
  } catch {
    return DEFAULTS;
  }
}

export const preferences = createStore<Preferences>(kept());

export function prefer(change: Partial<Preferences>): void {
  preferences.change((before) => ({ ...before, ...change }));
  try {
    localStorage.setItem(KEY, JSON.stringify(preferences.get()));
  } catch {
    // A browser that keeps nothing still shows what was chosen until it is closed.
  }
}

const dark = matchMedia("(prefers-color-scheme: dark)");
const contrast = matchMedia("(prefers-contrast: more)");

function applyTheme(): void {
  const { theme } = preferences.get();
  const system = contrast.matches ? "contrast" : dark.matches ? "dark" : "light";
  document.documentElement.dataset["theme"] = theme === "system" ? system : theme;
}

/** Follows the chosen theme, or that of the system. */
export function followTheme(): void {
  applyTheme();
  preferences.subscribe(applyTheme);
  dark.addEventListener("change", applyTheme);
  contrast.addEventListener("change", applyTheme);
}
