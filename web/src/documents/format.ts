// Sizes, times, shares and days, as the language of the app writes them.

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;

export function bytes(count: number, language: string): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, count)) / 3));
  return new Intl.NumberFormat(language, {
    style: "unit",
    unit: UNITS[step] ?? "byte",
    // “47 byte” is what English has for the short form.
    unitDisplay: step <= 0 ? "long" : "short",
    maximumFractionDigits: 1,
  }).format(count / 1000 ** step);
}

export function milliseconds(count: number, language: string): string {
  return new Intl.NumberFormat(language, {
    style: "unit",
    unit: "millisecond",
    unitDisplay: "short",
    maximumFractionDigits: 1,
  }).format(count);
}

/** A share from 0 to 1. */
export function percent(share: number, language: string): string {
  return new Intl.NumberFormat(language, { style: "percent" }).format(share);
}

/** A day by itself is that day everywhere; a moment is of the day that it is here. */
export function day(time: string, language: string): string {
  const at = new Date(time.includes("T") ? time : `${time}T00:00:00`);
  return new Intl.DateTimeFormat(language, { dateStyle: "medium" }).format(at);
}
