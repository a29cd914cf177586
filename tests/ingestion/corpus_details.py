"""Small files with single traits of their formats, by format and name of the file."""

from __future__ import annotations

FILES: dict[str, dict[str, bytes]] = {
    "HTML": {
        "spans.html": (
            b"<table><tr><th rowspan=2>City</th><th "
            b"colspan=2>Rates</th></tr><tr><th>low</th><th>high</th></tr>\n"
            b"<tr><td rowspan='2'>Rome</td><td>1</td><td>2</td></tr><tr><td "
            b"colspan=2>3</td></tr></table>"
        ),
        "links.html": (
            b'<p>See <a href="https://x.example/a">the form</a>, <a href="/b">a '
            b"page of ours</a>,\n"
            b'<a href="javascript:x()">a button</a>, <a href="mailto:a@b.example">Ann</a> and\n'
            b'<a href="https://x.example">https://x.example</a>.</p>\n'
            b'<ul><li><a href="https://x.example/menu">Menu</a></li></ul>'
        ),
        "terms.html": (
            b"<dl><dt>Buoy</dt><dd>It floats.</dd><dt>Chain</dt><dd><p>It "
            b"holds.</p></dd></dl>\n"
            b"<p>So <math><semantics><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><ann"
            b'otation encoding="application/x-tex">a+b</annotation></semantics></mat'
            b"h> and <math><mi>x</mi><mo>=</mo><mn>1</mn></math>.</p>\n"
            b'<ol start="4"><li>four</li></ol>\n'
            b'<aside epub:type="footnote"><p>1 A note.</p></aside><aside>Advertisement</aside>'
        ),
    },
    "Markdown": {
        "yaml.md": (
            b"---\ntitle: 'The rules'\nauthor: Ann\ndate: 2024-01-02\ntags: [a, \"b\"]\n---\n\n"
            b"Words.\n"
        ),
        "yaml lists.md": (
            b"---\ntitle: The rules # yes\nauthors:\n  - Ann\ndate: 2024-01-02\ntags:\n- a\n"
            b"- b\n---\n\nWords.\n"
        ),
        "toml.md": (
            b'+++\ntitle = "The rules"\nauthor = "Ann"\ndate = 2024-01-02\ntags = ["a", "b"]\n'
            b"+++\n\nWords.\n"
        ),
        "formulas.md": (
            b"Let $a_1 * b * c$ be *here*, for $5 and $6.\n\n"
            b"<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>\n\n"
            b"<!-- a\nsecret -->\n\nEnd.\n"
        ),
        "headings.md": b"# A\n\n## B\n\n## C\n\n# D\n",
    },
    "reStructuredText": {
        "levels.rst": b"A\n~~~\n\nB\n***\n\nC\n~~~\n\nd\n",
        "span.rst": (
            b"+---+---+\n| a | b |\n+===+===+\n| both  |\n+---+---+\n| 1 | 2 |\n+---+---+\n"
        ),
    },
    "AsciiDoc": {
        "blocks.adoc": b"== A\n\n....\nraw *x*\n....\n\n.Title\nimage::a.png[A picture]\n",
        "quotes.adoc": b"TIP: Try it.\n\n[quote]\n____\nSaid.\n____\n\n* a\n\n* b\n",
        "columns.adoc": b"[cols=2*]\n|===\n|a |b\n|c\n|d\n|===\n",
        "macros.adoc": b"press kbd:[Ctrl+C].footnote:[Or not.] {unknown} *bold* https://x.example[X]\n",
    },
    "LaTeX": {
        "levels.tex": b"\\chapter{One}\nWords.\n\\paragraph{Deep} More.",
        "formulas.tex": b"A \\[ x^2 \\] b $$y$$ c",
        "listing.tex": b"\\begin{lstlisting}[language=C]\nint a; % b\n\\end{lstlisting}",
        "terms.tex": (
            b"\\begin{description}\\item[Buoy] floats\\item[Chain] holds\\end{description}"
        ),
        "spanning.tex": (
            b"\\begin{tabular}{lrr} & \\multicolumn{2}{c}{Price} \\\\ \\cline{2-3}City & "
            b"net & all \\\\ \\hline \\multirow[t]{2}*{\\textbf{Rome}} & 1 &\\makecell{2 "
            b"\\\\ or 3} \\\\ & 4 & 5\\\\[2pt] \\multicolumn{1}{l}{A \\& B} "
            b"&\\multicolumn{2}{c}{\\multirow{2}{*}{no}}\\\\ C & & \\\\ \\hline\\end{tabular}"
        ),
        "unfinished.tex": b"Words \\frac\\cite.\n\nMore \\href{a}\n\nLast \\textcolor{red}",
        "macros.tex": b"\\unknown{kept \\textit{too}} {\\bf and} \\emph{this}",
    },
    "XML": {
        "leaves.xml": b"<a><b>one</b><b>two</b></a>",
        "attributes.xml": b"<a x='1'>said</a>",
        "sections.xml": (
            b"<doc><sec><head>One</head><p>It "
            b"<i>is</i>.</p></sec><sec><head>Two</head><p>So <i>it</i> was.</p></sec></doc>"
        ),
        "unlike siblings.xml": b"<r><e><k>1</k></e><e><k>2</k><v><w>3</w></v></e></r>",
        "catalog.xml": (
            b'<?xml version="1.0"?><catalog xmlns="urn:x"><title>Stock</title><!-- c -->\n'
            b'<item id="1"><name>Buoy</name><price>1200</price></item>\n'
            b'<item id="2"><name>Chain</name><price>80</price></item>\n'
            b"<note>It <b>floats</b> well</note>\n"
            b"<section><title>Places</title><city "
            b'zip="00100">Rome</city><where><k>v</k></where></section>\n</catalog>'
        ),
    },
}
