"""Help pages that name what a value is in words, and not by the types of the code."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import typer
import typer.main
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

Parameter = TyperArgument | TyperOption

_KINDS = {int: "N", float: "N", str: "TEXT"}
"""What an option without a name for its value shows."""


class PlainTyper(typer.Typer):
    """An application whose help shows `N` and `TEXT` in place of `<int range>` and `<str>`."""

    def __call__(self, *args: object, **kwargs: object) -> object:
        """Run the command line."""
        command = typer.main.get_command(self)
        names = command.context_settings.get("help_option_names")
        for each in _commands(command):
            context = typer.Context(each, help_option_names=names)
            for parameter in each.get_params(context):
                if isinstance(parameter, Parameter):
                    plain = partial(_kind_of, parameter)
                    parameter.display_type = plain  # type: ignore[method-assign]  # no other way in
        return command(*args, **kwargs)


def _commands(command: object) -> Iterator[TyperCommand | TyperGroup]:
    if isinstance(command, TyperCommand | TyperGroup):
        yield command
    if isinstance(command, TyperGroup):
        for each in command.commands.values():
            yield from _commands(each)


def _kind_of(parameter: Parameter, ctx: typer.Context) -> str:  # noqa: ARG001  # as typer calls it
    described = parameter.type_descriptor
    if described.is_choice and described.choices:
        return " | ".join(str(getattr(each, "value", each)) for each in described.choices)
    if isinstance(parameter, TyperArgument) or parameter.is_flag:
        return ""  # its name says it
    return _KINDS.get(described.annotation, "TEXT")
