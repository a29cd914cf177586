// The command palette: every action, recent conversations, and asking or searching what was typed.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Command } from "cmdk";
import { Dialog as Primitive } from "radix-ui";
import { useState } from "react";
import { useTranslation } from "react-i18next";

import { GROUPS, isOffered } from "../admin/sections";
import { conversationsQuery, identityQuery } from "../api/queries";
import { KeyName } from "./KeyName";
import { useActions } from "./actions";
import { hideOverlays, typedAhead } from "./overlays";
import { paneShown } from "./place";

const ITEM =
  "flex cursor-default items-center justify-between gap-2 rounded px-3 py-2 text-sm data-[selected=true]:bg-hover";
const GROUP =
  "**:[[cmdk-group-heading]]:px-3 **:[[cmdk-group-heading]]:py-1 **:[[cmdk-group-heading]]:text-xs **:[[cmdk-group-heading]]:text-muted";

export function Palette() {
  const { t } = useTranslation();
  const actions = useActions();
  const navigate = useNavigate();
  const [typed, setTyped] = useState("");
  const { data } = useInfiniteQuery(conversationsQuery);
  const { data: who } = useQuery(identityQuery);
  const sections = GROUPS.flatMap(([, ids]) => ids.filter((each) => who && isOffered(who, each)));
  const recent = data?.pages[0]?.conversations.slice(0, 20) ?? [];
  const then = (act: () => void) => () => {
    hideOverlays();
    act();
  };
  return (
    <Primitive.Root open onOpenChange={hideOverlays}>
      <Primitive.Portal>
        <Primitive.Overlay className="fixed inset-0 z-40 bg-black/50" />
        <Primitive.Content
          aria-describedby={undefined}
          // Not as the first value: entries are ranked, and the best one chosen, when it changes.
          onOpenAutoFocus={() => {
            setTyped(typedAhead.get());
          }}
          className="fixed start-1/2 top-[12vh] z-50 w-[min(36rem,calc(100vw-2rem))] -translate-x-1/2 overflow-hidden rounded-lg border border-line bg-surface text-ink shadow-xl rtl:translate-x-1/2"
        >
          <Primitive.Title className="sr-only">{t("palette.title")}</Primitive.Title>
          <Command label={t("palette.title")}>
            <Command.Input
              value={typed}
              onValueChange={setTyped}
              placeholder={t("palette.placeholder")}
              className="w-full border-b border-line bg-surface px-4 py-3 outline-none placeholder:text-muted"
            />
            <Command.List className="max-h-80 overflow-auto p-1" label={t("palette.title")}>
              <Command.Empty className="p-4 text-sm text-muted">{t("palette.empty")}</Command.Empty>
              <Command.Group heading={t("palette.actions")} className={GROUP}>
                {actions.map((action) => (
                  <Command.Item key={action.id} className={ITEM} onSelect={then(action.run)}>
                    {action.label}
                    {action.key !== undefined && <KeyName name={action.key} />}
                  </Command.Item>
                ))}
                {/* Matches whatever is typed, and less than what begins with it. */}
                {typed.trim() !== "" && (
                  <Command.Item
                    value={`find ${typed}`}
                    className={ITEM}
                    onSelect={then(
                      () => void navigate({ to: "/find", search: { query: typed.trim() } }),
                    )}
                  >
                    {t("palette.searchFor", { query: typed.trim() })}
                  </Command.Item>
                )}
              </Command.Group>
              {sections.length > 0 && (
                <Command.Group heading={t("admin.title")} className={GROUP}>
                  {sections.map((section) => (
                    <Command.Item
                      key={section}
                      value={`${t("admin.title")}: ${t(`admin.section.${section}`)}`}
                      className={ITEM}
                      onSelect={then(() => {
                        paneShown.set("main");
                        void navigate({
                          to: "/admin/$section",
                          params: { section },
                          search: {},
                        });
                      })}
                    >
                      {t(`admin.section.${section}`)}
                    </Command.Item>
                  ))}
                </Command.Group>
              )}
              {recent.length > 0 && (
                <Command.Group heading={t("conversation.list")} className={GROUP}>
                  {recent.map((each) => (
                    <Command.Item
                      key={each.conversation_id}
                      value={`${each.title} ${each.conversation_id}`}
                      className={ITEM}
                      onSelect={then(
                        () =>
                          void navigate({
                            to: "/conversations/$conversationId",
                            params: { conversationId: each.conversation_id },
                          }),
                      )}
                    >
                      <bdi className="truncate">{each.title || t("conversation.untitled")}</bdi>
                    </Command.Item>
                  ))}
                </Command.Group>
              )}
            </Command.List>
          </Command>
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
