// What stands where there is nothing yet: what it is for, and what to do.
import type { ReactNode } from "react";

interface EmptyProps {
  readonly title: string;
  readonly children: ReactNode;
}

export function Empty({ title, children }: EmptyProps) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center gap-2 p-8 text-center">
      <h2 className="text-base font-semibold">{title}</h2>
      <div className="text-sm text-muted">{children}</div>
    </div>
  );
}
