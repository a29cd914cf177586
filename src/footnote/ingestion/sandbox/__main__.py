"""Run a module in a process that is confined before the module or any library is imported.

    python -P -m footnote.ingestion.sandbox CONFINEMENT MODULE

The confinement comes as an argument, in JSON, since standard input is the module's.
"""

from __future__ import annotations

import json
import runpy
import sys

from footnote.ingestion.sandbox import UNCONFINED, Confinement, NotConfined, confine


def main() -> None:
    """Confine this process, then run the module as `__main__`."""
    encoded, module = sys.argv[1], sys.argv[2]
    try:
        confine(Confinement(**json.loads(encoded)))
    except NotConfined as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(UNCONFINED)
    del sys.argv[1:]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
