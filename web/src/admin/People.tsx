// The people and groups that a directory keeps up to date by SCIM. They are changed there.
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";

import { raw } from "../api/client";
import { waysToSignIn } from "../api/credential";
import { Notice } from "../ui/Notice";
import { Heading, Loaded, Moment, Part } from "./parts";
import { Table } from "./Table";
import { adminKey } from "./acting";

/** What is read of a resource of SCIM (RFC 7643). */
interface Person {
  readonly id: string;
  readonly userName: string;
  readonly displayName?: string;
  readonly active?: boolean;
  readonly meta?: { readonly lastModified?: string };
}

interface Group {
  readonly id: string;
  readonly displayName: string;
  readonly members?: readonly { readonly value: string }[];
  readonly meta?: { readonly lastModified?: string };
}

interface Listed<Resource> {
  readonly totalResults: number;
  readonly Resources: readonly Resource[];
}

async function listed<Resource>(path: string): Promise<Listed<Resource>> {
  const response = await raw(path);
  return (await response.json()) as Listed<Resource>;
}

export function People() {
  const { t } = useTranslation();
  if (!waysToSignIn().includes("scim")) {
    return (
      <>
        <Heading section="people" />
        <Notice title={t("admin.people.noneTitle")}>{t("admin.people.noneHint")}</Notice>
      </>
    );
  }
  return <Directory />;
}

function Directory() {
  const { t } = useTranslation();
  const people = useQuery({
    queryKey: adminKey("people"),
    queryFn: () => listed<Person>("/scim/v2/Users?count=100"),
  });
  const groups = useQuery({
    queryKey: adminKey("people-groups"),
    queryFn: () => listed<Group>("/scim/v2/Groups?count=100"),
  });
  return (
    <>
      <Heading section="people" />
      <Notice>{t("admin.people.owned")}</Notice>
      <Part title={t("admin.people.people")}>
        <Loaded query={people}>
          {({ totalResults, Resources }) => (
            <>
              <p className="text-sm text-muted">
                {t("admin.shownOf", { shown: Resources.length, all: totalResults })}
              </p>
              <Table
                caption={t("admin.people.people")}
                rows={Resources}
                keyOf={(each) => each.id}
                empty={t("admin.people.noPeople")}
                columns={[
                  { head: t("admin.principal"), cell: (each) => <bdi>{each.userName}</bdi> },
                  { head: t("admin.name"), cell: (each) => <bdi>{each.displayName ?? "–"}</bdi> },
                  {
                    head: t("admin.state"),
                    cell: (each) =>
                      each.active === false ? t("admin.people.inactive") : t("admin.people.active"),
                  },
                  {
                    head: t("admin.when"),
                    cell: (each) => <Moment at={each.meta?.lastModified ?? null} />,
                  },
                ]}
              />
            </>
          )}
        </Loaded>
      </Part>
      <Part title={t("admin.groups")}>
        <Loaded query={groups}>
          {({ Resources }) => (
            <Table
              caption={t("admin.groups")}
              rows={Resources}
              keyOf={(each) => each.id}
              empty={t("admin.people.noGroups")}
              columns={[
                { head: t("admin.name"), cell: (each) => <bdi>{each.displayName}</bdi> },
                {
                  head: t("admin.people.members"),
                  numeric: true,
                  cell: (each) => each.members?.length ?? 0,
                },
                {
                  head: t("admin.when"),
                  cell: (each) => <Moment at={each.meta?.lastModified ?? null} />,
                },
              ]}
            />
          )}
        </Loaded>
      </Part>
    </>
  );
}
