// What a document names.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { EntityTable } from "./Entities";
import { Extracted } from "./parts";
import { entityProgressQuery } from "./queries";

export function DocumentEntities({ id }: { readonly id: string }) {
  const { t } = useTranslation();
  const progress = useQuery(entityProgressQuery);
  return (
    // Its table is the region that is called so.
    <div className="flex flex-col gap-2">
      <h2 className="font-semibold">{t("knowledge.entities")}</h2>
      <Extracted what="entities" progress={progress}>
        <EntityTable wanted={{ document_id: id }} />
      </Extracted>
    </div>
  );
}
