"""How large the program is: lines, files, private functions used once, settings, by package.

    python bench/size.py
    python bench/size.py --source OTHER/src/footnote --tests OTHER/tests   # of another checkout

Lines are those of files, blank ones and comments included. A private function (`_name`) is used
once when its file mentions its name once beside the definition.
"""

from __future__ import annotations

import argparse
import ast
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from reporting import finish, show

ROOT = Path(__file__).parent.parent
LONG_FILE, SHORT_FILE = 400, 40


@dataclass(frozen=True, slots=True)
class Module:
    """One Python file and what is counted in it."""

    path: Path
    lines: int
    functions: tuple[int, ...]
    """Lines of each function and method."""
    used_once: int

    @classmethod
    def read(cls, path: Path) -> Module:
        """Parse a file and count."""
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        defined = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        ]
        mentions = Counter(
            node.id if isinstance(node, ast.Name) else node.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Name | ast.Attribute)
        )
        private = [each for each in defined if re.match(r"_[a-z]", each.name)]
        return cls(
            path,
            text.count("\n"),
            tuple((each.end_lineno or each.lineno) - each.lineno + 1 for each in defined),
            sum(mentions[each.name] == 1 for each in private),
        )


def counted(modules: list[Module], sql_lines: int) -> dict[str, float]:
    """The figures of some modules together."""
    lengths = sorted(length for each in modules for length in each.functions)
    return {
        "lines": sum(each.lines for each in modules),
        "sql_lines": sql_lines,
        "files": len(modules),
        "functions": len(lengths),
        "private_functions_used_once": sum(each.used_once for each in modules),
        "p95_function_lines": lengths[int(0.95 * len(lengths))] if lengths else 0,
        "longest_function_lines": lengths[-1] if lengths else 0,
        "files_over_400_lines": sum(each.lines > LONG_FILE for each in modules),
        "files_under_40_lines": sum(each.lines < SHORT_FILE for each in modules),
    }


def figures_of(folder: Path) -> dict[str, float]:
    """The figures of a folder with all below it."""
    modules = [Module.read(path) for path in sorted(folder.rglob("*.py"))]
    return counted(modules, sum(path.read_text().count("\n") for path in folder.rglob("*.sql")))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--source", type=Path, default=ROOT / "src/footnote")
    parser.add_argument("--tests", type=Path, default=ROOT / "tests")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    by_package = {
        each.name: figures_of(each)
        for each in sorted(options.source.iterdir())
        if each.is_dir() and any(each.rglob("*.py"))
    }
    roots = [Module.read(path) for path in sorted(options.source.glob("*.py"))]
    by_package["(modules at the root)"] = counted(roots, 0)
    whole = figures_of(options.source)
    knobs = sum(
        isinstance(each, ast.AnnAssign)
        for path in [*options.source.glob("settings.py"), *options.source.glob("settings/*.py")]
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ClassDef) and node.name.endswith("Settings")
        for each in node.body
    )
    tests = figures_of(options.tests)
    show(
        "By package",
        ["package", "lines", "files", "used once"],
        [
            [name, *(f"{each[key]:,}" for key in ("lines", "files", "private_functions_used_once"))]
            for name, each in sorted(by_package.items(), key=lambda item: -item[1]["lines"])
        ],
    )
    report = {**whole, "settings": knobs, "test_lines": tests["lines"]}
    show("Altogether", ["figure", "now"], [[name, f"{value:,}"] for name, value in report.items()])
    finish({**report, "by_package": by_package}, as_json=options.json)


if __name__ == "__main__":
    main()
