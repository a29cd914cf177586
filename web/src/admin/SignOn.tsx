// How people and programs prove who they are here, and who asks now.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { waysToSignIn } from "../api/credential";
import { identityQuery } from "../api/queries";
import { Notice } from "../ui/Notice";
import { Heading, Loaded, Part } from "./parts";

const WAYS = ["keys", "tokens", "login", "gateway", "scim"] as const;

export function SignOn() {
  const { t } = useTranslation();
  const configured = waysToSignIn();
  const who = useQuery(identityQuery);
  return (
    <>
      <Heading section="sign-on" />
      <Part title={t("admin.signOn.ways")} hint={t("admin.signOn.waysHint")}>
        {configured.length === 0 && (
          <Notice tone="warn" title={t("admin.signOn.nobody")}>
            {t("admin.signOn.nobodyHint")}
          </Notice>
        )}
        <ul className="flex flex-col gap-1 text-sm">
          {WAYS.map((way) => (
            <li key={way}>
              <span className="font-medium">{t(`admin.way.${way}`)}</span>{" "}
              <span className={configured.includes(way) ? "text-good" : "text-muted"}>
                {configured.includes(way) ? t("admin.signOn.on") : t("admin.signOn.off")}
              </span>
            </li>
          ))}
        </ul>
      </Part>
      <Part title={t("admin.signOn.you")}>
        <Loaded query={who}>
          {(found) => (
            <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-sm">
              {(
                [
                  [t("admin.principal"), found.principal],
                  [t("admin.groups"), found.groups.join(", ") || "–"],
                  [
                    t("admin.role.title"),
                    found.role === null ? "–" : t(`admin.role.${found.role}`),
                  ],
                  [
                    t("admin.rights"),
                    found.rights.map((each) => t(`admin.right.${each}`)).join(", "),
                  ],
                  [t("admin.signOn.credential"), found.credential],
                ] as const
              ).map(([name, value]) => (
                <div key={name} className="contents">
                  <dt className="text-muted">{name}</dt>
                  <dd>
                    <bdi>{value}</bdi>
                  </dd>
                </div>
              ))}
            </dl>
          )}
        </Loaded>
      </Part>
    </>
  );
}
