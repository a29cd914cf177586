"""Fuzzes every target for so many seconds altogether: `python -m tests.fuzz --seconds 30`.

Each round has a seed, which is printed with what it broke: `--seed` repeats it.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Mapping, Sequence

from hypothesis import HealthCheck, given, seed, settings

from tests.fuzz.targets import TARGETS, Target

_EXAMPLES = 150
"""Of one round: a fraction of a second for each target."""


def run_round(target: Target, number: int) -> None:
    """Try so many inputs. Raises what the law raises, at its smallest input."""

    @seed(number)
    @settings(
        max_examples=_EXAMPLES,
        database=None,
        deadline=None,
        print_blob=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(target.inputs)
    def examined(given_input: object) -> None:
        target.law(given_input)

    examined()


def fuzz(targets: Mapping[str, Target], seconds: float, number: int) -> int:
    """Rounds of all targets in turn, at least one; returns the exit code."""
    end, rounds = time.monotonic() + seconds, 0
    while not rounds or time.monotonic() < end:
        for name, target in targets.items():
            try:
                run_round(target, number)
            except Exception as error:  # whatever it is, it should not have been raised
                notes = "\n".join(getattr(error, "__notes__", ()))
                sys.stderr.write(
                    f"{name}, seed {number}: {type(error).__name__}: {error}\n{notes}\n"
                )
                return 1
        number, rounds = number + 1, rounds + 1
    sys.stdout.write(
        f"{rounds} rounds of {_EXAMPLES} inputs for each of {', '.join(targets)}: nothing broke\n"
    )
    return 0


def main(arguments: Sequence[str]) -> int:
    """Parse the arguments and fuzz."""
    options = argparse.ArgumentParser(prog="tests.fuzz", description=__doc__)
    options.add_argument("--seconds", type=float, default=30.0)
    options.add_argument("--seed", type=int, default=None, help="of the first round")
    options.add_argument("--target", choices=sorted(TARGETS), default=None)
    given_options = options.parse_args(arguments)
    number = random.randrange(2**32) if given_options.seed is None else given_options.seed
    chosen = TARGETS if given_options.target is None else {
        given_options.target: TARGETS[given_options.target]
    }  # fmt: skip
    return fuzz(chosen, given_options.seconds, number)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
