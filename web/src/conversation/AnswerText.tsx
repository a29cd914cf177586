// The text of an answer with its footnotes, and with a word on whatever no quote carries.
import { TriangleAlert } from "lucide-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";

import type { AnswerSentence, Citation } from "../api/types";
import { WideTable } from "../ui/WideTable";
import { cx } from "../ui/cx";
import { Footnote } from "./Footnote";
import { type Block, type Run, type Verdict, blocksOf } from "./layout";

interface AnswerTextProps {
  readonly text: string;
  readonly sentences?: readonly AnswerSentence[];
  readonly citations: readonly Citation[];
}

const NO_SENTENCES: readonly AnswerSentence[] = [];

export function AnswerText({ text, sentences = NO_SENTENCES, citations }: AnswerTextProps) {
  const blocks = useMemo(() => blocksOf(text, sentences), [text, sentences]);
  const runs = (of: readonly Run[]) => (
    <Runs runs={of} sentences={sentences} citations={citations} />
  );
  return (
    <div dir="auto" className="flex flex-col gap-2 leading-7">
      {blocks.map((block, index) => (
        <BlockView key={index} block={block} runs={runs} />
      ))}
    </div>
  );
}

interface BlockViewProps {
  readonly block: Block;
  readonly runs: (of: readonly Run[]) => React.ReactNode;
}

function BlockView({ block, runs }: BlockViewProps) {
  if (block.kind === "paragraph") return <p>{runs(block.runs)}</p>;
  if (block.kind === "list") {
    const List = block.ordered ? "ol" : "ul";
    return (
      <List className={cx("ps-6", block.ordered ? "list-decimal" : "list-disc")}>
        {block.items.map((item, index) => (
          <li key={index}>{runs(item)}</li>
        ))}
      </List>
    );
  }
  return (
    <WideTable>
      <table className="border-collapse text-sm">
        {block.head.length > 0 && (
          <thead>
            <tr>
              {block.head.map((cell, index) => (
                <th key={index} className="border border-line px-2 py-1 text-start">
                  {runs(cell)}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {block.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} className="border border-line px-2 py-1">
                  {runs(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </WideTable>
  );
}

interface RunsProps {
  readonly runs: readonly Run[];
  readonly sentences: readonly AnswerSentence[];
  readonly citations: readonly Citation[];
}

function Runs({ runs, sentences, citations }: RunsProps) {
  return runs.map((run, index) => {
    if (run.kind === "verdict") return <VerdictBadge key={index} verdict={run.verdict} />;
    if (run.kind === "footnote") {
      const citation = citations.find((each) => each.marker === run.marker);
      if (citation === undefined) return <sup key={index}>[{run.marker}]</sup>;
      const resting = sentences.find((each) => each.markers.includes(run.marker));
      return (
        <Footnote
          key={index}
          citation={citation}
          citations={citations}
          verdict={resting?.verdict ?? null}
        />
      );
    }
    const doubtful = run.verdict === "unsupported" || run.verdict === "uncited";
    const look = doubtful
      ? "underline decoration-bad decoration-wavy underline-offset-4"
      : undefined;
    if (run.kind === "strong")
      return (
        <strong key={index} className={look}>
          {run.text}
        </strong>
      );
    if (run.kind === "emphasis")
      return (
        <em key={index} className={look}>
          {run.text}
        </em>
      );
    if (run.kind === "code")
      return (
        <code key={index} className={cx("rounded bg-raised px-1", look)}>
          {run.text}
        </code>
      );
    return (
      <span key={index} className={look}>
        {run.text}
      </span>
    );
  });
}

function VerdictBadge({ verdict }: { readonly verdict: Verdict }) {
  const { t } = useTranslation();
  return (
    <span
      data-verdict={verdict}
      className={cx(
        "mx-1 inline-flex items-center gap-1 rounded border px-1 text-xs",
        verdict === "partly" ? "border-warn text-warn" : "border-bad text-bad",
      )}
    >
      <TriangleAlert aria-hidden size={12} />
      {t(`verdict.${verdict}`)}
    </span>
  );
}
