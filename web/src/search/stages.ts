// What each stage of a search made of a passage, from a live search and from a kept answer alike.
import type { Evidence, MessageAnswer } from "../api/types";

export interface StagePlace {
  readonly stage: string;
  readonly rank: number;
  readonly score: number;
}

/** A passage on its way through the stages. */
export interface Traced {
  readonly chunk: string;
  readonly rank: number;
  readonly score: number;
  readonly similarity: number | null;
  readonly stages: readonly StagePlace[];
}

export function tracedEvidence(evidence: readonly Evidence[]): readonly Traced[] {
  return evidence.map((each) => ({
    chunk: each.chunk_id,
    rank: each.rank,
    score: each.score,
    similarity: each.similarity,
    stages: each.explanation.map(({ stage, rank_after: rank, score_after: score }) => ({
      stage,
      rank,
      score,
    })),
  }));
}

export function tracedAnswer(evidence: MessageAnswer["evidence"]): readonly Traced[] {
  return evidence.map((each) => ({
    chunk: each.chunk_id,
    rank: each.rank,
    score: each.score,
    similarity: each.similarity,
    stages: each.stages,
  }));
}

/** Every stage that touched a passage, in the order in which they ran. */
export function stagesOf(traced: readonly Traced[]): readonly string[] {
  const names: string[] = [];
  for (const { stages } of traced) {
    let after = -1;
    for (const { stage } of stages) {
      const at = names.indexOf(stage);
      if (at < 0) names.splice(after + 1, 0, stage);
      after = names.indexOf(stage);
    }
  }
  return names;
}

export type Recalled = "both" | "meaning" | "words" | "neither";

/** Which half of the search recalled a passage. */
export function recalledBy({ stages }: Traced): Recalled {
  const dense = stages.some(({ stage }) => stage === "dense");
  const lexical = stages.some(({ stage }) => stage === "lexical");
  if (dense) return lexical ? "both" : "meaning";
  return lexical ? "words" : "neither";
}

/** By how many places a passage stands higher here than in the other list; null if it lacks it. */
export function movement(
  chunk: string,
  rank: number,
  other: readonly { readonly chunk_id: string; readonly rank: number }[],
): number | null {
  const there = other.find((each) => each.chunk_id === chunk);
  return there === undefined ? null : there.rank - rank;
}
