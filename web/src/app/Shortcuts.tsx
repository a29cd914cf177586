// The list of shortcuts, and whether single keys are any.
import { useTranslation } from "react-i18next";

import { Dialog } from "../ui/Dialog";
import { useStore } from "../ui/store";
import { KeyName } from "./KeyName";
import { useActions } from "./actions";
import { hideOverlays } from "./overlays";
import { prefer, preferences } from "./preferences";

export function Shortcuts() {
  const { t } = useTranslation();
  const { keys } = useStore(preferences);
  const actions = useActions().filter((each) => each.key !== undefined);
  return (
    <Dialog title={t("shortcuts.title")} open onClose={hideOverlays}>
      <dl className="grid grid-cols-[1fr_auto] gap-x-6 gap-y-1 text-sm">
        {actions.map((action) => (
          <div key={action.id} className="contents">
            <dt>{action.label}</dt>
            <dd>
              <KeyName name={action.key ?? ""} />
            </dd>
          </div>
        ))}
      </dl>
      <label className="mt-4 flex items-center gap-2 text-sm">
        <input
          type="checkbox"
          checked={keys}
          onChange={(event) => prefer({ keys: event.target.checked })}
        />
        {t("shortcuts.singleKeys")}
      </label>
    </Dialog>
  );
}
