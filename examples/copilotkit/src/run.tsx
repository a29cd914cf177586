// Follows the runs of the agent: which message has which footnotes, and what may be asked next.
import { useAgent } from "@copilotkit/react-core/v2";
import { type ReactNode, createContext, useContext, useEffect, useMemo, useState } from "react";

import {
  type Citation,
  type Config,
  citationSchema,
  sourcesSchema,
  suggestionsSchema,
} from "./footnote";

interface Told {
  readonly config: Config;
  /** By message. */
  readonly citations: ReadonlyMap<string, readonly Citation[]>;
  readonly suggestions: readonly string[];
  /** How many passages the answer is taken from; null while none is made. */
  readonly sources: number | null;
}

const TellingContext = createContext<Told | null>(null);

export function useTold(): Told {
  const told = useContext(TellingContext);
  if (told === null) throw new Error("Telling is not around this component");
  return told;
}

interface TellingProps {
  readonly config: Config;
  readonly children: ReactNode;
}

export function Telling({ config, children }: TellingProps) {
  const { agent } = useAgent();
  const [citations, setCitations] = useState<ReadonlyMap<string, readonly Citation[]>>(new Map());
  const [suggestions, setSuggestions] = useState<readonly string[]>([]);
  const [sources, setSources] = useState<number | null>(null);
  useEffect(() => {
    let message = "";
    const { unsubscribe } = agent.subscribe({
      onRunInitialized() {
        setSuggestions([]);
        setSources(null);
      },
      onTextMessageStartEvent({ event }) {
        message = event.messageId;
      },
      onCustomEvent({ event }) {
        if (event.name === "footnote:citation") {
          const citation = citationSchema.parse(event.value);
          const of = message;
          setCitations((all) => new Map(all).set(of, [...(all.get(of) ?? []), citation]));
        } else if (event.name === "footnote:suggestions") {
          const { questions } = suggestionsSchema.parse(event.value);
          setSuggestions(questions.map((each) => each.question));
        } else if (event.name === "footnote:sources") {
          setSources(sourcesSchema.parse(event.value).evidence.length);
        }
      },
    });
    return unsubscribe;
  }, [agent]);
  const told = useMemo(
    () => ({ config, citations, suggestions, sources }),
    [config, citations, suggestions, sources],
  );
  return <TellingContext value={told}>{children}</TellingContext>;
}
