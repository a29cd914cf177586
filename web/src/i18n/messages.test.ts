import { expect, test } from "vitest";

import { LANGUAGES } from "./language";

type Messages = { readonly [name: string]: string | Messages };

const FILES = import.meta.glob<Messages>("./messages/*.json", { import: "default", eager: true });
const PLURAL = /_(zero|one|two|few|many|other)$/;

function entries(messages: Messages, path = ""): [key: string, text: string][] {
  return Object.entries(messages).flatMap(([name, value]) =>
    typeof value === "string" ? [[path + name, value]] : entries(value, `${path}${name}.`),
  );
}

function messagesOf(code: string): Map<string, string> {
  return new Map(entries(FILES[`./messages/${code}.json`] ?? {}));
}

const ENGLISH = messagesOf("en");
const PLAIN = [...ENGLISH.keys()].filter((key) => !PLURAL.test(key));
const COUNTED = new Set(
  [...ENGLISH.keys()].filter((key) => PLURAL.test(key)).map((key) => key.replace(PLURAL, "")),
);

function places(text: string): string[] {
  return [...text.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name ?? "").sort();
}

test("every language that can be chosen has its file, and every file can be chosen", () => {
  const named = LANGUAGES.map(([code]) => `./messages/${code}.json`);
  expect(Object.keys(FILES).sort()).toEqual([...named].sort());
});

test.each(LANGUAGES.map(([code]) => code))(
  "%s says all that English says, and nothing else",
  (code) => {
    const forms = new Intl.PluralRules(code).resolvedOptions().pluralCategories;
    const wanted = [
      ...PLAIN,
      ...[...COUNTED].flatMap((key) => forms.map((form) => `${key}_${form}`)),
    ];
    expect([...messagesOf(code).keys()].sort()).toEqual(wanted.sort());
  },
);

test.each(LANGUAGES.map(([code]) => code))("%s has the same places to fill in", (code) => {
  const messages = messagesOf(code);
  const differing = PLAIN.filter(
    (key) => places(messages.get(key) ?? "").join() !== places(ENGLISH.get(key) ?? "").join(),
  );
  expect(differing).toEqual([]);
});
