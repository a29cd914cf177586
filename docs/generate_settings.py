"""Writes `docs/settings.md` from the settings in the code: `python docs/generate_settings.py`."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, get_args, get_origin

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from footnote.settings import GROUPS, Settings, variables_of

TARGET = Path(__file__).with_name("settings.md")

_INTRODUCTION = """\
# Settings

<!-- Written by docs/generate_settings.py; change src/footnote/settings instead. -->

Each setting is an environment variable, read when a process starts. The options `--host`,
`--port` and `--top-k` win over it, and so do the arguments of `footnote.open()`, where a setting
has its name in lower case and without the prefix: `FOOTNOTE_TOP_K` is `top_k`. A value that cannot
be used ends the command with exit code 2 and a sentence that names the setting.
"""

_HEADING = """
## {}

| variable | default | values | what it does |
|---|---|---|---|
"""

_GROUP = re.compile(r"^    # (.+)\n\n    (\w+): ", re.MULTILINE)
"""The comment before a group of settings, and the first of them."""

_CLOSING = """
`FOOTNOTE_WORKSPACE` and `FOOTNOTE_NO_SERVER` are not settings of the engine but of the command
line: the workspace a command works in when it is given no `--workspace`, and, set to 1, that
commands do not ask a running server. `FOOTNOTE_API_KEY` is the key or token that commands and
`footnote.Client` say who they are with.
"""

_DESCRIBED_DEFAULTS = {"home": "the user's data folder"}
"""Defaults that differ from machine to machine."""


def render() -> str:
    """The page, with one row for each setting in the order and the groups of the code."""
    page = _INTRODUCTION
    for group in GROUPS:
        headings = {first: title for title, first in _GROUP.findall(inspect.getsource(group))}
        for name in group.model_fields:
            if name in headings:
                page += _HEADING.format(headings[name])
            page += _row(name, Settings.model_fields[name])
    return page + _CLOSING


def _row(name: str, setting: FieldInfo) -> str:
    cells = (
        " or ".join(f"`{variable}`" for variable in variables_of(name)),
        _default(name, setting),
        ", ".join(_values(setting)),
        setting.description or "",
    )
    return "| " + " | ".join(cells) + " |\n"


def _default(name: str, setting: FieldInfo) -> str:
    if name in _DESCRIBED_DEFAULTS:
        return _DESCRIBED_DEFAULTS[name]
    default = setting.get_default(call_default_factory=True)
    return "unset" if default is None else f"`{default}`"


def _values(setting: FieldInfo) -> Iterator[str]:
    if get_origin(setting.annotation) is Literal:
        yield from (f"`{value}`" for value in get_args(setting.annotation))
        return
    kinds = [
        get_args(kind)[0] if get_origin(kind) is Annotated else kind
        for kind in get_args(setting.annotation) or (setting.annotation,)
    ]
    names = {int: "integer", float: "number", str: "text", Path: "path", SecretStr: "text"}
    names[bool] = "`true`, `false`"
    yield from (names[kind] for kind in kinds if kind in names)
    for bound, word in (("gt", "above"), ("ge", "from"), ("le", "to")):
        for rule in setting.metadata:
            if hasattr(rule, bound):
                yield f"{word} {getattr(rule, bound)}"


if __name__ == "__main__":
    TARGET.write_text(render(), encoding="utf-8")
