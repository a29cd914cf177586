"""Data, settings and source code, by format and name of the file."""

from __future__ import annotations

import json

from tests.ingestion.corpus_texts import texts

CSV = {
    **texts(
        people__csv="""
        name,city,note
        Ada,Rome,"one, two; three"
        Bob,Paris,"said ""no"" to
        a second line"
        """,
        semicolons__csv="""
        Artikel;Preis;Menge
        Boje;1.200,50;3
        Kette;80,00;12
        """,
    ),
    "report.csv": b"Report of sales,,\nMarch 2024,,\n,,\nCity,Rate,Note\nRome,110,\nParis,150,-\n",
    "gaps.csv": b",\n,price\n\nbuoy,90\nchain,80\n\nrope,7\n\nplace,berths\nquay,4\n",
    "umlauts.csv": "Größe|Maß\nklein|5 €\ngroß|7 €\n".encode("cp1252"),
}

TSV = texts(
    rates__tsv="City\tRate\nRome\t110\nParis\t150\n",
    ragged__tsv="Name\tOne\tTwo\nBuoy\t1\nChain\t2\t3\n",
    quoted__tsv='Key\tText\nk1\t"a ""b"" c"\nk2\tx | y\n',
)


def _json(value: object) -> bytes:
    return json.dumps(value, indent=1, ensure_ascii=False).encode()


JSON = {
    "stock.json": _json(
        {
            "title": "Stock",
            "open": True,
            "tags": ["a", "b"],
            "place": {"city": "Rome", "deep": {"er": {"still": {"more": [1, {"x": 2}]}}}},
            "rows": [
                {"name": "Buoy", "price": {"net": 1200}},
                {"name": "Chain", "price": {"net": 80}},
            ],
        }
    ),
    "list.json": _json(
        [{"city": "Rome", "rate": 110}, {"city": "Zürich", "rate": 150, "vip": None}]
    ),
    "almost.json": b'// settings\n{"a": 1, "b": [1, 2,],}\n',
    "scalars.json": _json(["one", "two", 3.5]),
}

JSON_LINES = texts(
    events__jsonl="""
    {"at": "2024-03-05", "what": "start"}
    {"at": "2024-03-06", "what": "stop", "why": "rain"}
    """,
    broken__jsonl="""
    {"a": 1}
    {broken
    {"a": 2}
    """,
    nested__ndjson="""
    {"user": {"name": "Ada"}, "score": 1}
    {"user": {"name": "Bob"}, "score": 2}
    """,
)


def _notebook(language: str, *cells: dict[str, object]) -> bytes:
    return _json(
        {
            "nbformat": 4,
            "nbformat_minor": 5,
            "metadata": {"kernelspec": {"language": language}},
            "cells": list(cells),
        }
    )


def _code(source: str, *outputs: dict[str, object]) -> dict[str, object]:
    return {"cell_type": "code", "source": source, "outputs": list(outputs)}


NOTEBOOKS = {
    "study.ipynb": _notebook(
        "python",
        {
            "cell_type": "markdown",
            "source": ["# Study\n", "\n", "Of *buoys*.\n", "- one\n", "- two"],
        },
        _code("print(1 + 1)", {"output_type": "stream", "name": "stdout", "text": ["2\n"]}),
    ),
    "table.ipynb": _notebook(
        "python",
        {"cell_type": "markdown", "source": "## Data\n\n| a | b |\n|---|---|\n| 1 | 2 |"},
        _code(
            "frame",
            {
                "output_type": "execute_result",
                "data": {"text/plain": "   a\n0  1", "text/html": "<table></table>"},
            },
        ),
        {"cell_type": "raw", "source": "kept as it is"},
    ),
    "failing.ipynb": _notebook(
        "r",
        _code(
            "stop('no')",
            {"output_type": "error", "ename": "Error", "evalue": "no", "traceback": []},
        ),
        {"cell_type": "markdown", "source": "After the error."},
    ),
}

XML = texts(
    stock__xml="""
    <?xml version="1.0"?>
    <stock open="yes"><title>Stock of the yard</title><city>Rome</city>
    <item><name>Buoy</name><price>1200</price></item>
    <item><name>Chain</name><price>80</price></item></stock>
    """,
    book__xml="""
    <book><chapter><title>One</title><p>Some <em>marked</em> words.</p><p>More.</p></chapter>
    <chapter><title>Two</title><p>The end.</p></chapter></book>
    """,
    torn__xml="""
    <?xml version="1.0"?>
    <settings><a>1</a><b>
    """,
    feed__rss="""
    <?xml version="1.0"?>
    <rss version="2.0"><channel><title>News</title>
    <item><title>First</title><description>It rained.</description></item>
    <item><title>Second</title><description>It stopped.</description></item></channel></rss>
    """,
)

CODE = texts(
    berths__py='''
    """Berths by length."""

    import math


    class Berth:
        """A place for a boat."""

        def fee(self, length: float) -> float:
            return math.ceil(length) * 40


    def find(length):
        return Berth() if length < 12 else None
    ''',
    berths__js="""
    // Berths by length.
    import { ceil } from "./math.js";

    export class Berth {
      fee(length) {
        return ceil(length) * 40;
      }
    }

    function find(length) {
      return length < 12 ? new Berth() : null;
    }
    """,
    berths__rs="""
    //! Berths by length.
    pub struct Berth;

    impl Berth {
        pub fn fee(&self, length: f64) -> f64 {
            length.ceil() * 40.0
        }
    }

    fn main() {
        println!("{}", Berth.fee(11.2));
    }
    """,
    depths__py='''
    """Depths."""

    LEAST = 2


    def fits(boat):
        return boat.depth > LEAST
    class Basin:
        """Where boats lie."""

        note = """
    class Quoted:
        no class at all
    """

        def depth(self):
            return 4


    # --- by hand ---

    def sound(line):
        return len(line)
    if __name__ == "__main__":
        sound("x")
    ''',
    depths__ts="""
    const half = (x: number) => x / 2;
    function fits(boat: Boat): boolean {
      return boat.depth > 2;
    }
    export class Basin {
      depth = "class Quoted {";
    }
    export const sound = (line: string) => {
      return line.replace(/[{"]/g, "");
    };
    module.exports = { Basin };
    """,
    Depths__java="""
    package acme;

    interface Deep {
        int depth();
    }
    /** Where boats lie. */
    public final class Basin
            implements Deep
    {
        public int depth() {
            return 4;
        }
    }
    """,
    depths__go="""
    package depths

    type Metres float64
    func (m Metres) Half() Metres { return m / 2 }
    func Fits(
        boat Metres,
    ) bool {
        return boat > 2
    }
    type Basin struct {
        Depth Metres
    }

    var basins = map[rune]Basin{
        '{': {4},
    }
    """,
    depths__cpp="""
    #include <string>

    namespace acme {
    static bool fits(int depth)
    {
        return depth > 2;
    }
    template <typename Line>
    class Basin : public Place {
    public:
        int depth() const { return 4; }
    };
    }  // namespace acme
    struct Line;
    int main() {
        return 0;
    }
    """,
    depths__sql="""
    create table basin (
      depth int
    );
    insert into basin values (4);

    create function half(depth int) returns int as $$
    begin
      return depth / 2;
    end;
    $$ language plpgsql;
    create procedure sound()
    begin
      if true then select 1; end if;
    end;
    select half(4);
    """,
    berths__sql="""
    -- Berths by length.
    create table berth (id int primary key, length numeric not null);

    select id from berth where length < 12;
    """,
    backup="""
    #!/bin/sh
    # Named like nothing, told by its first line.
    set -eu
    tar czf out.tgz /srv
    """,
)

YAML = texts(
    service__yaml="name: buoy\nports:\n  - 80\n  - 443\n",
    chart__yml="# two documents\nkind: A\n---\nkind: B\nspec:\n  size: 3\n",
    quoted__yaml='text: |\n  two\n  lines\nother: "x: y"\n',
)

TOML = texts(
    project__toml='[project]\nname = "buoy"\n\n[project.urls]\nhome = "https://a.example"\n',
    flat__toml="size = 3\nratio = 0.5 # half\n",
    tables__toml='[[item]]\nname = "Buoy"\n\n[[item]]\nname = "Chain"\n',
)

INI = texts(
    service__ini="[server]\nport = 80\n\n[client]\nretries = 3\n",
    java__properties="a.b.c=1\n# comment\na.b.d=two\n",
    unit__cfg="[metadata]\nname = buoy\nlong =\n    one\n    two\n",
)

CSS = texts(
    page__css="/* page */\nbody { margin: 0; }\n\n@media print {\n  nav { display: none; }\n}\n",
    nested__scss="$red: #f00;\n.a {\n  .b { color: $red; }\n}\n",
    mixed__less="@red: #f00;\n.a { color: @red; }\n",
)

_CODE = {
    "second.py": b'''"""A module."""

import os


@cached
def first(a: int) -> int:
    """Doc."""

    return a


class Second:
    """Short."""

    def inner(self) -> None:
        pass
''',
    "add.c": rb"""#include <stdio.h>

static const int limit = 3;
int declared(int a);

// Adds.
static int add(int a, int b)
{
    return a + b;
}

int main(void) {
    if (add(1, 2)) {
        puts("x");
    }
    return 0;
}
""",
    "a.go": b'package a\n\nimport "fmt"\n\nfunc A() {\n\tfmt.Println()\n}\n\n\n'
    b"func (s *S) B() int {\n\treturn 1\n}\n",
    "a.ts": b"import x from 'x';\n\n\nexport const add = (a, b) => {\n  return a + b;\n};\n\n"
    b"export class C {\n  run() {\n    return 1;\n  }\n}\n",
    "a.sql": b"-- all\nSET x = 1;\n\n\nCREATE TABLE a (\n  b int\n);\n\nCREATE VIEW c AS\n"
    b"SELECT 1\nFROM a;\n",
}

FILES = {
    "CSV": CSV,
    "TSV": TSV,
    "JSON": JSON,
    "JSON by lines": JSON_LINES,
    "Jupyter notebooks": NOTEBOOKS,
    "XML": XML,
    "source code": CODE | _CODE,
    "YAML": YAML,
    "TOML": {
        **TOML,
        "tool.toml": b"x = 1\n\n\n\n[tool.a]\nb = 1\nc = 2\nd = 3\n[tool.e]\nf = 1\n",
    },
    "INI": INI,
    "CSS": CSS,
}
