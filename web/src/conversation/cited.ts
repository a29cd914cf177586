// What answers of this visit say of a place that they cite, whatever became of its document since.
import { queryClient } from "../api/queryClient";
import type { Citation, Message } from "../api/types";
import { type Place, isAt } from "../app/address";
import { running } from "./running";

/** The citation of a place as an answer recorded it. */
export function citationAt(place: Place): Citation | undefined {
  const kept = queryClient
    .getQueriesData<Message[]>({ queryKey: ["messages"] })
    .flatMap(([, messages]) => messages ?? [])
    .flatMap((each) => each.answer?.citations ?? []);
  const made = Object.values(running.get()).flatMap((each) => each.citations);
  return [...kept, ...made].find((each) => isAt(place, each));
}
