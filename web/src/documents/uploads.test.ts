import { afterEach, expect, test, vi } from "vitest";

import { forgetPerson } from "../ui/store";
import { toasts } from "../ui/toasts";
import { hasUnsent } from "../ui/unsent";
import { add, cancelRest, filesOf, setPaused, uploads } from "./uploads";

type Read = (file: File) => void;

function file(path: string, isReadable = true): FileSystemEntry {
  const read = (resolve: Read, reject: (error: Error) => void) =>
    isReadable ? resolve(new File([], path)) : reject(new Error("It cannot be read."));
  return { isFile: true, fullPath: path, file: read } as unknown as FileSystemEntry;
}

function folder(path: string, ...entries: FileSystemEntry[]): FileSystemEntry {
  const pieces = [entries, []];
  const readEntries = (resolve: (piece: FileSystemEntry[]) => void) =>
    resolve(pieces.shift() ?? []);
  const createReader = () => ({ readEntries });
  return { isFile: false, fullPath: path, createReader } as unknown as FileSystemEntry;
}

test("what cannot be read of a dropped folder is said, and the rest of it is found", async () => {
  const dropped = folder(
    "/all",
    file("/all/one.txt"),
    file("/all/locked.txt", false),
    folder("/all/more", file("/all/more/two.txt")),
  );
  const items = [{ webkitGetAsEntry: () => dropped }];
  const found = await filesOf({ items } as unknown as DataTransfer);
  expect(found.map(({ path }) => path)).toEqual(["all/one.txt", "all/more/two.txt"]);
  expect(toasts.get()).toHaveLength(1);
});

afterEach(() => {
  forgetPerson();
  vi.unstubAllGlobals();
});

test("over plain HTTP, where a browser makes no UUIDs, files are handed in all the same", () => {
  const getRandomValues = crypto.getRandomValues.bind(crypto);
  vi.stubGlobal("crypto", { getRandomValues });
  setPaused(true);
  const files = ["a.txt", "b.txt"].map((path) => ({ file: new File(["x"], path), path }));
  add(files, "default");
  const ids = uploads.get().all.map(({ id }) => id);
  expect(new Set(ids).size).toBe(2);
});

test("the page is kept while files wait, and no longer", () => {
  setPaused(true);
  expect(hasUnsent()).toBe(false);
  add([{ file: new File(["x"], "a.txt"), path: "a.txt" }], "default");
  expect(hasUnsent()).toBe(true);
  cancelRest();
  expect(hasUnsent()).toBe(false);
});
