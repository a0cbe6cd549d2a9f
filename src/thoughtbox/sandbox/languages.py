"""Which language a snippet is in."""

from thoughtbox.sandbox.protocol import Language


def detected(code: str) -> Language:
    return "javascript" if any(word in code for word in ("const ", "let ", "=>", "{")) else "python"
