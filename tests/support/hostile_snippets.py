"""Snippets that mean harm, a few of each kind in every language, and how each of them has to end.

The sandboxes are attacked with hundreds (`tests/sandbox`); these are for servers that have other things to do.
"""

from __future__ import annotations

from typing import NamedTuple


class Attack(NamedTuple):
    name: str
    code: str
    ends: frozenset[str]
    """Limits that it may break, or codes of errors."""


def _attack(name: str, code: str, *ends: str) -> Attack:
    return Attack(name, code, frozenset(ends))


_FAILED = "SNIPPET_FAILED"
_INVALID = "SNIPPET_INVALID"

JAVASCRIPT = (
    _attack("loop", "for (;;) {}", "cpu"),
    _attack("loop after await", "await null; for (;;) {}", "cpu"),
    _attack("catch and loop", "for (;;) { try { for (;;) {} } catch {} }", "cpu"),
    _attack("promises", "const f = () => Promise.resolve().then(f); await f()", "cpu", "memory"),
    _attack("regular expression", "/^(a+)+$/.test('a'.repeat(40) + '!')", "cpu"),
    _attack("big numbers", "let n = 3n; for (;;) n = n * n", "cpu", "memory", _FAILED),
    _attack("strings", "let s = 'x'; for (;;) s += s + 'y'", "cpu", "memory", _FAILED),
    _attack("arrays", "const a = []; for (;;) a.push(new Array(10000).fill(7))", "cpu", "memory"),
    _attack("buffers", "const a = []; for (;;) a.push(new Uint8Array(1 << 22).fill(1))", "cpu", "memory", _FAILED),
    _attack("output", "for (;;) print('x'.repeat(1000))", "output"),
    _attack("large result", "'x'.repeat(200000)", "output"),
    _attack("deep result", "let d = []; for (let i = 0; i < 100000; i++) d = [d]; d", "recursion", "cpu", _FAILED),
    _attack("recursion", "const f = () => f() + 1; f()", "recursion"),
    _attack("calls", "for (;;) tb.ledger.ledger_status({})", "calls", "cpu"),
    _attack("builders", "for (;;) tb.claim('x')", "calls"),
    _attack("caught refusals", "for (;;) { try { tb.no.such({}) } catch {} }", "calls", "cpu"),
    _attack("files", "require('fs').readFileSync('/etc/passwd', 'utf8')", _FAILED),
    _attack("import", "const fs = await import('fs'); fs", _FAILED, _INVALID),
    _attack("network", "fetch('http://127.0.0.1/')", _FAILED),
    _attack("process", "process.exit(1)", _FAILED),
    _attack("constructors", "tb.claim.constructor('return process.env')()", _FAILED),
)
PYTHON = (
    _attack("loop", "while True:\n    pass", "cpu"),
    _attack("catch and loop", "while True:\n    try:\n        1 / 0\n    except Exception:\n        pass", "cpu"),
    _attack("big numbers", "10 ** 10 ** 8", "cpu", "memory"),
    _attack("growing numbers", "n = 3\nwhile True:\n    n = n * n", "cpu", "memory"),
    _attack("strings", "s = 'x'\nwhile True:\n    s = s + s", "cpu", "memory"),
    _attack("lists", "a = []\nwhile True:\n    a.append([7] * 10000)", "cpu", "memory"),
    _attack("output", "while True:\n    print('x' * 1000)", "output"),
    _attack("large result", "'x' * 200000", "output"),
    _attack("deep result", "d = []\nfor i in range(100000):\n    d = [d]\nd", "recursion", "output", "cpu", _FAILED),
    _attack("recursion", "def f():\n    return f() + 1\nf()", "recursion", _FAILED),
    _attack("calls", "while True:\n    tb.ledger.ledger_status()", "calls"),
    _attack("builders", "while True:\n    tb.claim('x')", "calls"),
    _attack("files", "open('/etc/passwd').read()", _FAILED, _INVALID),
    _attack("import", "import os\nos.system('true')", _FAILED, _INVALID),
    _attack("network", "import socket\nsocket.create_connection(('127.0.0.1', 80))", _FAILED, _INVALID),
    _attack("classes", "().__class__.__base__.__subclasses__()", _FAILED, _INVALID),
    _attack("evaluation", "eval('open(\\'/etc/passwd\\')')", _FAILED, _INVALID),
)

ATTACKS: dict[str, tuple[Attack, ...]] = {
    "javascript": JAVASCRIPT,
    "typescript": tuple(attack._replace(code=f"const t: number = 1; {attack.code}") for attack in JAVASCRIPT[::3]),
    "python": PYTHON,
}
