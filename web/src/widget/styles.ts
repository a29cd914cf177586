// How the widget looks. A site changes it by the custom properties, or by `::part(…)`.

export const STYLES = `
:host {
  --accent: var(--footnote-accent, #1c58b3);
  --on-accent: var(--footnote-on-accent, #ffffff);
  --surface: var(--footnote-surface, #ffffff);
  --raised: var(--footnote-raised, #f3f3f0);
  --ink: var(--footnote-ink, #1b1b19);
  --muted: var(--footnote-muted, #57574f);
  --line: var(--footnote-line, #c9c9c2);
  --warn: var(--footnote-warn, #7d4b00);
  --radius: var(--footnote-radius, 0.75rem);
  display: block;
  color-scheme: light;
  color: var(--ink);
  font: 1rem/1.5 var(--footnote-font, system-ui, sans-serif);
}
:host([theme="dark"]) {
  --accent: var(--footnote-accent, #8ab4f8);
  --on-accent: var(--footnote-on-accent, #0d1b33);
  --surface: var(--footnote-surface, #161615);
  --raised: var(--footnote-raised, #242423);
  --ink: var(--footnote-ink, #ececea);
  --muted: var(--footnote-muted, #b0b0a9);
  --line: var(--footnote-line, #4a4a46);
  --warn: var(--footnote-warn, #f0b866);
  color-scheme: dark;
}
:host([floating]) {
  position: fixed;
  inset-block-end: 1rem;
  inset-inline-end: 1rem;
  z-index: 2147483000;
}
* { box-sizing: border-box; }
button, textarea { font: inherit; color: inherit; }
button { cursor: pointer; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
[hidden] { display: none !important; }
.launcher, .send {
  background: var(--accent); color: var(--on-accent);
  border: 1px solid transparent; border-radius: var(--radius); padding: 0.5rem 1rem;
}
.panel {
  display: flex; flex-direction: column;
  background: var(--surface); border: 1px solid var(--line); border-radius: var(--radius);
  block-size: var(--footnote-height, 32rem); max-block-size: calc(100vh - 2rem); overflow: hidden;
}
:host([floating]) .panel {
  inline-size: min(26rem, calc(100vw - 2rem));
  box-shadow: 0 0.5rem 2rem rgb(0 0 0 / 30%);
}
header { display: flex; gap: 0.5rem; align-items: center; padding: 0.5rem 0.75rem; border-block-end: 1px solid var(--line); }
h2 { font-size: 1rem; margin: 0; flex: 1; }
.plain { background: none; border: 1px solid var(--line); border-radius: 0.4rem; padding: 0.1rem 0.5rem; font-size: 0.875rem; }
.log { flex: 1; overflow: auto; padding: 0.75rem; overflow-wrap: anywhere; }
.log > * { margin-block-end: 1rem; }
.question { background: var(--raised); border-radius: var(--radius); padding: 0.4rem 0.75rem; margin-inline-start: 2rem; white-space: pre-wrap; }
.text p, .refusal p { margin: 0 0 0.5rem; white-space: pre-wrap; }
.text ul, .text ol { margin: 0 0 0.5rem; padding-inline-start: 1.5rem; }
table { border-collapse: collapse; display: block; overflow: auto; font-size: 0.875rem; }
th, td { border: 1px solid var(--line); padding: 0.2rem 0.4rem; text-align: start; }
.chip {
  background: var(--raised); color: var(--accent); border: 1px solid var(--accent); border-radius: 0.4rem;
  font-size: 0.75rem; min-inline-size: 1.5rem; min-block-size: 1.5rem; padding: 0 0.3rem; margin-inline: 0.2rem;
}
.card { display: flex; flex-direction: column; gap: 0.35rem; align-items: start; background: var(--raised); border: 1px solid var(--line); border-radius: 0.5rem; padding: 0.6rem; margin-block-end: 0.5rem; font-size: 0.875rem; }
blockquote { margin: 0; padding-inline-start: 0.6rem; border-inline-start: 3px solid var(--accent); white-space: pre-wrap; max-block-size: 12rem; overflow: auto; }
img { max-inline-size: 100%; border: 1px solid var(--line); }
.muted { color: var(--muted); font-size: 0.875rem; }
.warning { color: var(--warn); }
form { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: end; padding: 0.75rem; border-block-start: 1px solid var(--line); }
.told { flex-basis: 100%; margin: 0; font-size: 0.875rem; }
.told:empty { display: none; }
textarea { flex: 1; min-inline-size: 0; resize: none; background: var(--surface); border: 1px solid var(--muted); border-radius: 0.5rem; padding: 0.4rem 0.6rem; }
@media (forced-colors: active) { .chip, .launcher, .send { border-color: ButtonText; } }
`;
