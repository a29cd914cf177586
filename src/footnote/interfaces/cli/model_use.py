"""What a language model used in the background, and about what it still will, in a line."""

from __future__ import annotations

from typing import Literal

from footnote.domain.entities import EntityProgress
from footnote.domain.facts import FactProgress
from footnote.domain.summaries import SummaryModelUse
from footnote.domain.usage import ReadingUse
from footnote.interfaces.cli import present
from footnote.interfaces.cli.results import counted

ReadFor = Literal["facts", "entities"]


def show_reading(progress: FactProgress | EntityProgress, findings: str, kind: ReadFor) -> None:
    """Print how far documents are read, what was found in them, and which failed."""
    terminal = present.terminal()
    terminal.print(
        f"{progress.done:,} of {counted(progress.documents, 'document')} read, "
        f"{progress.failed:,} failed; {findings}. {reading_advice(progress, kind)}"
    )
    if progress.model is not None:
        terminal.print(present.plain(_reading_line(progress.model, kind)))
    for failure in progress.failures:
        terminal.print(present.plain(f"{failure.title} ({failure.document_id}): {failure.reason}"))


def reading_advice(progress: FactProgress | EntityProgress, kind: ReadFor) -> str:
    """What has the rest read."""
    if not progress.enabled:
        return f"This workspace extracts none: `footnote config set {kind} rules`."
    if progress.running:
        return "A worker has the rest in hand: `footnote worker`, or a running server."
    if progress.done + progress.failed < progress.documents:
        return f"`footnote {kind} extract` has the rest read."
    return ""


def _reading_line(use: ReadingUse, kind: ReadFor) -> str:
    """What reading documents for facts or for names has used, and about what is to come."""
    to_come = _remaining_use(use)
    if not use.enabled:
        return f"{use.model} would read, too, for {to_come}: {_enabling_command(kind)}."
    noun = "facts" if kind == "facts" else "names"
    return (
        f"{use.model}: {_past_use(use)}, {to_come} to come; {use.left_out:,} {noun} of it stand "
        "nowhere in the text and were left out."
    )


def writing_line(use: SummaryModelUse) -> str:
    """What writing summaries has used, and about what is to come."""
    to_come = _remaining_use(use)
    if not use.enabled:
        return (
            f"{use.model} would write them, too, for {to_come}: {_enabling_command('summaries')}."
        )
    return (
        f"{use.model} wrote {use.done:,}, failed at {use.failed:,}: {_past_use(use)}, {to_come} to "
        f"come; {use.left_out:,} sentences of it are not carried by those that they name and were "
        "left out."
    )


def _past_use(use: ReadingUse | SummaryModelUse) -> str:
    return f"{use.input_tokens + use.output_tokens:,} tokens ({_money(use.cost_usd)}) so far"


def _remaining_use(use: ReadingUse | SummaryModelUse) -> str:
    tokens = use.remaining_input_tokens + use.remaining_output_tokens
    return f"about {tokens:,} tokens ({_money(use.remaining_cost_usd)})"


def _enabling_command(kind: str) -> str:
    return f"`footnote config set {kind} model`"


def _money(cost_usd: float | None) -> str:
    return "price not known" if cost_usd is None else f"${cost_usd:,.2f}"
