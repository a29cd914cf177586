"""Search results as people read them: passages, the reasons for them, and facets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console, Group, RenderableType
from rich.text import Text

from footnote.domain import (
    BlockKind,
    Evidence,
    FacetCount,
    MetadataValue,
    NearDuplicate,
    Passage,
    SearchResponse,
)
from footnote.interfaces.cli.present import (
    excerpt,
    location_line,
    numbered,
    plain,
    rows,
    table,
)

LOW_CONFIDENCE = 0.3
"""Below it a search says that it may have found nothing to the point."""


def counted(number: int, noun: str, plural: str = "") -> str:
    """So many of something, such as `1 workspace` or `2,000 workspaces`."""
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def show_response(console: Console, response: SearchResponse, *, explain: bool = False) -> None:
    """The passages of a search, with corrections, doubts and facets around them."""
    show_correction(console, response.query, response.corrected_query)
    show_evidence(console, response.evidence, explain=explain)
    if response.evidence and response.confidence < LOW_CONFIDENCE:
        warning = (
            f"Confidence is low ({response.confidence:.2f}): this may be about something else."
        )
        console.print(Text(warning, style="dim"))
    show_facets(console, response.facets)


def show_correction(console: Console, query: str, corrected: str | None) -> None:
    """Say so where something else was searched than what was typed."""
    if corrected is not None:
        message = f"Searched for “{plain(corrected)}” instead of “{plain(query)}”."
        console.print(Text(message, style="dim"))


def show_evidence(console: Console, evidence: Sequence[Evidence], *, explain: bool = False) -> None:
    """Passages, best first: where each stands, what it says, why it is here."""
    if not evidence:
        console.print(Text("Nothing found.", style="yellow"))
    results = numbered()
    for hit in evidence:
        lines = _explanation(hit) if explain else [_reason(hit)]
        results.add_row(
            Text(str(hit.rank), style="bold cyan"),
            Group(_heading(hit), _text(hit.passage), *lines, *_duplicate_lines(hit), Text()),
        )
    console.print(results)


def show_facets(console: Console, facets: Mapping[str, Sequence[FacetCount]]) -> None:
    """For each field its values, the commonest first."""
    for name, counts in facets.items():
        listing = table(plain(name), "#documents")
        for count in counts:
            listing.add_row(excerpt(count.value, 60), str(count.documents))
        listing.show(console)


def _heading(hit: Evidence) -> Text:
    passage = hit.passage
    title = passage.document_title
    location = location_line(
        title,
        passage.heading_path,
        passage.page_start,
        passage.paragraph_start,
        passage.start_seconds,
        last_page=passage.page_end,
    )
    return Text.assemble(
        (plain(passage.document_title), "bold"),
        f" ({_file_of(passage)})",
        (f" › {location}" if location else "", "dim"),
    )


def _file_of(passage: Passage) -> str:
    container = f" in {plain(passage.parent_title)}" if passage.parent_title else ""
    return plain(passage.filename) + container


def _text(passage: Passage) -> Text:
    is_table = passage.kind is BlockKind.TABLE
    return Text(rows(passage.text) if is_table else excerpt(passage.text))


def _reason(hit: Evidence) -> Text:
    reasons = [f"score {hit.score:.4f}"]
    if hit.similarity is not None:
        reasons.append(f"similarity {hit.similarity:.2f}")
    if hit.matched_terms:
        reasons.append("words: " + ", ".join(plain(term) for term in hit.matched_terms))
    if hit.neighbours:
        reasons.append(f"with {len(hit.neighbours)} beside it")
    if doubt := _recognition(hit.passage.kind, hit.passage.confidence):
        reasons.append(doubt)
    return Text(" · ".join([*reasons, hit.passage.chunk_id]), style="dim")


def _recognition(kind: BlockKind, confidence: float | None) -> str:
    """How a text was recognised, and how surely; empty for text that was written as such."""
    if confidence is None:
        return ""
    sense = "heard" if kind is BlockKind.UTTERANCE else "read from pixels"
    return f"{sense}, {confidence:.0%} sure"


def _duplicate_lines(hit: Evidence) -> Iterator[Text]:
    """Passages that say the same, by their documents."""
    for duplicate in hit.near_duplicates:
        yield Text(f"the same in {_duplicate_text(duplicate)}", style="dim")


def _duplicate_text(duplicate: NearDuplicate) -> str:
    page = "" if duplicate.page is None else f", p. {duplicate.page}"
    return f"{plain(duplicate.document_title)}{page} ({duplicate.overlap:.0%} alike)"


def _explanation(hit: Evidence) -> Iterator[RenderableType]:
    """Why it has its rank: in a sentence, and stage by stage."""
    yield Text(plain(hit.why), style="italic")
    if doubt := _recognition(hit.passage.kind, hit.passage.confidence):
        yield Text(doubt, style="dim")
    stages = table("stage", "#rank", "#score", "detail")
    for record in hit.explanation:
        stages.add_row(
            plain(record.stage),
            _change(_rank(record.rank_before), _rank(record.rank_after)),
            _change(_number(record.score_before), _number(record.score_after)),
            ", ".join(f"{plain(name)} {_value(value)}" for name, value in record.detail.items()),
        )
    yield stages
    yield Text(hit.passage.chunk_id, style="dim")


def _change(before: str, after: str) -> str:
    return f"{before} → {after}" if before else after


def _rank(rank: int | None) -> str:
    return "" if rank is None else str(rank)


def _number(score: float | None) -> str:
    return "" if score is None else f"{score:.4f}"


def _value(value: MetadataValue) -> str:
    return _number(value) if isinstance(value, float) else plain(str(value))
