"""Parameters of several notations, rewritten as ``:name`` or as part of a table's name.

The notations are ``:name``, ``?``, ``${name}``, ``{{ name }}`` and ``IDENTIFIER(...)``. A parameter
in the place of a table's name becomes part of that name.
"""

from __future__ import annotations

import re

from isodelta.exits import BadInput

_TEMPLATE = re.compile(r"\{%|\{#")
_BRACES = re.compile(r"\{\{-?\s*(?P<name>.*?)\s*-?\}\}|\$\{(?P<other>[^}]*)\}", re.DOTALL)
_PLAIN = re.compile(r"[A-Za-z_][\w.\-: ]*")
_COMMENT_OR_TEXT = re.compile(
    r"""(?P<comment>--[^\n]*|/\*.*?\*/)|(?P<text>'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.)*")""",
    re.DOTALL,
)
_IDENTIFIER = re.compile(r"\bIDENTIFIER\s*\(", re.IGNORECASE)
_BEFORE_NAME = re.compile(
    r"(?:\b(?:FROM|INTO|JOIN|TABLE|UPDATE|OVERWRITE|USING|MERGE|OPTIMIZE|VACUUM|EXISTS|USE|SCHEMA|"
    r"CATALOG|DATABASE|VIEW)\s+|[.`\w])$",
    re.IGNORECASE,
)
_AFTER_NAME = re.compile(r"^[`]?\s?[.]|^[\w`]")

JINJA = (
    "the file has Jinja that is more than a name; give the compiled SQL instead: `dbt compile` "
    "puts it in target/compiled, `dbt run` in target/run"
)


def named(text: str, file: str) -> str:
    """The SQL with ``:name`` for every parameter. Raises BadInput for Jinja of other kinds."""
    outside = _COMMENT_OR_TEXT.sub(lambda m: "" if m["comment"] else m[0], text)
    if _TEMPLATE.search(outside):
        raise BadInput(f"{file}: {JINJA}")
    text = _whole_texts(text, file)
    made, end = [], 0
    for match in _BRACES.finditer(text):
        name = _name(match, file)
        before, after = text[: match.start()], text[match.end() :]
        in_name = _BEFORE_NAME.search(before[-40:]) or _AFTER_NAME.match(after[:3])
        made += [text[end : match.start()], name if in_name else f":{name}"]
        end = match.end()
    return _questions(_identifiers("".join([*made, text[end:]])))


def _name(match: re.Match[str], file: str) -> str:
    written = match["name"] if match["name"] is not None else match["other"]
    if not _PLAIN.fullmatch(written):
        raise BadInput(f"{file}: {JINJA} ({' '.join(written.split())[:60]})")
    return re.sub(r"\W+", "_", written).strip("_")


def _whole_texts(text: str, file: str) -> str:
    """Makes a string that contains a parameter a single parameter, and blanks out comments."""

    def replaced(match: re.Match[str]) -> str:
        if match["comment"]:
            return re.sub(r"[^\n]", " ", match[0])
        inner = list(_BRACES.finditer(match[0]))
        if not inner:
            return match[0]
        return ":" + "_".join(_name(part, file) for part in inner)

    return _COMMENT_OR_TEXT.sub(replaced, text)


def _identifiers(text: str) -> str:
    """IDENTIFIER(parts) as a name: the texts as they are, a parameter by its own name."""
    while match := _IDENTIFIER.search(text):
        depth, at = 1, match.end()
        while at < len(text) and depth:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
            at += 1
        inner = text[match.end() : at - 1]
        parts = re.findall(r"'([^']*)'|\"([^\"]*)\"|:?([A-Za-z_]\w*)", inner)
        name = "".join(one or two or three for one, two, three in parts)
        text = f"{text[: match.start()]}{name or 'identifier'}{text[at:]}"
    return text


def _questions(text: str) -> str:
    """``?`` as parameters by their number."""
    count = 0

    def replaced(match: re.Match[str]) -> str:
        nonlocal count
        if match[0] != "?":
            return match[0]
        count += 1
        return f":parameter{count}"

    return re.sub(r"'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`|\?", replaced, text)
