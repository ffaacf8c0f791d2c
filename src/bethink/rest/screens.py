"""The look of our few HTML pages: one style sheet, no script, nothing from elsewhere."""

from __future__ import annotations

import base64
import hashlib
from html import escape

from starlette.responses import HTMLResponse

STYLE = """
:root { color-scheme: light dark; --back: #fbfaf8; --card: #fff; --text: #1d2129; --soft: #565c68;
  --line: #dcdad5; --link: #0b57a4; --code: #f1efeb; --good: #1a6b3c; --warn: #8a5300; --bad: #a8201a; }
@media (prefers-color-scheme: dark) { :root { --back: #14161a; --card: #1c1f25; --text: #e7e9ed;
  --soft: #a7aebb; --line: #363b45; --link: #85b8ff; --code: #262a32; --good: #6fd39a; --warn: #f0b45c;
  --bad: #ff8f87; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--back); color: var(--text);
  font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 56rem; margin: 0 auto; padding: 2.5rem 1.25rem 5rem; }
h1 { font-size: 2rem; line-height: 1.2; margin: 0 0 .25rem; letter-spacing: -.01em; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .75rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .4rem; }
p { margin: .5rem 0; max-width: 44rem; }
a { color: var(--link); }
a:focus-visible, summary:focus-visible, pre:focus-visible, button:focus-visible {
  outline: 3px solid var(--link); outline-offset: 2px; }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .875rem; }
code { background: var(--code); border-radius: 4px; padding: .1em .3em; }
pre { background: var(--code); border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1rem;
  overflow-x: auto; margin: .5rem 0 1rem; }
p code { white-space: nowrap; }
pre code { background: none; padding: 0; }
.lead { font-size: 1.125rem; color: var(--soft); }
.soft { color: var(--soft); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: .9rem 1.1rem;
  margin: 1.25rem 0; }
.state { font-weight: 650; }
.ready { color: var(--good); } .degraded { color: var(--warn); } .down { color: var(--bad); }
.card ul { margin: .4rem 0 0; padding-left: 1.2rem; }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .4rem 1.25rem; padding: 0; margin: 1rem 0; }
details { background: var(--card); border: 1px solid var(--line); border-radius: 8px; margin: .5rem 0; }
summary { cursor: pointer; padding: .55rem .9rem; overflow-wrap: anywhere; }
summary .soft { margin-left: .5rem; }
details > div { padding: 0 .9rem .9rem; border-top: 1px solid var(--line); scroll-margin-top: 3.5rem; }
.verb { display: inline-block; min-width: 4.2rem; font-weight: 700; font-size: .8125rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0;
  border-bottom: 1px solid var(--line); }
form { margin: .5rem 0 0; }
button { font: inherit; color: var(--link); background: none; border: 1px solid var(--line);
  border-radius: 6px; padding: .2rem .8rem; cursor: pointer; }
th { font-weight: 600; color: var(--soft); }
"""

_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
_HEADERS = {
    "content-security-policy": f"default-src 'none'; style-src 'sha256-{_HASH}'; img-src data:;"
    " base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
}


def screen(title: str, body: str, *, status: int = 200, forward: str | None = None) -> HTMLResponse:
    """A whole page around a body that is already HTML; it may forward the browser to an address of ours."""
    onwards = f'<meta http-equiv="refresh" content="0;url={escape(forward)}">' if forward else ""
    text = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'{onwards}<title>{escape(title)}</title><link rel="icon" href="data:,">'
        f"<style>{STYLE}</style></head>\n<body><main>\n{body}\n</main></body></html>\n"
    )
    return HTMLResponse(text, status, headers=_HEADERS)
