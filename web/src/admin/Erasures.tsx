// Erasures: something is deleted for good and looked for everywhere; certificates prove it.
import { useQuery } from "@tanstack/react-query";
import { type ChangeEvent, useState } from "react";
import { useTranslation } from "react-i18next";

import { answered, api } from "../api/client";
import type { Erasure, ErasureVerification } from "../api/types";
import { Button } from "../ui/Button";
import { Notice } from "../ui/Notice";
import { saveAs } from "../ui/saveAs";
import { showToast } from "../ui/toasts";
import { ConfirmButton } from "./ConfirmButton";
import { ActForm, Choice, Field } from "./Form";
import { TARGETS, targetOf } from "./Holds";
import { Heading, Loaded, Moment, Part } from "./parts";
import { Table } from "./Table";
import { adminKey, useRefresh } from "./acting";
import { textOf } from "./given";

interface Wanted {
  readonly name: string;
  readonly body: ReturnType<typeof targetOf>;
}

export function Erasures() {
  const { t } = useTranslation();
  const refresh = useRefresh("erasures");
  const [wanted, setWanted] = useState<Wanted | null>(null);
  const [made, setMade] = useState<Erasure | null>(null);
  const found = useQuery({
    queryKey: adminKey("erasures"),
    queryFn: () => answered(api.GET("/v1/erasures")),
  });
  const erase = async ({ body }: Wanted) => {
    setMade(await answered(api.POST("/v1/erasures", { body })));
    setWanted(null);
    await refresh();
  };
  return (
    <>
      <Heading section="erasures" />
      <ActForm
        label={t("admin.erasures.new")}
        submit={t("admin.erasures.next")}
        onSubmit={(given) => {
          setWanted({ name: textOf(given, "target"), body: targetOf(given) });
          return Promise.resolve();
        }}
      >
        <Choice
          name="kind"
          label={t("admin.target.kind")}
          choices={TARGETS.map((each) => [each, t(`admin.target.${each}`)] as const)}
        />
        <Field name="target" label={t("admin.target.name")} required />
      </ActForm>
      {wanted !== null && (
        <Notice tone="bad" title={t("admin.erasures.about", { name: wanted.name })}>
          <div className="mt-2 flex gap-2">
            <ConfirmButton
              label={t("admin.erasures.erase")}
              name={wanted.name}
              onConfirm={() => erase(wanted)}
            >
              {t("admin.erasures.hint")}
            </ConfirmButton>
            <Button onClick={() => setWanted(null)}>{t("admin.cancel")}</Button>
          </div>
        </Notice>
      )}
      {made !== null && <Certificate erasure={made} />}
      <Verify />
      <Part title={t("admin.erasures.ledger")}>
        <Loaded query={found}>
          {({ erasures }) => (
            <Table
              caption={t("admin.erasures.ledger")}
              rows={erasures.toReversed()}
              keyOf={(each) => each.certificate_id}
              empty={t("admin.erasures.none")}
              columns={[
                { head: t("admin.when"), cell: (each) => <Moment at={each.erased_at} /> },
                { head: t("admin.target.kind"), cell: (e) => t(`admin.target.${e.target}`) },
                { head: t("admin.target.name"), cell: (each) => <bdi>{each.name}</bdi> },
                {
                  head: t("admin.documents"),
                  numeric: true,
                  cell: (each) => each.document_ids.length,
                },
                { head: t("admin.by"), cell: (each) => <bdi>{each.erased_by}</bdi> },
              ]}
            />
          )}
        </Loaded>
      </Part>
    </>
  );
}

/** What was looked at, and the certificate as a file to keep. */
function Certificate({ erasure }: { readonly erasure: Erasure }) {
  const { t } = useTranslation();
  const save = () => {
    const text = JSON.stringify(erasure, null, 2);
    saveAs(new Blob([text], { type: "application/json" }), `${erasure.certificate_id}.json`);
  };
  return (
    <Part
      title={t("admin.erasures.certificate")}
      hint={erasure.complete ? t("admin.erasures.complete") : t("admin.erasures.incomplete")}
    >
      <Table
        caption={t("admin.erasures.certificate")}
        rows={erasure.checks}
        keyOf={(each) => each.place}
        empty="–"
        columns={[
          { head: t("admin.erasures.place"), cell: (each) => each.place },
          { head: t("admin.erasures.held"), numeric: true, cell: (each) => each.held },
          { head: t("admin.erasures.left"), numeric: true, cell: (each) => each.left },
        ]}
      />
      <Button className="self-start" onClick={save}>
        {t("admin.erasures.save")}
      </Button>
    </Part>
  );
}

/** Whether a certificate that was kept still holds. */
function Verify() {
  const { t } = useTranslation();
  const [verified, setVerified] = useState<ErasureVerification | null>(null);
  const verify = async (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0];
    if (file === undefined) return;
    try {
      const certificate = JSON.parse(await file.text()) as Record<string, unknown>;
      setVerified(await answered(api.POST("/v1/erasures/verify", { body: { certificate } })));
    } catch (error) {
      setVerified(null);
      showToast(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <Part title={t("admin.erasures.verify")}>
      <label className="flex flex-col gap-1 text-sm">
        {t("admin.erasures.file")}
        <input type="file" accept=".json,application/json" onChange={(e) => void verify(e)} />
      </label>
      {verified !== null && (
        <Notice tone={verified.valid ? "info" : "bad"} role="status">
          {verified.valid ? t("admin.erasures.valid") : verified.faults.join(" ")}
        </Notice>
      )}
    </Part>
  );
}
