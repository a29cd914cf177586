"""Pages and texts with marks in them, by format and name of the file."""

from __future__ import annotations

from tests.ingestion.corpus_texts import texts

HTML = texts(
    rules__html="""
    <!doctype html>
    <html lang="en"><head><title>House rules – Acme</title>
    <style>p { color: red }</style><script>alert("never")</script></head>
    <body><nav><ul><li><a href="/">Home</a></li><li><a href="/faq">Questions</a></li></ul></nav>
    <main><h1>House rules</h1><p>Valid for <b>all</b> floors&nbsp;since 2019.</p>
    <h2>Noise</h2><p>Quiet begins at ten, see the <a href="https://a.example/plan">plan</a>.</p>
    <ul><li>No drums<ul><li>not even small ones</li></ul></li><li>No trumpets</li></ul>
    <h2>Laundry</h2><ol><li>Book a slot.</li><li>Clean the sieve.</li></ol></main>
    <footer>Imprint and cookies</footer></body></html>
    """,
    prices__html="""
    <html><head><title>Prices</title></head><body><h1>Prices</h1>
    <table><caption>Net, in euros</caption>
    <tr><th rowspan="2">Article</th><th colspan="2">Price</th></tr>
    <tr><th>single</th><th>dozen</th></tr>
    <tr><td>Buoy</td><td>1,200</td><td>13,000</td></tr>
    <tr><td>Chain</td><td colspan="2">80</td></tr></table>
    <p>Order with <code>post --now</code>:</p>
    <pre>post --now \\
      --article buoy</pre>
    <blockquote>Never sold one twice. <cite>The yard</cite></blockquote>
    <dl><dt>Buoy</dt><dd>A thing that floats.</dd><dt>Chain</dt><dd>A thing that holds.</dd></dl>
    </body></html>
    """,
    skipping__html="""
    <body><h1>Manual</h1><h3>Deep first</h3><p>Under a level that is missing.</p>
    <h2>Then up</h2>Bare text without a paragraph.<br>And a second line.
    <div><div>Boxed <i>twice</i>.</div></div>
    <p hidden>Not to be seen.</p><h1>Annex</h1>
    <figure><img src="a.png" alt="A lighthouse at dusk"><figcaption>Figure 1: the light</figcaption>
    </figure><p>5 &lt; 6 &amp; 7 &gt; 6.</p></body>
    """,
)

XHTML = texts(
    strict__xhtml="""
    <?xml version="1.0" encoding="utf-8"?>
    <!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd">
    <html xmlns="http://www.w3.org/1999/xhtml" lang="de"><head><title>Regeln</title></head>
    <body><h1>Regeln</h1><p>Stille ab zehn.<br/>Auch sonntags.</p></body></html>
    """,
    table__xhtml="""
    <html xmlns="http://www.w3.org/1999/xhtml"><head><title>Rates</title></head>
    <body><h1>Rates</h1><h2>Cities</h2><table><thead><tr><th>City</th><th>Rate</th></tr></thead>
    <tbody><tr><td>Rome</td><td>110</td></tr><tr><td>Paris</td><td>150</td></tr></tbody></table>
    </body></html>
    """,
    saved_as__xml="""
    <?xml version="1.0"?>
    <!-- saved by a browser -->
    <html xmlns="http://www.w3.org/1999/xhtml"><head><title>Under a wrong name</title></head>
    <body><h1>A page</h1><ul><li>one</li><li>two</li></ul></body></html>
    """,
)

MARKDOWN = texts(
    guide__md="""
    ---
    title: Field guide
    author: Ada
    date: 2024-03-05
    tags: [birds, coast]
    ---
    # Field guide

    Ducks are *found* near [water](https://a.example/water).
    They stay there.

    ## Feeding

    1. Bread is bad.
    2. Peas are good.
       - fresh
       - frozen

    ```python
    def feed(duck):
        return "peas"
    ```

    > A quote of two
    > lines.
    """,
    terms__md="""
    # Terms

    Buoy
    :   floats
        on *water*
    :   is red

    Chain

    :   holds

        for years

    Rope
    Line
    : ties

    The keeper wrote this.
    : no term
    """,
    tables__md="""
    Setext heading
    ==============

    | City | Rate |
    |:-----|-----:|
    | Rome | 110 |
    | Pa\\|ris | 150 |

    Sub heading
    -----------

    Text before a table in HTML.

    <table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>

    - [x] done
    - [ ] open

    ### With `code` and **bold** #

    Last words[^1].

    [^1]: The note.
    """,
    loose__markdown="""
    Text before any heading.

    # One

        indented code
            deeper

    ***

    * loose

    * items

      with a second paragraph

    # One

    The same heading again. ![A chart of sales](chart.png)

    ## Two \\# not three
    Directly below.
    """,
)

RST = texts(
    manual__rst="""
    ======
    Manual
    ======

    :Author: Ada
    :Date: 2024-03-05

    Install
    =======

    Run this::

        pip install buoy
        buoy --help

    Steps
    -----

    #. Open the box.
    #. Read the *paper*, see `the site <https://a.example/s>`_.

    .. note::

       Keep it dry.

    .. a comment
    """,
    tables__rst="""
    Rates
    *****

    +-------+---------------+
    | City  | Price         |
    |       +-------+-------+
    |       | net   | gross |
    +=======+=======+=======+
    | Rome  | 100   | 110   |
    +-------+-------+-------+
    | Paris | none + no tax |
    +-------+---------------+

    =====  =====
    Name   Count
    =====  =====
    Buoy   3
    Chain  12
    =====  =====

    .. list-table:: Sizes
       :header-rows: 1

       * - Size
         - Metres
       * - L
         - 14
    """,
    names__rst="""
    |yard| rules
    ============

    |Yard| is open |hours|. See |lamp| at |place|_ for 5 |euro|; |nothing| else.

    ======  ==========
    Who     What
    ======  ==========
    |yard|  ``|yard|``
    ======  ==========

    .. |yard| replace:: The *Acme*
       yard
    .. |hours| replace:: all day |year|
    .. |year| replace:: in 2024
    .. |lamp| image:: lamp.png
       :alt: the lamp
    .. |place| replace:: the quay
    .. _place: https://a.example
    .. |euro| unicode:: U+20AC .. the sign
    """,
    terms__rst="""
    Terms
    -----

    buoy
        A thing that floats.
    chain
        A thing that holds.

    Nested
    ~~~~~~

    * one

      * inner

    * two

    .. code-block:: python

       x = 1
       if x:
           y = 2

    .. figure:: a.png
       :alt: A lighthouse

       The light at dusk.

    .. unknown:: argument

       What stands in it.
    """,
)

ASCIIDOC = texts(
    guide__adoc="""
    = Field guide
    Ada Lovelace <ada@a.example>
    v1.0, 2024-03-05
    :keywords: birds, coast

    The preamble says little.

    == Ducks

    They swim. See https://a.example/d[the pond].

    * food
    ** peas
    * rest

    .. first
    .. second

    === Drakes

    NOTE: They are loud.

    [WARNING]
    ====
    Do not feed them bread.

    Not even a little.
    ====

    // a comment
    """,
    tables__adoc="""
    = Rates

    .Rates by city
    [cols="1,1",options="header"]
    |===
    |City |Rate

    |Rome
    |110

    2+|none elsewhere
    |===

    [source,python]
    ----
    def rate(city):
        return 110
    ----

    ....
    kept   as it is
    ....
    """,
    terms__asciidoc="""
    == Terms

    Buoy:: A thing that floats.
    Chain:: A thing that holds.

    [quote,The yard]
    ____
    Never sold one twice.
    ____

    .A list with a title
    . one
    . two
    +
    goes on

    ==== Deeper than it should

    Words with a notefootnote:[The note.] in them.

    image::light.png[A lighthouse]
    """,
)

RST_GUIDE = """\
=========
The Guide
=========

:Author: Ada
:Date: 2024-01-02

.. a comment

Introduction
============

Some *emphasised* ``lit*eral*`` text, a `link <http://x.example/a>`_ and :func:`foo`. See [1]_.

.. note::

   Take care.

- one

  continued
- two

  - deep

1. first
#. second

Sub part
--------

+-------+------+
| City  | Rate |
+=======+======+
| Rome  | 110  |
| (all) |      |
+-------+------+

===== =====
A     B
===== =====
1     2
===== =====

.. code-block:: python
   :linenos:

   def f():
       return 1

Like so::

    verbatim *x*

.. include:: /etc/passwd

.. raw:: html

   <b>no</b>

.. math::

   a^2 + b^2

.. list-table:: Of things
   :header-rows: 1

   * - H1
     - H2
   * - x
     - y

term
   its meaning

.. [1] The note.
"""

ASCIIDOC_GUIDE = """\
= The Guide
Ada Byron <ada@x.example>
v1.0, 2024-01-02
:product: Buoy

// a comment
The {product} _floats_ in `water`, see link:https://x.example[the page] and <<end,the end>>.

include::/etc/passwd[]

[[anchor]]
== Steps

.Procedure
. Open it.
+
NOTE: Slowly.
. Close it.
** deep

Buoy:: floats
Chain::
  holds

[source,python]
----
def f():  # not | a table
    return 1
----

.Rates
[cols="1,2",options="header"]
|===
|City |Rate

|Rome
|110
2+|both
|===

////
gone
////

[WARNING]
====
Hot.
====

* last
"""

FILES = {
    "HTML": HTML,
    "XHTML": XHTML,
    "Markdown": MARKDOWN,
    "reStructuredText": {**RST, "guide.rst": RST_GUIDE.encode()},
    "AsciiDoc": {**ASCIIDOC, "the guide.adoc": ASCIIDOC_GUIDE.encode()},
}
