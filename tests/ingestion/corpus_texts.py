"""Papers, plain texts and captions, by format and name of the file."""

from __future__ import annotations

from textwrap import dedent


def texts(**files: str) -> dict[str, bytes]:
    """Files by name; two underscores in a keyword stand for a dot."""
    return {
        name.replace("__", "."): dedent(text).lstrip("\n").encode() for name, text in files.items()
    }


LATEX = texts(
    paper__tex=r"""
    \documentclass{article}
    \usepackage{graphicx} % a comment
    \newcommand{\yard}{the Acme yard}
    \title{On buoys}\author{Ada}\date{March 2024}
    \begin{document}
    \maketitle
    \begin{abstract}What floats, and why.\end{abstract}
    \section{Floating}\label{s:f}
    At \yard{} all \emph{buoys} float\footnote{Nearly all.}, 5\,\% do not.
    \subsection{Proof}
    \begin{itemize}\item air \item steel\begin{enumerate}\item thin\end{enumerate}\end{itemize}
    As $F = \rho g V$, see \href{https://a.example/p}{the proof}.
    \end{document}
    """,
    tables__tex=r"""
    \documentclass{report}
    \begin{document}
    \chapter{Rates}
    \begin{table}\caption{Rates by city}
    \begin{tabular}{l|rr}
    \hline City & \multicolumn{2}{c}{Price} \\ \hline
    Rome & 100 & 110 \\
    Paris & 140 & 150 \\
    \end{tabular}\end{table}
    \section*{Code}
    \begin{verbatim}
    if (x) {
      y & z;
    }
    \end{verbatim}
    \begin{equation} a^2 + b^2 = c^2 \end{equation}
    \end{document}
    """,
    spans__tex=r"""
    \documentclass{article}
    \begin{document}
    \begin{tabular}{lrrr}
    \toprule
    \multirow[t]{2}{*}{City} & \multicolumn{2}{c}{Price} & \multirow{2}{1cm}{Open} \\
    \cmidrule(lr){2-3}
     & net & gross & \\
    \midrule
    \multirow{2}*{\textbf{Rome}} & 100 & \makecell{110 \\ or less} & May \\
     & 120 & 130 & June \\[2pt]
    \multicolumn{1}{|l|}{Oslo \& Bergen} & \multicolumn{2}{c}{\multirow{2}{*}{none}} & July \\
    Paris & \multicolumn{2}{c}{} & \\
    \bottomrule
    \end{tabular}
    \end{document}
    """,
    letter__tex=r"""
    \documentclass{letter}
    \begin{document}
    \part{Sent}
    Stra\ss e, caf\'e, ``quoted'' --- na\"{\i}ve.

    \paragraph{Terms} Paid within 30~days.
    \begin{description}\item[Buoy] floats \item[Chain] holds\end{description}
    \begin{figure}\includegraphics{a.png}\caption{The light}\end{figure}
    \begin{tikzpicture}\draw (0,0) -- (1,1);\end{tikzpicture}
    Last words.
    \end{document}
    """,
)

PLAIN = {
    **texts(
        agreement__txt="""
        RENTAL AGREEMENT

        1. Term

        The agreement runs for two years. It is then exten-
        ded by a year unless one of the two parties to
        the agreement ends it before.

        2. Notice

        Either party may end it:

        - in writing
        - with 90 days' notice

        2.1 Cases without notice

        None.
        """,
        pages__txt="Acme log\n\nThe first page tells of rain.\n\n1\n\fAcme log\n\nThe second of sun.\n\n"  # noqa: E501
        "2\n\fAcme log\n\nThe third of wind.\n\n3\n",
    ),
    "one line.txt": b"Berth 12 is free until Sunday\n",
    "grüße.txt": "Grüße\n\nStraße und Café kosten 5 €. Übermäßig schöne Tage.\n".encode("cp1252"),
    "wide.txt": "Привет\n\nЭто письмо о буях и цепях.\n".encode("utf-16"),
}

CAPTIONS = texts(
    call__vtt="""
    WEBVTT

    NOTE not said

    00:01.500 --> 00:04.000
    <v Ada>Hello.

    00:04.000 --> 00:06.250
    <v Ada>It is me.

    01:02:03.000 --> 01:02:05.000
    <v Bob>Yes.
    """,
    plain__vtt="""
    WEBVTT - with a title

    1
    00:00:00.000 --> 00:00:02.000 align:start
    The winch was

    2
    00:00:02.000 --> 00:00:04.500
    delivered <i>today</i>.
    """,
    long__vtt="""
    WEBVTT
    Kind: captions
    Language: en

    00:10.000 --> 00:12.000
    - Who is there?
    - Nobody.

    12:31.250 --> 12:35.000
    &lt;Then silence&gt;
    """,
)

SUBRIP = texts(
    call__srt="""
    1
    00:00:01,250 --> 00:00:02,750
    Hello.

    2
    00:12:31,000 --> 00:12:33,000
    Bye.
    """,
    lines__srt="""
    1
    00:00:01,000 --> 00:00:03,000
    A caption
    of two lines.

    2
    00:00:03,000 --> 00:00:05,000
    <i>In italics.</i>
    """,
    unnumbered__srt="""
    00:00:01,000 --> 00:00:03,000
    No number.

    00:00:09,000 --> 00:00:11,500
    None here either.
    """,
)

LATEX_PAPER = r"""
\documentclass{article} % a comment
\newcommand{\firm}{Acme Ltd}
\title{On Buoys\thanks{Paid}}
\author{Ada Byron \and Bob}
\date{2024}
\begin{document}
\maketitle
\begin{abstract}
We study \emph{buoys} of \firm.
\end{abstract}
\section{Caf\'e and \"{u}ber}
Bold \textbf{text}, a \cite{knuth84}, $a^2+b^2$ and 50\,\% of \$3.\footnote{A note.}

\subsection*{Lists}
\begin{itemize}
\item one
\item[x] two
\begin{enumerate}
\item deep
\end{enumerate}
\end{itemize}
\begin{table}[h]
\begin{tabular}{|l|r|}
\hline
City & Rate \\ \hline
Rome \& all & 110 \\[2pt]
\multicolumn{2}{c}{both} \\
\end{tabular}
\caption{Rates}\label{t}
\end{table}
\begin{equation}
E = mc^2
\end{equation}
\begin{verbatim}
x % not a comment
  \y
\end{verbatim}
\input{/etc/passwd}
See \href{https://x.example}{the page}.
\begin{tikzpicture}\draw (0,0);\end{tikzpicture}
\begin{thebibliography}{9}
\bibitem{knuth84} Knuth, The book.
\end{thebibliography}
\end{document}
"""

FILES = {
    "LaTeX": {**LATEX, "buoys.tex": LATEX_PAPER.encode()},
    "plain text": PLAIN,
    "WebVTT": CAPTIONS,
    "SubRip": SUBRIP,
}
