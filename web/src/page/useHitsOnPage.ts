// Where the words that are sought stand on the page that is shown.
import { useQuery } from "@tanstack/react-query";

import { rectanglesQuery } from "../api/queries";
import type { PageWithQuotes } from "../api/types";
import type { Find } from "./find";

export interface Hits {
  readonly found: PageWithQuotes;
  /** Which of its quotes is the one that is shown; -1 for none. */
  readonly current: number;
}

/** As many as the server marks at once. */
const MOST = 50;

export function useHitsOnPage(document: string, page: number, find: Find): Hits | undefined {
  const { hit } = find;
  // Where a format has no pages of its own, only the hit that is shown has been located.
  const here =
    hit?.page === null ? [hit] : find.hits.filter((each) => each.page === page).slice(0, MOST);
  const spans = here.map(({ start, end }) => ({ start, end }));
  const { data } = useQuery({
    ...rectanglesQuery(document, page, spans),
    enabled: find.open && spans.length > 0,
  });
  if (data === undefined || !find.open || spans.length === 0) return undefined;
  return { found: data, current: hit === null ? -1 : here.indexOf(hit) };
}
