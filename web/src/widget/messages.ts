// What the widget says, in the languages of the app; they are small enough to come with it.
import english from "./messages/en.json";

export type Message = keyof typeof english;

const FILES = import.meta.glob<Record<Message, string>>("./messages/*.json", {
  import: "default",
  eager: true,
});
const RIGHT_TO_LEFT = ["ar"];

export interface Language {
  readonly code: string;
  readonly direction: "ltr" | "rtl";
  readonly say: (message: Message, places?: Readonly<Record<string, string | number>>) => string;
}

/** The first of the languages that there is, such as `de` for `de-AT`; else English. */
export function languageOf(wanted: readonly string[]): Language {
  const codes = wanted.map((each) => each.toLowerCase().split("-")[0] ?? "");
  const code = codes.find((each) => `./messages/${each}.json` in FILES) ?? "en";
  const messages = FILES[`./messages/${code}.json`] ?? english;
  return {
    code,
    direction: RIGHT_TO_LEFT.includes(code) ? "rtl" : "ltr",
    say: (message, places = {}) =>
      messages[message].replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
        const value = places[name] ?? "";
        return typeof value === "number" ? value.toLocaleString(code) : value;
      }),
  };
}
