"""Traces and metrics of answers: duration, outcome, and how many statements are supported."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from functools import wraps
from time import perf_counter
from typing import TypeVar, cast

from opentelemetry.trace import Span

from footnote.domain import Answer, AnswerDone, AnswerEvent, TextWritten
from footnote.domain.answers import Verdict
from footnote.engine.services import WorkspaceAccess
from footnote.ports.telemetry import (
    ANSWERS,
    FIRST_TOKEN,
    STATEMENTS,
    WORKSPACE,
    failed,
    open_span,
    within,
)

Stream = TypeVar("Stream", bound=Callable[..., AsyncGenerator[AnswerEvent]])

_OUTCOME = "footnote.outcome"


def measured(*, agent: bool = False) -> Callable[[Stream], Stream]:
    """Decorate a generator of answer events to open a span and measure the answer.

    The duration ends with the answer; later events do not count.
    """
    attributes = {"footnote.answer.agent": agent}

    def measuring(stream: Stream) -> Stream:
        @wraps(stream)
        async def events_measured(
            workspace: WorkspaceAccess, *args: object, **kwargs: object
        ) -> AsyncGenerator[AnswerEvent]:
            # The span is current only while an event is produced: the consumer has its own context.
            span = open_span("answer", {WORKSPACE: str(workspace.workspace_id), **attributes})
            started, ended, first_token_recorded = perf_counter(), 0.0, False
            outcome = "failed"
            try:
                async with aclosing(stream(workspace, *args, **kwargs)) as events:
                    while True:
                        with within(span):  # what is done for the next event belongs to it
                            event = await anext(events, None)
                        if event is None:
                            break
                        if isinstance(event, TextWritten) and not first_token_recorded:
                            first_token_recorded = True
                            FIRST_TOKEN.record(perf_counter() - started, attributes)
                            span.add_event("first token")
                        elif isinstance(event, AnswerDone):
                            ended, outcome = perf_counter(), _outcome_of(event.answer)
                            _record_grounding(span, event.answer)
                        yield event
            except BaseException as error:
                if not isinstance(error, Exception) and outcome == "failed":
                    outcome = "stopped"
                failed(span, error)
                raise
            finally:
                ANSWERS.record(
                    (ended or perf_counter()) - started, {_OUTCOME: outcome, **attributes}
                )
                span.set_attribute(_OUTCOME, outcome)
                span.end()

        return cast("Stream", events_measured)

    return measuring


def _outcome_of(answer: Answer) -> str:
    if not answer.found:
        return "abstained"
    return "repeated" if answer.cached else "answered"


def _record_grounding(span: Span, answer: Answer) -> None:
    """Count the statements by verdict, and record the grounding score as an evaluation.

    The score is the share of the statements that are supported, 0…1.
    """
    if not answer.found or not answer.sentences:
        return
    verdicts = Counter(sentence.verdict for sentence in answer.sentences)
    for verdict, count in verdicts.items():
        STATEMENTS.add(count, {"footnote.verdict": verdict})
    score = verdicts[Verdict.SUPPORTED] / len(answer.sentences)
    span.add_event(
        "gen_ai.evaluation.result",
        {
            "gen_ai.evaluation.name": "grounding",
            "gen_ai.evaluation.score.value": score,
            "gen_ai.evaluation.score.label": "pass" if score == 1 else "fail",
        },
    )
    span.set_attributes(
        {
            "gen_ai.evaluation.name": "grounding",
            "gen_ai.evaluation.score.value": score,
            "footnote.answer.statements": len(answer.sentences),
            "footnote.answer.citations": len(answer.citations),
        }
    )
