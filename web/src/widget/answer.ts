// An answer as elements: its text with a button at each footnote, and the cards that these open.
import type { Answer, Citation } from "../api/types";
import { type Run, blocksOf } from "../conversation/layout";
import { pageOf } from "./asking";
import type { Site } from "./asking";
import { make } from "./dom";
import type { Language } from "./messages";

interface Frame {
  readonly site: Site;
  readonly language: Language;
}

/** The text so far, with those of its footnotes that are known. */
export function answerText(
  frame: Frame,
  text: string,
  sentences: Answer["sentences"],
  citations: readonly Citation[],
): HTMLElement {
  const body = make("div", { class: "text", dir: "auto" });
  const byMarker = new Map(citations.map((each) => [each.marker, each]));
  const runs = (each: readonly Run[], cards: HTMLElement) =>
    each.map((run) => shownRun(frame, run, byMarker, cards));
  for (const block of blocksOf(text, sentences)) {
    // A card opens below the paragraph, list or table that its footnote stands in.
    const cards = make("div", { class: "cards" });
    if (block.kind === "paragraph") body.append(make("p", {}, ...runs(block.runs, cards)));
    if (block.kind === "list") {
      const items = block.items.map((item) => make("li", {}, ...runs(item, cards)));
      body.append(make(block.ordered ? "ol" : "ul", {}, ...items));
    }
    if (block.kind === "table") {
      const row = (cells: readonly (readonly Run[])[], name: "td" | "th") =>
        make("tr", {}, ...cells.map((cell) => make(name, {}, ...runs(cell, cards))));
      const head = block.head.length > 0 ? [make("thead", {}, row(block.head, "th"))] : [];
      const rows = block.rows.map((each) => row(each, "td"));
      body.append(make("table", {}, ...head, make("tbody", {}, ...rows)));
    }
    body.append(cards);
  }
  return body;
}

const NAMES = { strong: "strong", emphasis: "em", code: "code" } as const;

function shownRun(
  frame: Frame,
  run: Run,
  citations: ReadonlyMap<number, Citation>,
  cards: HTMLElement,
): Node {
  if (run.kind === "footnote") {
    const citation = citations.get(run.marker);
    return citation === undefined ? document.createTextNode("") : chip(frame, citation, cards);
  }
  if (run.kind === "verdict") {
    const message = run.verdict === "partly" ? "partly" : "unsupported";
    return make("em", { class: "warning" }, ` ${frame.language.say(message)}`);
  }
  if (run.kind === "text") return document.createTextNode(run.text);
  return make(NAMES[run.kind], {}, run.text);
}

/** The button of a footnote; it opens and closes the card of its source. */
function chip(frame: Frame, citation: Citation, cards: HTMLElement): HTMLElement {
  let card: HTMLElement | null = null;
  const button = make(
    "button",
    {
      type: "button",
      class: "chip",
      part: "chip",
      "aria-expanded": "false",
      "aria-label": frame.language.say("source", {
        marker: citation.marker,
        title: citation.document_title,
      }),
      onclick: () => {
        if (card === null) {
          card = cardOf(frame, citation);
          cards.append(card);
        } else {
          card.remove();
          card = null;
        }
        button.setAttribute("aria-expanded", String(card !== null));
      },
    },
    String(citation.marker),
  );
  return button;
}

function cardOf(frame: Frame, citation: Citation): HTMLElement {
  const { say } = frame.language;
  const place = [
    ...citation.heading_path,
    ...(citation.page == null ? [] : [say("page", { page: citation.page })]),
  ];
  const name = say("source", { marker: citation.marker, title: citation.document_title });
  const card = make(
    "div",
    { class: "card", part: "card", role: "group", tabindex: "-1", "aria-label": name },
    make("strong", { dir: "auto" }, `${citation.marker} · ${citation.document_title}`),
    make("span", { class: "muted", dir: "auto" }, place.join(" › ")),
    make("blockquote", { dir: "auto" }, citation.quote),
  );
  if (citation.page != null) card.append(pageButton(frame, citation));
  return card;
}

function pageButton({ site, language }: Frame, citation: Citation): HTMLElement {
  const { say } = language;
  const show = async () => {
    button.disabled = true;
    try {
      const picture = await pageOf(site, citation);
      if (picture === null) return;
      const places = { page: citation.page ?? "", title: citation.document_title };
      const image = make("img", { alt: say("pageOf", places) });
      const address = URL.createObjectURL(picture);
      image.addEventListener("load", () => URL.revokeObjectURL(address));
      image.src = address;
      button.replaceWith(image);
      // What had the focus is gone.
      image.closest<HTMLElement>(".card")?.focus();
    } catch {
      button.disabled = false;
      button.textContent = `${say("failed")} ${say("retry")}`;
    }
  };
  const button = make(
    "button",
    { type: "button", class: "plain", onclick: () => void show() },
    say("showPage"),
  );
  return button;
}

/** What is said where the documents do not answer: that, and what comes closest. */
export function refusal(frame: Frame, answer: Answer): HTMLElement {
  const { say } = frame.language;
  const body = make("div", { class: "refusal" }, make("p", {}, say("notFound")));
  const { closest } = answer;
  if (closest != null) {
    const text = `${closest.text} [${closest.citation.marker}]`;
    body.append(
      make("p", { class: "muted" }, say("nearest")),
      answerText(frame, text, [], [closest.citation]),
    );
  }
  return body;
}
