// What came of a question of an evaluation, in a word.
import { useTranslation } from "react-i18next";

const VERDICTS = ["right", "partly", "wrong", "refused", "rightly refused"] as const;

export function Verdict({ of }: { readonly of: string }) {
  const { t } = useTranslation();
  const known = VERDICTS.find((each) => each === of);
  return known === undefined ? <bdi>{of}</bdi> : t(`admin.verdict.${known}`);
}
