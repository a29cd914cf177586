// A button for what cannot be taken back: it is done once the name of the thing was typed.
import { type ReactNode, useId, useState } from "react";
import { useTranslation } from "react-i18next";

import { Button } from "../ui/Button";
import { Dialog } from "../ui/Dialog";
import { ProblemNotice } from "../ui/ProblemNotice";
import { FIELD } from "./Form";

interface ConfirmButtonProps {
  readonly label: string;
  /** What has to be typed. */
  readonly name: string;
  /** What then happens. */
  readonly children: ReactNode;
  readonly onConfirm: () => Promise<unknown>;
}

export function ConfirmButton({ label, name, children, onConfirm }: ConfirmButtonProps) {
  const { t } = useTranslation();
  const id = useId();
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const close = () => {
    setOpen(false);
    setTyped("");
    setError(null);
  };
  const confirm = async () => {
    setBusy(true);
    try {
      await onConfirm();
      close();
    } catch (refused) {
      setError(refused);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <Button look="danger" onClick={() => setOpen(true)}>
        {label}
      </Button>
      {open && (
        <Dialog title={label} open onClose={close}>
          <form
            className="flex flex-col gap-3 text-sm"
            onSubmit={(event) => {
              event.preventDefault();
              if (typed.trim() === name) void confirm();
            }}
          >
            <div>{children}</div>
            <label htmlFor={id} className="font-medium">
              {t("admin.typeName")} <bdi className="font-mono">{name}</bdi>
            </label>
            <input
              id={id}
              value={typed}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setTyped(event.target.value)}
              className={FIELD}
            />
            {error !== null && <ProblemNotice error={error} />}
            <Button look="danger" type="submit" disabled={busy || typed.trim() !== name}>
              {label}
            </Button>
          </form>
        </Dialog>
      )}
    </>
  );
}
