// The menu behind a button; it is open as soon as it is there.
import { DropdownMenu as Primitive } from "radix-ui";
import { Fragment, type ReactNode } from "react";

import type { MenuEntry } from "./Menu";

interface OpenMenuProps {
  readonly trigger: ReactNode;
  readonly entries: readonly MenuEntry[];
}

const ITEM =
  "flex cursor-default items-center gap-2 rounded px-2 py-1.5 outline-none select-none data-[highlighted]:bg-hover";

export function OpenMenu({ trigger, entries }: OpenMenuProps) {
  return (
    <Primitive.Root modal={false} defaultOpen>
      <Primitive.Trigger asChild>{trigger}</Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content
          // Letters find an entry of it, and are no shortcuts meanwhile.
          data-modal
          align="end"
          sideOffset={4}
          className="z-50 min-w-44 rounded-md border border-line bg-surface p-1 text-sm text-ink shadow-lg"
        >
          {entries.map((entry, index) => (
            <Fragment key={entry.label}>
              {index > 0 && entries[index - 1]?.kind === "choice" && (
                <Primitive.Separator className="my-1 h-px bg-line" />
              )}
              <Entry entry={entry} />
            </Fragment>
          ))}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

function Entry({ entry }: { readonly entry: MenuEntry }) {
  if (entry.kind === "item") {
    return (
      <Primitive.Item className={ITEM} onSelect={entry.onSelect}>
        {entry.label}
      </Primitive.Item>
    );
  }
  return (
    <Primitive.RadioGroup value={entry.value} onValueChange={entry.onChange}>
      <Primitive.Label className="px-2 py-1 text-xs text-muted">{entry.label}</Primitive.Label>
      {entry.choices.map(([value, words]) => (
        <Primitive.RadioItem key={value} value={value} className={ITEM}>
          <span className="w-3">
            <Primitive.ItemIndicator>✓</Primitive.ItemIndicator>
          </span>
          <bdi>{words}</bdi>
        </Primitive.RadioItem>
      ))}
    </Primitive.RadioGroup>
  );
}
