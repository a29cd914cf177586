// What stands where an address leads to nothing: that is said, and how to go on.
import type { ReactNode } from "react";

interface MissingProps {
  readonly title: string;
  readonly hint: string;
  /** The way back. */
  readonly children: ReactNode;
}

export function Missing({ title, hint, children }: MissingProps) {
  return (
    <div
      data-missing
      className="mx-auto flex max-w-md flex-1 flex-col items-center justify-center gap-3 p-8 text-center"
    >
      <h1 className="text-xl font-bold">{title}</h1>
      <p className="text-sm text-muted">{hint}</p>
      <p className="[&_a]:text-accent [&_a]:underline">{children}</p>
    </div>
  );
}
