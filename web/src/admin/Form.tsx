// Forms of a few fields: what is refused is said below them, beside the field that it is about where
// the server names it, and what was taken clears them, unless it still holds.
import { createContext, type ReactNode, type SubmitEvent, use, useId, useState } from "react";

import { faultOf } from "../api/problem";
import { Button } from "../ui/Button";
import { ProblemNotice } from "../ui/ProblemNotice";
import { cx } from "../ui/cx";

/** What the form that a field is in was refused for. */
const RefusalContext = createContext<unknown>(null);

interface ActFormProps {
  readonly label: string;
  readonly submit: string;
  readonly onSubmit: (given: FormData) => Promise<unknown>;
  /** Whether what was thrown says that all went well and nothing is to be cleared. */
  readonly keeps?: (thrown: unknown) => boolean;
  /** Whether it narrows what is shown: what was typed holds until something else is. */
  readonly narrows?: boolean;
  readonly children: ReactNode;
}

export function ActForm({
  label,
  submit,
  onSubmit,
  keeps,
  narrows = false,
  children,
}: ActFormProps) {
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const send = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    setBusy(true);
    setError(null);
    try {
      await onSubmit(new FormData(form));
      if (!narrows) form.reset();
    } catch (refused) {
      if (keeps?.(refused) !== true) setError(refused);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      aria-label={label}
      onSubmit={(event) => void send(event)}
      className="flex max-w-4xl flex-wrap items-start gap-3 rounded-md border border-line bg-raised p-3"
    >
      <RefusalContext value={error}>{children}</RefusalContext>
      {/* Beside the fields, which stand below their labels. */}
      <Button look="primary" type="submit" disabled={busy} className="mt-6">
        {submit}
      </Button>
      {error !== null && (
        <div className="basis-full">
          <ProblemNotice error={error} />
        </div>
      )}
    </form>
  );
}

export const FIELD = "min-h-8 min-w-0 rounded-md border border-line bg-surface px-2 py-1 text-sm";

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly type?: "text" | "number" | "url" | "date" | "search" | "password";
  readonly required?: boolean;
  readonly value?: string;
  readonly least?: number;
  /** What the API calls it, where that is something else. */
  readonly sent?: string;
}

export function Field({
  name,
  label,
  hint,
  type = "text",
  required = false,
  value,
  least,
  sent = name,
}: FieldProps) {
  const id = useId();
  const fault = faultOf(use(RefusalContext), sent);
  const described = [
    ...(fault === null ? [] : [`${id}-fault`]),
    ...(hint === undefined ? [] : [`${id}-hint`]),
  ];
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <input
        id={id}
        name={name}
        type={type}
        required={required}
        defaultValue={value}
        min={least}
        step={type === "number" ? "any" : undefined}
        dir="auto"
        autoComplete={type === "password" ? "new-password" : "off"}
        aria-invalid={fault !== null}
        aria-describedby={described.length === 0 ? undefined : described.join(" ")}
        className={cx(FIELD, fault !== null && "border-bad")}
      />
      {fault !== null && (
        <p id={`${id}-fault`} className="max-w-64 text-xs text-bad">
          {fault}
        </p>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="max-w-64 text-xs text-muted">
          {hint}
        </p>
      )}
    </div>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly label: string;
  readonly choices: readonly (readonly [value: string, label: string])[];
  readonly value?: string;
}

export function Choice({ name, label, choices, value }: ChoiceProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      <select id={id} name={name} defaultValue={value} className={FIELD}>
        {choices.map(([each, words]) => (
          <option key={each} value={each}>
            {words}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Several of a few, each by its box; those of `value` are chosen to begin with. */
export function Choices({
  name,
  label,
  choices,
  value = [],
}: Omit<ChoiceProps, "value"> & { readonly value?: readonly string[] }) {
  return (
    <fieldset>
      <legend className="text-sm font-medium">{label}</legend>
      <div className="mt-1 flex min-h-8 flex-wrap gap-3">
        {choices.map(([each, words]) => (
          <label key={each} className="inline-flex items-center gap-1.5 text-sm">
            <input
              type="checkbox"
              name={name}
              value={each}
              defaultChecked={value.includes(each)}
              className="size-6"
            />
            {words}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
