"""How quickly the web app reacts in a conversation of many messages.

Asks the same question over and over in a new conversation of a running server, opens it in
Chromium, and times what a reader does, each from the event to the second frame after it.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import time

import httpx
from playwright.sync_api import Page, sync_playwright

ACTIONS = {
    "open a footnote": "[...document.querySelectorAll('button[data-marker]')].at(-1 - n)",
    "edit a question": "[...document.querySelectorAll('article + div button')].at(-1 - n)",
    "show earlier messages": "[...document.querySelectorAll('#main button')]"
    ".find((each) => each.textContent.startsWith('Show earlier'))",
}
"""For each action the button that is clicked for the time n."""
TIMED = """(n) => new Promise((resolve) => {{
  const button = {button};
  const begun = performance.now();
  button.click();
  requestAnimationFrame(() => requestAnimationFrame(() => resolve(performance.now() - begun)));
}})"""


def conversation_of(address: str, question: str, messages: int) -> str:
    """A new conversation with so many messages."""
    with httpx.Client(base_url=address, timeout=120) as http:
        talk = str(http.post("/v1/conversations", json={}).json()["conversation_id"])
        for _ in range(messages // 2):
            asked = http.post(f"/v1/conversations/{talk}/messages", json={"question": question})
            asked.raise_for_status()
    return talk


def measured(page: Page, repeats: int) -> dict[str, list[float]]:
    """Milliseconds of each action."""
    return {
        name: [float(page.evaluate(TIMED.format(button=button), n)) for n in range(repeats)]
        for name, button in ACTIONS.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--address", default="http://127.0.0.1:8080")
    parser.add_argument("--question", default="How soon must a claim be reported?")
    parser.add_argument("--messages", type=int, default=1000)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--json", action="store_true", help="print a JSON object last")
    asked = parser.parse_args()
    talk = conversation_of(asked.address, asked.question, asked.messages)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page()
        begun = time.perf_counter()
        page.goto(f"{asked.address}/conversations/{talk}")
        page.wait_for_selector("button[data-marker]")
        opened = (time.perf_counter() - begun) * 1000
        found = {"open the conversation": [opened], **measured(page, asked.repeats)}
        browser.close()
    for name, times in found.items():
        print(f"{name:<24} median {statistics.median(times):6.0f} ms  most {max(times):6.0f} ms")
    if asked.json:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
