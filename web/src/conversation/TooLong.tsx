// Says of a question that is too long by how much it is; nothing of it is cut off.
import { useTranslation } from "react-i18next";

import { MAX_CHARACTERS, charactersOf, isTooLong } from "./length";

interface TooLongProps {
  readonly id: string;
  readonly text: string;
}

export function TooLong({ id, text }: TooLongProps) {
  const { t } = useTranslation();
  const count = isTooLong(text) ? charactersOf(text) : 0;
  return (
    <p id={id} role="status" className="text-sm text-bad empty:hidden">
      {count > 0 &&
        t("conversation.tooLong", {
          over: count - MAX_CHARACTERS,
          length: count,
          most: MAX_CHARACTERS,
        })}
    </p>
  );
}
