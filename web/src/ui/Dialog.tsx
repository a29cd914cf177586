// A dialog with a title, over everything else.
import { X } from "lucide-react";
import { Dialog as Primitive } from "radix-ui";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";

import { IconButton } from "./Button";

interface DialogProps {
  readonly title: string;
  readonly description?: string;
  readonly open: boolean;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function Dialog({ title, description, open, onClose, children }: DialogProps) {
  const { t } = useTranslation();
  return (
    <Primitive.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Primitive.Portal>
        <Primitive.Overlay className="fixed inset-0 z-40 bg-black/50" />
        <Primitive.Content
          data-modal
          className="fixed start-1/2 top-[12vh] z-50 max-h-[76vh] w-[min(34rem,calc(100vw-2rem))] -translate-x-1/2 overflow-auto rounded-lg border border-line bg-surface p-5 text-ink shadow-xl rtl:translate-x-1/2"
          {...(description === undefined ? { "aria-describedby": undefined } : {})}
        >
          <div className="mb-3 flex items-start justify-between gap-4">
            <Primitive.Title className="text-lg font-semibold">{title}</Primitive.Title>
            <Primitive.Close asChild>
              <IconButton label={t("common.close")} icon={<X aria-hidden size={16} />} />
            </Primitive.Close>
          </div>
          {description !== undefined && (
            <Primitive.Description className="mb-3 text-sm text-muted">
              {description}
            </Primitive.Description>
          )}
          {children}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
