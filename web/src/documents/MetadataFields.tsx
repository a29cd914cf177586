// What is said of a document, by its name: shown, added, changed and removed where it stands.
import { Pencil, Plus } from "lucide-react";
import { type SubmitEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";

import { faultOf } from "../api/problem";
import { useMay } from "../api/may";
import type { Document, MetadataValue } from "../api/types";
import { Button, IconButton } from "../ui/Button";
import { ProblemNotice } from "../ui/ProblemNotice";
import { setMetadata, typed } from "./changing";
import { day } from "./format";
import { MetadataInput } from "./MetadataInput";
import { kindOf, valueFrom } from "./metadata";

export function MetadataFields({ document }: { readonly document: Document }) {
  const { t } = useTranslation();
  const shown = useShown();
  const [edited, setEdited] = useState<string | null>(null);
  const members = Object.entries(document.metadata);
  const mayWrite = useMay("write", document.collection) === true;
  const done = () => setEdited(null);
  if (members.length === 0 && !mayWrite) return null;
  return (
    <section aria-labelledby="metadata" className="flex flex-col gap-1 text-sm">
      <h2 id="metadata" className="text-base font-semibold">
        {t("paper.metadata")}
      </h2>
      {members.length > 0 && (
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
          {members.map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-muted">
                <bdi>{name}</bdi>
              </dt>
              <dd className="flex min-w-0 items-start gap-1 break-words">
                {edited === name ? (
                  <Editor document={document} name={name} value={value} onDone={done} />
                ) : (
                  <>
                    <bdi className="min-w-0">{shown(value)}</bdi>
                    {mayWrite && (
                      <IconButton
                        label={t("metadata.change", { name })}
                        icon={<Pencil aria-hidden size={12} />}
                        onClick={() => setEdited(name)}
                      />
                    )}
                  </>
                )}
              </dd>
            </div>
          ))}
        </dl>
      )}
      {edited === "" ? (
        <Editor document={document} onDone={done} />
      ) : (
        mayWrite && (
          <Button look="quiet" className="self-start" onClick={() => setEdited("")}>
            <Plus aria-hidden size={14} /> {t("metadata.add")}
          </Button>
        )
      )}
    </section>
  );
}

/** How a value is shown to people. */
function useShown(): (value: MetadataValue) => string {
  const { t, i18n } = useTranslation();
  return (value) => {
    if (typeof value === "boolean") return t(value ? "metadata.yes" : "metadata.no");
    if (typeof value === "number")
      return value.toLocaleString(i18n.language, { useGrouping: false });
    return kindOf(value) === "date" ? day(value, i18n.language) : value;
  };
}

interface EditorProps {
  readonly document: Document;
  readonly name?: string;
  readonly value?: MetadataValue;
  readonly onDone: () => void;
}

function Editor({ document, name, value, onDone }: EditorProps) {
  const { t } = useTranslation();
  const id = useId();
  const [kind, setKind] = useState(value === undefined ? "text" : kindOf(value));
  const [error, setError] = useState<unknown>(null);
  const [fault, setFault] = useState<"name" | "value" | null>(null);
  const change = async (metadata: Readonly<Record<string, MetadataValue | null>>) => {
    setError(null);
    try {
      await setMetadata(document.document_id, metadata);
      onDone();
    } catch (refused) {
      setError(refused);
    }
  };
  const save = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const called = name ?? typed(event.currentTarget, "name").trim();
    const given = valueFrom(kind, typed(event.currentTarget, "value"));
    setFault(called === "" ? "name" : given === null ? "value" : null);
    if (called !== "" && given !== null) void change({ [called]: given });
  };
  const refused = faultOf(error, "metadata");
  const said = fault === null ? refused : t(`metadata.no_${fault}`);
  return (
    <form
      noValidate
      aria-label={name === undefined ? t("metadata.add") : t("metadata.change", { name })}
      className="flex flex-wrap items-end gap-2"
      onSubmit={save}
    >
      <MetadataInput
        {...(name === undefined ? {} : { name })}
        {...(value === undefined ? {} : { value })}
        kind={kind}
        onKind={setKind}
        onEscape={onDone}
        fault={said === null ? null : { id, field: fault ?? "value" }}
      />
      <Button type="submit" look="primary">
        {t("common.save")}
      </Button>
      {name !== undefined && (
        <Button onClick={() => void change({ [name]: null })}>{t("metadata.remove")}</Button>
      )}
      <Button look="quiet" onClick={onDone}>
        {t("metadata.cancel")}
      </Button>
      {said !== null && (
        <p id={id} role="alert" className="basis-full text-bad">
          {said}
        </p>
      )}
      {error !== null && refused === null && (
        <div className="basis-full">
          <ProblemNotice error={error} />
        </div>
      )}
    </form>
  );
}
