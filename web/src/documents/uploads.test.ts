import { expect, test } from "vitest";

import { toasts } from "../ui/toasts";
import { filesOf } from "./uploads";

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
