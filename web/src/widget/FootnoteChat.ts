// The element <footnote-chat>: a panel of questions and cited answers on a page of another site.
import { Problem } from "../api/problem";
import type { Answer, Citation } from "../api/types";
import { answerText, refusal } from "./answer";
import { MAX_CHARACTERS, charactersOf, isTooLong } from "../conversation/length";
import { type Site, type Turn, answerOf } from "./asking";
import { make } from "./dom";
import { type Language, languageOf } from "./messages";
import { STYLES } from "./styles";

/**
 * Attributes: `server` and `key`; `collections` (joined by commas), `heading`, `greeting`,
 * `language`, `theme` (`light`, `dark`, `auto`), and `floating` for a button in the corner that
 * opens the panel. What was said is kept in the page alone, and is gone with it.
 */
export class FootnoteChat extends HTMLElement {
  private readonly log = make("div", { class: "log", role: "log", tabindex: "0" });
  private readonly field = make("textarea", { rows: "2" });
  private readonly told = make("p", { class: "warning told", role: "status", id: "told" });
  private turns: Turn[] = [];
  private asking: AbortController | null = null;
  private language: Language = languageOf([]);

  connectedCallback(): void {
    if (this.shadowRoot !== null) return;
    const page = document.documentElement.lang;
    this.language = languageOf([this.getAttribute("language") ?? page, ...navigator.languages]);
    this.lang = this.language.code;
    this.dir = this.language.direction;
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    if ((this.getAttribute("theme") ?? "auto") === "auto") {
      this.setAttribute("theme", dark ? "dark" : "light");
    }
    const root = this.attachShadow({ mode: "open" });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLES);
    root.adoptedStyleSheets = [sheet];
    this.build(root);
  }

  disconnectedCallback(): void {
    this.asking?.abort();
  }

  private get site(): Site {
    const listed = (this.getAttribute("collections") ?? "").split(",").map((each) => each.trim());
    return {
      server: (this.getAttribute("server") ?? location.origin).replace(/\/+$/, ""),
      key: this.getAttribute("key") ?? "",
      collections: listed.filter((each) => each !== ""),
    };
  }

  private build(root: ShadowRoot): void {
    const { say } = this.language;
    const heading = this.getAttribute("heading") ?? say("title");
    const floating = this.hasAttribute("floating");
    this.log.setAttribute("aria-label", heading);
    this.field.setAttribute("aria-label", say("placeholder"));
    this.field.placeholder = say("placeholder");
    const again = make("button", { type: "button", class: "plain" }, say("again"));
    const send = make("button", { type: "submit", class: "send", part: "send" }, say("send"));
    const form = make("form", {}, this.told, this.field, send);
    this.field.addEventListener("input", () => this.tellLength());
    const header = make("header", { part: "header" }, make("h2", {}, heading), again);
    const panel = make(
      "section",
      { class: "panel", part: "panel", "aria-label": heading },
      header,
      this.log,
      form,
    );
    again.addEventListener("click", () => this.begin());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.asking === null) void this.ask(this.field.value, send);
      else this.asking.abort();
    });
    this.field.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      if (this.asking === null) form.requestSubmit();
    });
    this.begin();
    root.append(panel);
    if (floating) this.float(root, panel, header);
  }

  /** A button that opens the panel; Escape closes it again. */
  private float(root: ShadowRoot, panel: HTMLElement, header: HTMLElement): void {
    const { say } = this.language;
    const open = make(
      "button",
      { type: "button", class: "launcher", part: "launcher", "aria-expanded": "false" },
      this.getAttribute("heading") ?? say("open"),
    );
    const show = (shown: boolean) => {
      panel.hidden = !shown;
      open.hidden = shown;
      open.setAttribute("aria-expanded", String(shown));
      (shown ? this.field : open).focus();
    };
    const close = make("button", { type: "button", class: "plain" }, say("close"));
    close.addEventListener("click", () => show(false));
    open.addEventListener("click", () => show(true));
    panel.addEventListener("keydown", (event) => {
      if (event.key === "Escape") show(false);
    });
    panel.hidden = true;
    header.append(close);
    root.append(open);
  }

  /** Forgets what was said. */
  private begin(): void {
    this.asking?.abort();
    this.turns = [];
    const greeting = this.getAttribute("greeting") ?? this.language.say("checked");
    this.log.replaceChildren(make("p", { class: "muted" }, greeting));
  }

  private async ask(given: string, send: HTMLButtonElement): Promise<void> {
    const question = given.trim();
    if (question === "" || isTooLong(question)) return;
    const { say } = this.language;
    const frame = { site: this.site, language: this.language };
    const controller = new AbortController();
    this.asking = controller;
    this.field.value = "";
    send.textContent = say("stop");
    const reply = make("article", { "aria-label": say("answer") });
    reply.append(make("p", { class: "muted" }, say("searching")));
    const asked = make("article", { class: "question", dir: "auto", "aria-label": say("you") });
    asked.append(question);
    this.log.append(asked, reply);
    this.log.scrollTop = this.log.scrollHeight;
    let text = "";
    const citations: Citation[] = [];
    let answer: Answer | null = null;
    try {
      for await (const step of answerOf(frame.site, question, this.turns, controller.signal)) {
        if (step.kind === "done") answer = step.answer;
        if (step.kind === "text") text += step.text;
        if (step.kind === "citation") citations.push(step.citation);
        // What is read out of the log is the whole answer, once, and not each beginning of it.
        reply.setAttribute("aria-busy", "true");
        if (answer === null) reply.replaceChildren(answerText(frame, text, [], citations));
        this.log.scrollTop = this.log.scrollHeight;
      }
      if (answer === null) throw new TypeError("The answer has no end.");
      const { found, sentences } = answer;
      reply.replaceChildren(
        found
          ? answerText(frame, answer.text, sentences, answer.citations)
          : refusal(frame, answer),
      );
      this.turns.push({ role: "user", text: question }, { role: "assistant", text: answer.text });
    } catch (error) {
      this.tell(error, controller.signal.aborted, question, reply);
    } finally {
      reply.removeAttribute("aria-busy");
      if (this.asking === controller) this.asking = null;
      send.textContent = say("send");
      this.log.scrollTop = this.log.scrollHeight;
    }
  }

  /** Says of a question that is too long by how much it is; nothing of it is cut off. */
  private tellLength(): void {
    const long = isTooLong(this.field.value);
    const length = long ? charactersOf(this.field.value) : 0;
    const over = length - MAX_CHARACTERS;
    const said = long ? this.language.say("tooLong", { length, over, most: MAX_CHARACTERS }) : "";
    if (this.told.textContent !== said) this.told.textContent = said;
    this.field.setAttribute("aria-invalid", String(long));
    this.field.setAttribute("aria-describedby", long ? this.told.id : "");
  }

  /** Says why there is no answer, and gives the question back. */
  private tell(error: unknown, stopped: boolean, question: string, reply: HTMLElement): void {
    const { say } = this.language;
    const reason = error instanceof Problem ? error.message : say("unreachable");
    const said = stopped ? say("stopped") : `${say("failed")} ${reason}`;
    reply.replaceChildren(make("p", { class: "warning", role: "alert" }, said));
    if (this.field.value === "") this.field.value = question;
  }
}
