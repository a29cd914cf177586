// Fields for a member of the metadata: its name, its kind and its value.
import { type KeyboardEvent, type RefObject, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";

import type { MetadataValue } from "../api/types";
import { KINDS, type Kind, kindOf } from "./metadata";

const FIELD = "min-h-8 min-w-0 rounded-md border border-line bg-surface px-2 py-1 text-sm";
/** Names that the server takes (`MAX_NAME_CHARACTERS`). */
const MAX_CHARACTERS = 200;

interface MetadataInputProps {
  /** The name, where it cannot be chosen. */
  readonly name?: string;
  readonly value?: MetadataValue;
  readonly kind: Kind;
  readonly onKind: (kind: Kind) => void;
  readonly onEscape: () => void;
  /** Which field is at fault, and the element that says why. */
  readonly fault?: { readonly id: string; readonly field: "name" | "value" } | null;
}

export function MetadataInput({
  name,
  value,
  kind,
  onKind,
  onEscape,
  fault = null,
}: MetadataInputProps) {
  const { t } = useTranslation();
  const first = useRef<HTMLElement>(null);
  useEffect(() => first.current?.focus(), []);
  const faulty = (field: "name" | "value") =>
    fault?.field === field
      ? ({ "aria-invalid": true, "aria-describedby": fault.id } as const)
      : ({} as const);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") onEscape();
  };
  const known = value === undefined || kindOf(value) !== kind ? undefined : String(value);
  return (
    <>
      {name === undefined && (
        <input
          ref={first as RefObject<HTMLInputElement>}
          name="name"
          dir="auto"
          autoComplete="off"
          maxLength={MAX_CHARACTERS}
          aria-label={t("metadata.name")}
          placeholder={t("metadata.name")}
          className={`${FIELD} w-32`}
          onKeyDown={onKeyDown}
          {...faulty("name")}
        />
      )}
      <select
        aria-label={t("metadata.kind")}
        value={kind}
        onChange={(event) => onKind(event.target.value as Kind)}
        className={FIELD}
        onKeyDown={onKeyDown}
      >
        {KINDS.map((each) => (
          <option key={each} value={each}>
            {t(`metadata.kinds.${each}`)}
          </option>
        ))}
      </select>
      {kind === "boolean" ? (
        <select
          key={kind}
          ref={name === undefined ? null : (first as RefObject<HTMLSelectElement>)}
          name="value"
          defaultValue={known ?? "true"}
          aria-label={t("metadata.value")}
          className={FIELD}
          onKeyDown={onKeyDown}
          {...faulty("value")}
        >
          <option value="true">{t("metadata.yes")}</option>
          <option value="false">{t("metadata.no")}</option>
        </select>
      ) : (
        <input
          key={kind}
          ref={name === undefined ? null : (first as RefObject<HTMLInputElement>)}
          name="value"
          type={kind}
          step={kind === "number" ? "any" : undefined}
          dir="auto"
          autoComplete="off"
          defaultValue={known}
          aria-label={t("metadata.value")}
          placeholder={t("metadata.value")}
          className={`${FIELD} w-40`}
          onKeyDown={onKeyDown}
          {...faulty("value")}
        />
      )}
    </>
  );
}
