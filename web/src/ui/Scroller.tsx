// A region that scrolls, which the keyboard must reach even where nothing in it takes the focus.
import type { ReactNode, Ref } from "react";

import { cx } from "./cx";

interface ScrollerProps {
  readonly label: string;
  readonly className?: string;
  readonly ref?: Ref<HTMLDivElement>;
  readonly children: ReactNode;
}

export function Scroller({ label, className, ref, children }: ScrollerProps) {
  return (
    <div
      ref={ref}
      role="region"
      aria-label={label}
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls by its arrow keys
      tabIndex={0}
      className={cx("overflow-auto", className)}
    >
      {children}
    </div>
  );
}
