// Says of a question that is too long by how much it is; nothing of it is cut off.
import { useTranslation } from "react-i18next";

import { MOST_CHARACTERS, charactersOf, isTooLong } from "./length";

interface TooLongProps {
  readonly id: string;
  readonly text: string;
}

export function TooLong({ id, text }: TooLongProps) {
  const { t, i18n } = useTranslation();
  const number = new Intl.NumberFormat(i18n.language);
  const count = isTooLong(text) ? charactersOf(text) : 0;
  return (
    <p id={id} role="status" className="text-sm text-bad empty:hidden">
      {count > 0 &&
        t("conversation.tooLong", {
          over: number.format(count - MOST_CHARACTERS),
          length: number.format(count),
          most: number.format(MOST_CHARACTERS),
        })}
    </p>
  );
}
