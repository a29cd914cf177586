// Buttons: with words, or with a picture alone and words for those who do not see it.
import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";

import { cx } from "./cx";

type Look = "primary" | "quiet" | "plain" | "danger";

const LOOKS: Record<Look, string> = {
  primary: "bg-accent text-on-accent hover:bg-accent-strong border border-transparent",
  plain: "bg-surface text-ink border border-line hover:bg-hover",
  quiet: "bg-transparent text-ink border border-transparent hover:bg-hover",
  danger: "bg-surface text-bad border border-bad hover:bg-hover",
};

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: Look;
  /** Without room around what stands in it. */
  readonly bare?: boolean;
  readonly ref?: Ref<HTMLButtonElement>;
}

export function Button({ look = "plain", bare = false, className, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      className={cx(
        "inline-flex min-h-8 items-center justify-center gap-1.5 rounded-md text-sm font-medium",
        "disabled:cursor-not-allowed disabled:opacity-60",
        LOOKS[look],
        bare ? "px-0" : "px-3 py-1",
        className,
      )}
      {...rest}
    />
  );
}

interface IconButtonProps extends Omit<ButtonProps, "children" | "bare"> {
  readonly label: string;
  readonly icon: ReactNode;
}

export function IconButton({ label, icon, className, look = "quiet", ...rest }: IconButtonProps) {
  return (
    <Button
      look={look}
      bare
      aria-label={label}
      title={label}
      className={cx("size-8 shrink-0", className)}
      {...rest}
    >
      {icon}
    </Button>
  );
}
