// A button that opens a menu, whose machinery is loaded when it is opened first.
import { type ReactNode, Suspense, useState } from "react";

import { IconButton } from "./Button";
import { lazily } from "./lazily";

export type MenuEntry =
  | { readonly kind: "item"; readonly label: string; readonly onSelect: () => void }
  | {
      readonly kind: "choice";
      readonly label: string;
      readonly value: string;
      readonly onChange: (value: string) => void;
      readonly choices: readonly (readonly [value: string, label: string])[];
    };

interface MenuProps {
  readonly label: string;
  readonly icon: ReactNode;
  readonly entries: readonly MenuEntry[];
}

const OpenMenu = lazily(() => import("./OpenMenu").then((m) => m.OpenMenu), "waiting");

export function Menu({ label, icon, entries }: MenuProps) {
  const [wanted, setWanted] = useState(false);
  const closed = (
    <IconButton
      label={label}
      icon={icon}
      aria-haspopup="menu"
      aria-expanded={false}
      onClick={() => setWanted(true)}
    />
  );
  if (!wanted) return closed;
  return (
    <Suspense fallback={closed}>
      <OpenMenu trigger={<IconButton label={label} icon={icon} />} entries={entries} />
    </Suspense>
  );
}
