// The page of an address that is none of the app's.
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";

import { Missing } from "../ui/Missing";

export function Nowhere() {
  const { t } = useTranslation();
  return (
    <Missing title={t("missing.page")} hint={t("missing.pageHint")}>
      <Link to="/" search={{}}>
        {t("missing.home")}
      </Link>
    </Missing>
  );
}
