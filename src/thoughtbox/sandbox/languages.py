"""Which language a snippet is in, by what it looks like.

Strings and comments are set aside first; then each sign of a language has its weight. Where both would do, as with
`tb.claim("…")`, it is JavaScript.
"""

from __future__ import annotations

import re
from typing import Final

from thoughtbox.sandbox.protocol import Language

LONGEST = 8_000
"""Characters that are looked at: who writes more has shown the language long before."""

_MOST_TIMES = 3
"""A sign counts at most so often."""

# Compiled when they are first needed: who says what language it is needs none of them.
_APART: Final = r'''
      (?P<triple> (?:"""[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*+""" | \'\'\'[^'\\]*+(?:(?:\\.|'(?!''))[^'\\]*+)*+\'\'\') )
    | (?P<string> "(?:[^"\\\n]|\\.)*+" | '(?:[^'\\\n]|\\.)*+' )
    | (?P<template> `(?:[^`\\]|\\.)*+` )
    | (?P<block> /\*.*?\*/ )
    | (?P<slashes> ^[ \t]*//[^\n]*+ | (?<=[;{},(])[ \t]*//[^\n]*+ | (?<=\s)//[ \t]+[A-Za-z][\w']*[ ,.]+[A-Za-z][^\n]*+ )
    | (?P<regex> (?<=[(=,:!&|?])[ ]*/(?![/*])(?:\\.|\[(?:\\.|[^\]\n\\])*\]|[^/\n\\\[])+/[dgimsuy]* )
    | (?P<hash> (?:^|(?<=[ \t]))\#(?:(?=[ \t!\#]|$)[^\n]*+|[^\n]*+(?<![;{})])$) )
    '''
"""What is set aside. A `#` before a name is a comment too, unless the line ends as a line of JavaScript does."""

_APART_SIGNS = {"triple": ("python", 4), "hash": ("python", 3)} | dict.fromkeys(
    ("template", "block", "slashes", "regex"), ("javascript", 3)
)

_PYTHON = (
    (4, r"^[ \t]*(?:async[ \t]+)?def[ \t]+\w+[ \t]*\("),
    (4, r"^[ \t]*(?:elif\b.*|except\b.*|else|try|finally)[ \t]*:(?![ \t]*[\w\"'{\[]+[ \t]*[,}])"),
    (3, r"^[ \t]*(?:if|for|while|with|class|async[ \t]+for|async[ \t]+with|match)\b[^{}]*:[ \t]*$"),
    (3, r"^[ \t]*(?:if|for|while|with)\b[^({}]*:[ \t]*\S"),
    (4, r"^[ \t]*from[ \t]+[\w.]+[ \t]+import\b|^[ \t]*import[ \t]+[\w., \t]+$"),
    (3, r"\b(?:None|True|False)\b"),
    (2, r"\b(?:and|or)[ \t]+[\w(\[\"'-]|\bnot[ \t]+[\w(]|\bis[ \t]+(?:not\b|None|True|False)"),
    (3, r"\blambda\b[^=;{}]{0,100}:|^[ \t]*(?:raise|pass|assert|global|nonlocal|del)\b(?![ \t]*[=.(])"),
    (4, r"(?<![\w$])[rRbBuUfF]{1,2}(?=\"\")"),
    (3, r"[(,][ \t\n]*[A-Za-z_]\w*=(?![=>])"),
    (1, r"[(,][ \t\n]*[A-Za-z_]\w*[ \t]+=[ \t]"),
    (3, r"\bprint[ \t]*\(|\bself\b"),
    (2, r"(?<![.\w])(?:len|str|int|float|range|sorted|dict|list|set|tuple|isinstance|enumerate|zip|sum|any|all)\("),
    (3, r"\bfor[ \t]+\(?[\w, \t]+\)?[ \t]+in\b"),
    (2, r"[(,][ \t]*\*\*?\w|\[[\w-]*:[\w-]*\]|:=|\w[ \t]*//[ \t]*\w"),
    (4, r"\)[ \t]*->[ \t]*[\w\[\]., |]+:"),
    (2, r"\.(?:append|items|keys|values|strip|startswith|endswith|lower|upper|isoformat|extend)\("),
    (2, r"\bif\b[^:;\n{}]{1,200}\belse\b(?![ \t]*[{:])"),
    (1, r"^[A-Za-z_]\w*(?:[ \t]*,[ \t]*\w+)*[ \t]*[-+*/]?=(?![=>])[^;]*$"),
    (1, r"^[A-Za-z_]\w*[ \t]*:[ \t]*[\w\[\], ]+=[^;]*$"),
)
_JAVASCRIPT = (
    (3, r"\b(?:const|let|var)[ \t]+[\w$\[{]"),
    (3, r"=>|===|!==|\?\.|\?\?|\.\.\.[\w$\[({]"),
    (2, r"&&|\|\||(?<![=!<>])![\w$(!]|\w(?:\+\+|--)(?!\w)|\?(?![.?])"),
    (3, r"\bfunction\b[ \t]*\*?[ \t]*[\w$]*[ \t]*\(|\basync[ \t]*\("),
    (2, r"\bnew[ \t]+[A-Za-z_$]|\b(?:null|undefined|true|false|NaN|typeof|instanceof|void)\b|\bthis\."),
    (3, r"\bconsole\.\w+\(|\b(?:JSON|Object|Math|Promise|Array|Number|String|Date)\.\w"),
    (3, r"\)[ \t]*\{|\belse[ \t]*\{|\btry[ \t]*\{|\bdo[ \t]*\{|\bfinally[ \t]*\{|\bcatch[ \t]*[({]|\bthrow[ \t]"),
    (3, r"\b(?:for|while|switch|if)[ \t]*\([^)]{0,200}\)[ \t]*(?![ \t:]|$)"),
    (3, r"\bclass[ \t]+\w+[^:\n]{0,100}\{|\bextends\b|\bconstructor[ \t]*\("),
    (3, r"\bimport\b[^;\n]{0,200}\bfrom[ \t]*\"|\bexport[ \t]+(?:default|const|function|class)\b"),
    (3, r"[(,][ \t\n]*\{[ \t\n]*[A-Za-z_$][\w$]*[ \t]*[:,}](?![^}]{0,200}\bfor\b)"),
    (2, r"\([ \t\n]*\{"),
    (2, r"\{[ \t\n]*[A-Za-z_$][\w$]*[ \t]*:(?![^}]{0,200}\bfor\b)|[\[{][ \t\n]*\.\.\."),
    (2, r"\.(?:length|push|forEach|map|filter|reduce|includes|slice|toString|then|indexOf|some|every|flatMap)\b"),
    (1, r";[ \t]*$"),
    (1, r"^[ \t]*[})\]]*\}[ \t]*[;)]"),
)
_TYPES = r"(?:string|number|boolean|any|unknown|void|never|object|bigint|null|undefined|[A-Z]\w*|Record|Array|\{)"
_TYPESCRIPT: Final = rf"""
      ^[ \t]*(?:export[ \t]+|declare[ \t]+)*interface[ \t]+\w+
    | ^[ \t]*(?:export[ \t]+|declare[ \t]+)*type[ \t]+\w+[ \t]*(?:<[^=\n]*>)?[ \t]*=
    | ^[ \t]*(?:export[ \t]+|declare[ \t]+|const[ \t]+)*enum[ \t]+\w+
    | \b(?:const|let|var)[ \t]+(?:\w+|\{{[^}}\n]*\}}|\[[^\]\n]*\])[ \t]*!?:[ \t]*[\w$({{\[]
    | [(,][ \t\n]*(?:\.\.\.)?\w+\??[ \t]*:[ \t]*(?:readonly[ \t]+)?{_TYPES}(?!\w*[.(]|[\w.(]*[ \t]*[?:])
      (?=[^{{}}]{{0,300}}\)[ \t]*(?:=>|\{{|:))
    | \)[ \t]*:[ \t]*(?:asserts[ \t]+)?(?:{_TYPES}|\w+[ \t]+is\b)[^\n;?]*(?:=>|\{{)
    | ^(?![ \t]*(?:import|export)\b).*[\w)\]}}\"][ \t]+(?:as|satisfies)[ \t]+(?:const\b|keyof\b|typeof\b|\[|{_TYPES})
    | \b[\w$]+<{_TYPES}[\w$\[\]<>,| \t{{}}:;]*>[ \t]*\(
    | \bfunction[ \t]+\w+[ \t]*<
    | \b(?:private|public|protected|readonly|abstract|override)[ \t]+[\w#]+[ \t]*[(:=?;]
    | ^[ \t]+\#?\w+[!?]?[ \t]*:[ \t]*(?:string|number|boolean|any|unknown)\b(?:\[\])?[ \t]*(?:=[^,\n]*)?;
    | \bimplements[ \t]+\w | \bimport[ \t]+type\b | \bnamespace[ \t]+\w+[ \t]*\{{ | \bkeyof[ \t]+\w
    | [\w)\]]!(?=[.\[)])
    """


def detected(code: str) -> Language:
    """The language that the code is most likely in."""
    scores = {"python": 0, "javascript": 0}

    def set_aside(found: re.Match[str]) -> str:
        kind = found.lastgroup or ""
        if kind in _APART_SIGNS:
            language, weight = _APART_SIGNS[kind]
            scores[language] += weight
        return " " if kind in {"block", "slashes", "hash"} else '""'

    apart = re.compile(_APART, re.VERBOSE | re.DOTALL | re.MULTILINE)
    bare = apart.sub(set_aside, code[:LONGEST].replace("\r\n", "\n"))
    scores["python"] += _weight(bare, _PYTHON)
    scores["javascript"] += _weight(bare, _JAVASCRIPT)
    if scores["python"] > scores["javascript"]:
        return "python"
    has_types = re.compile(_TYPESCRIPT, re.VERBOSE | re.MULTILINE).search(bare) is not None
    return "typescript" if has_types else "javascript"


def _weight(bare: str, signs: tuple[tuple[int, str], ...]) -> int:
    total = 0
    for weight, pattern in signs:
        for times, _ in enumerate(_compiled(pattern).finditer(bare), 1):
            total += weight
            if times == _MOST_TIMES:
                break
    return total


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.MULTILINE)
