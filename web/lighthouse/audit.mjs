// Audits pages as they are in Chromium: `node audit.mjs < '{"pages": {"name": "http://…"}, …}'`.
// What comes out is one JSON object: the score of each category by page, and what keeps it from 1.
import console from "node:console";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";

import { launch } from "chrome-launcher";
import lighthouse, { generateReport } from "lighthouse";
import desktop from "lighthouse/core/config/desktop-config.js";

const CATEGORIES = ["performance", "accessibility", "best-practices", "seo"];
/** An audit of less takes away from its category. */
const FULL_SCORE = 1;
const MOST_TRIES = 3;
const SOON = {
  pauseAfterFcpMs: 0,
  pauseAfterLoadMs: 0,
  cpuQuietThresholdMs: 0,
  maxWaitForLoad: 25_000,
};

const {
  pages,
  chromium,
  phone = false,
  folder = null,
  wanted = CATEGORIES,
} = JSON.parse(await text(process.stdin));
const chrome = await launch({
  chromePath: chromium,
  chromeFlags: ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage"],
});

/**
 * What Lighthouse says of a page, on its profiles: a desktop with a line of 10 Mbit/s, or a telephone
 * with slow 4G and a fourth of the speed.
 */
async function audited(name, address) {
  let reason = "nothing came of it";
  // On a busy machine Chromium now and then records no beginning of a navigation.
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    console.error(`${name} …`);
    const flags = {
      port: chrome.port,
      onlyCategories: wanted,
      // The one figure that says the same on every machine.
      onlyAudits: wanted.includes("performance") ? undefined : ["cumulative-layout-shift"],
      // Where speed is not asked for, nothing is waited for once a page is there. The stream of
      // events that it holds open would be waited for to the end.
      ...(wanted.includes("performance") ? {} : SOON),
      logLevel: "silent",
      // Reports show it, and no audit looks at it.
      disableFullPageScreenshot: folder === null,
    };
    const run = await lighthouse(address, flags, phone ? undefined : desktop);
    if (run !== undefined && run.lhr.runtimeError === undefined) return run;
    reason = run?.lhr.runtimeError?.message ?? reason;
  }
  throw new Error(`${name}: ${reason}`);
}

const found = {};
try {
  for (const [name, address] of Object.entries(pages)) {
    const run = await audited(name, address);
    const { categories, audits } = run.lhr;
    found[name] = {
      scores: Object.fromEntries(wanted.map((each) => [each, categories[each].score])),
      figures: Object.fromEntries(
        [
          ["first_contentful_paint_ms", "first-contentful-paint"],
          ["largest_contentful_paint_ms", "largest-contentful-paint"],
          ["total_blocking_time_ms", "total-blocking-time"],
          ["cumulative_layout_shift", "cumulative-layout-shift"],
          ["speed_index_ms", "speed-index"],
        ]
          .filter(([, audit]) => audit in audits)
          .map(([figure, audit]) => [figure, audits[audit].numericValue]),
      ),
      shortcomings: Object.values(categories).flatMap(({ id, auditRefs }) =>
        auditRefs
          .filter((each) => each.weight > 0 && (audits[each.id].score ?? FULL_SCORE) < FULL_SCORE)
          .map((each) => `${id}: ${audits[each.id].title} (${audits[each.id].displayValue ?? ""})`),
      ),
    };
    if (folder !== null) {
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, `${name}.html`), generateReport(run.lhr, "html"));
    }
  }
} finally {
  chrome.kill();
}
console.log(JSON.stringify(found));
