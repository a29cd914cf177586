// Passages as a person reads them: a row of a table says its cells under their titles, as the text
// of citations does.

const ROW = /^\s*\|.*\|\s*$/;
const SEPARATOR = /^[\s|:-]*-[\s|:-]*$/;
const BAR = /(?<!\\)\|/;

function cellsOf(row: string): string[] {
  const cells = row.trim().split(BAR).slice(1, -1);
  return cells.map((each) => each.replaceAll("\\|", "|").trim());
}

/** The text with its tables as lines of "title: cell, …"; cells without titles stand alone. */
export function readable(text: string): string {
  const lines: string[] = [];
  let titles: readonly string[] = [];
  const all = text.split("\n");
  all.forEach((line, at) => {
    if (!ROW.test(line)) {
      titles = [];
      lines.push(line);
      return;
    }
    if (SEPARATOR.test(line)) return;
    const cells = cellsOf(line);
    if (SEPARATOR.test(all[at + 1] ?? "") && ROW.test(all[at + 1] ?? "")) {
      titles = cells;
      // Titles without a row below them are all that there is to read.
      if (!ROW.test(all[at + 2] ?? "")) lines.push(said([], cells));
      return;
    }
    lines.push(said(titles, cells));
  });
  return lines.join("\n");
}

function said(titles: readonly string[], cells: readonly string[]): string {
  return cells
    .map((cell, column) => {
      const title = titles[column] ?? "";
      return title === "" || cell === "" ? cell : `${title}: ${cell}`;
    })
    .filter((each) => each !== "")
    .join(", ");
}
