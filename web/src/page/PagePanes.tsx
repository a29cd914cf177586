// The pages that are open: one, or two beside each other where one is kept.
import { useTranslation } from "react-i18next";

import { useBeside, useClosePlace, useKeepBeside, usePlace } from "../app/place";
import { PagePane } from "./PagePane";

export function PagePanes() {
  const { t } = useTranslation();
  const place = usePlace();
  const beside = useBeside();
  const close = useClosePlace();
  const keep = useKeepBeside();
  return (
    <div className="@container flex min-h-0 min-w-0 flex-1 flex-col">
      <div className="flex min-h-0 flex-1 flex-col @2xl:flex-row">
        <PagePane
          key={place.document}
          place={place}
          onClose={close}
          onKeep={beside === undefined ? () => keep(place) : undefined}
          walks
        />
        {beside !== undefined && (
          <section
            aria-label={t("beside.kept")}
            className="flex min-h-0 min-w-0 flex-1 flex-col border-t-4 border-line @2xl:border-s-4 @2xl:border-t-0"
          >
            <PagePane key={beside.document} place={beside} onClose={() => keep(undefined)} />
          </section>
        )}
      </div>
    </div>
  );
}
