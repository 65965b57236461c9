"""Finds the texts that people read: docs in Markdown, messages and help in C++ literals, Python strings, the pages' strings and sources.

Each reader yields Text(line, text, prose): `line` is where the text begins, and a line break in `text` is one in the file.
Texts that are not prose, such as the cells of a table, are checked for phrases and not for the length of their sentences.
"""
from __future__ import annotations

import ast
import dataclasses
import json
import re


@dataclasses.dataclass
class Text:
    line: int
    text: str
    prose: bool = True
    place: int = 0  # position of the first literal in the source, for a C++ text


# Markdown

FENCE = re.compile(r"\s*(```|~~~)")
ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")
HEADING = re.compile(r"#{1,6}\s")
REFERENCE = re.compile(r"\s*\[[^\]]+\]:\s")
LINK = re.compile(r"(!?\[)((?:[^\[\]]|\[[^\]]*\])*)(\]\([^()\s]*(?:\s+\"[^\"]*\")?\))")
TAG = re.compile(r"<!--.*?-->|</?[a-zA-Z][^<>]*>", re.DOTALL)


def without_links(text: str) -> str:
    """Replaces links by their words, at the same positions. Links whose text is their path are omitted."""
    def replaced(match: re.Match) -> str:
        return " " * len(match[1]) + match[2] + re.sub(r"[^\n]", " ", match[3])
    text = LINK.sub(replaced, LINK.sub(replaced, text))
    return TAG.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def markdown(source: str):
    block: list[str] = []
    begin = 0
    fence, code, listed, comment = "", False, False, False

    def ended():
        nonlocal block
        text, block = "\n".join(block), []
        if text.strip():
            yield Text(begin, without_links(text))

    for number, line in enumerate(source.split("\n"), 1):
        mark = FENCE.match(line)
        if fence or mark:
            yield from ended()
            if mark and not fence:
                fence = mark[1]
            elif mark and mark[1] == fence:
                fence = ""
            continue
        if comment or line.lstrip().startswith("<!--"):
            comment = "-->" not in line
            continue
        indented = len(line) - len(line.lstrip())
        if not line.strip():
            yield from ended()
            code = True  # an indented line that follows is code
            continue
        if indented >= (6 if listed else 4) and code and not block and not ITEM.match(line):
            continue
        code = False
        if indented == 0 and not ITEM.match(line) and not block:
            listed = False
        if HEADING.match(line) or line.lstrip().startswith("|") or REFERENCE.match(line):
            yield from ended()
            if HEADING.match(line):
                yield Text(number, without_links(line.lstrip("#")))
            elif not REFERENCE.match(line) and not set(line) <= set("|-: "):
                for cell in re.split(r"(?<!\\)\|", re.sub(r"`[^`]*`", lambda code: code[0].replace("|", " "), line)):
                    if cell.strip():
                        yield Text(number, without_links(cell), prose=False)
            continue
        item = ITEM.match(line)
        if item:
            yield from ended()
            listed = True
            line = line[item.end():]
        if not block:
            begin = number
        block.append(re.sub(r"^\s*>\s?", "", line))
    yield from ended()


# C++

# Words and numbers are skipped in runs, for speed, because only punctuation ends an expression. A word that ends like the
# prefix of a literal (L, R, u, U, u8) is examined separately.
TOKEN = re.compile(
    r"""(?P<skip>[\s.&*!~^%|-]*(?:[A-Za-z_]\w*(?<![uUL8R])|\d(?:'?[\w.])*)+|//[^\n]*|/\*.*?\*/|^[ \t]*\#[ \t]*include[^\n]*)
    |(?P<raw>(?:u8|[uUL])?R"(?P<mark>[^()\\\s]*)\((?P<body>.*?)\)(?P=mark)")
    |(?P<string>(?:u8|[uUL])?"(?P<inside>(?:[^"\\\n]|\\.)*)")
    |'(?:[^'\\\n]|\\.)+'|::|->|\w+
    |(?P<other>[-+,;?:<>=(){}\[\]])""",
    re.DOTALL | re.VERBOSE | re.MULTILINE)
LITERAL = re.compile(r'^(?![ \t]*#[ \t]*include)[^"\n]*"', re.MULTILINE)
ESCAPE = re.compile(r"\\(x[0-9a-fA-F]+|u[0-9a-fA-F]{4}|[0-7]{1,3}|.)", re.DOTALL)
ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
# These literals are read by programs: queries, markup, JSON, Python.
CODE = re.compile(r"\s*(?:import \w+[,;]|SELECT|INSERT|CREATE|UPDATE|DELETE|PRAGMA|ALTER|DROP|WITH|FROM|WHERE|JOIN|ORDER BY|VALUES|[<{\[]\"?[a-z]+\"?[ :>]|#!)")
OPEN, CLOSE = "([{", ")]}"
# A C++ source whose texts are options and commands. Other sources have errors, notes and tables.
HELP = re.compile(r"cmd_\w+\.cpp$|(?:^|/)commands\.cpp$|\bdescribe<|\badd_option\(|\badd_flag\(")


def unescaped(literal: str) -> str:
    def replaced(match: re.Match) -> str:
        code = match[1]
        if code[0] in "xu":
            return "x"
        return ESCAPED.get(code, " " if code[0].isdigit() else code)
    return ESCAPE.sub(replaced, literal) if "\\" in literal else literal


def cpp(source: str):
    """Adjacent literals are one text, and so are literals joined by `+`. An expression between them becomes one word, {}."""
    if not LITERAL.search(source):
        return
    tokens = []  # (text or None, raw, the token if it is no literal, place)
    for match in TOKEN.finditer(source):
        kind = match.lastgroup
        if kind == "other":
            tokens.append((None, False, match[0], 0))
        elif kind == "raw":
            tokens.append((match["body"], True, match["mark"], match.start()))
        elif kind == "string":
            tokens.append((unescaped(match["inside"]), False, "", match.start()))
    line_at = 0, 1

    def line_of(place: int) -> int:
        nonlocal line_at
        before, line = line_at if place >= line_at[0] else (0, 1)
        line_at = place, line + source.count("\n", before, place)
        return line_at[1]

    def operand(i: int) -> int:
        """The place after an added expression, which is the next `+` or the end of the whole expression."""
        depth = 0
        while i < len(tokens):
            text, _, what, _ = tokens[i]
            if text is None:
                if what in OPEN:
                    depth += 1
                elif what in CLOSE:
                    depth -= 1
                    if depth < 0:
                        return i
                elif depth == 0 and what in "+,;?:<>=":
                    return i
            i += 1
        return i

    def texts(i: int, end: int):
        while i < end:
            text, raw, what, place = tokens[i]
            if text is None:
                i += 1
                continue
            if raw:
                if what == "":
                    for paragraph in raw_texts(line_of(place), text):
                        yield dataclasses.replace(paragraph, place=place)
                i += 1
                continue
            joined, line, inner = text, line_of(place), []
            i += 1
            while i < end:
                if tokens[i][0] is not None and not tokens[i][1]:
                    joined += tokens[i][0]
                    i += 1
                elif tokens[i][2] == "+" and tokens[i][0] is None and i + 1 < end:
                    i += 1
                    if tokens[i][0] is None:
                        begin, i = i, operand(i)
                        joined += "{}"
                        inner.append((begin, i))
                else:
                    break
            for part in re.split(r"\n", joined):
                if " " in part.strip() and re.search(r"[a-z]{2}", part) and not CODE.match(part):
                    yield Text(line, part, place=place)
            for begin, stop in inner:
                yield from texts(begin, stop)

    yield from texts(0, len(tokens))


def raw_texts(line: int, body: str):
    """The paragraphs of a raw literal, without lines that are commands to type. Code gives no paragraphs."""
    if CODE.match(body):
        return
    block: list[str] = []
    begin = line
    for number, part in enumerate(body.split("\n") + [""], line):
        part = part.strip()
        if not part or part.startswith(("assay ", "#", "$ ")) or not re.search("[a-z]{2} ", part):
            if block:
                yield Text(begin, "\n".join(block))
            block = []
            continue
        if not block:
            begin = number
        block.append(part)


# Python

def python(source: str):
    """Docstrings by paragraph, and every other string of several words. Values in f-strings become {}."""
    tree = ast.parse(source)
    docstrings, parts = set(), set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
                docstrings.add(first.value)
    for node in ast.walk(tree):
        if node in parts:
            continue
        if node in docstrings:
            yield from (Text(node.lineno + text.line - 1, text.text, text.prose) for text in markdown(dedented(node.value)))
            continue
        text = string_of(node)
        if text is not None:
            parts.update(ast.walk(node))
            for part in text.split("\n"):
                if " " in part.strip() and re.search(r"[a-z]{2}", part) and not CODE.match(part):
                    yield Text(node.lineno, part)


def dedented(docstring: str) -> str:
    """Returns a docstring without its indentation and its examples (>>>). A line that begins with a parameter's name is a separate text."""
    docstring = re.sub(r"^ *>>>.*?(?=^\s*$|\Z)", lambda code: "\n" * code[0].count("\n"), docstring, flags=re.MULTILINE | re.DOTALL)
    docstring = re.sub(r"(?<=\n)( *)(?=[\w, ]{1,30}: )", r"\1- ", docstring)
    lines = docstring.split("\n")
    indents = [len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()]
    margin = min(indents, default=0)
    return "\n".join(lines[:1] + [line[margin:] for line in lines[1:]])


def string_of(node) -> str | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = string_of(node.left), string_of(node.right)
        if left is None and right is None:
            return None
        return ("{}" if left is None else left) + ("{}" if right is None else right)
    return None


# The pages

def strings_json(source: str):
    """A flat object of texts, with one text per line."""
    entries = json.loads(source)
    for number, line in enumerate(source.split("\n"), 1):
        match = re.match(r'\s*("(?:[^"\\]|\\.)*")\s*:\s*"', line)
        key = json.loads(match[1]) if match else None
        if isinstance(entries.get(key), str):
            yield Text(number, entries[key])


# A text in double quotes or backquotes, or a comment. A literal is matched first, so that `//` in an address begins no comment.
SCRIPT = re.compile(r'"(?P<text>(?:[^"\\\n]|\\.)*)"|`(?P<template>(?:[^`\\]|\\.)*)`|(?P<comment>//[^\n]*|/\*.*?\*/)', re.DOTALL)
EXPRESSION = re.compile(r"\$?\{[^{}<>;]*\}")
# Text between tags that is not code.
ELEMENT = re.compile(r"(?<=>)[^<>;=&|]*(?=<)")
STATEMENT = re.compile(r"\b(?:const|return|export|function|import|else)\b|\b(?:if|for|while|switch)\s*\(|\w\(|^\s*[)?:,.]")
STYLE = re.compile(r"\b(?:class|d|style|transform|points)=[{(]?$")


def of_words(text: str) -> bool:
    """Whether the text has at least three words, the first of which begins with a letter or a placeholder."""
    return len(re.findall(r"[A-Za-z]{2,}(?![\w$(.-]*[(:])", text)) > 2 and re.search(r"[a-z]{3,} [a-z({]", text) is not None


def script(source: str):
    """Texts in a page's TypeScript, which are text between tags and literals of several words. Expressions become {}."""
    def blank(text: str) -> str:
        return re.sub(r"[^\n]", " ", text)

    found = []

    def literal(match: re.Match) -> str:
        text = match["text"] if match["text"] is not None else match["template"]
        if text is not None and not STYLE.search(source[:match.start()][-20:]):
            while EXPRESSION.search(text):
                text = EXPRESSION.sub("\0", text)
            text = text.replace("\0", "{}")
            if of_words(text) and not re.search(r"[;$<>]|var\(|\d(?:px|rem)\b|[MLhHvVzZ]\{\}", text):
                found.append(Text(source.count("\n", 0, match.start()) + 1, text))
        return blank(match[0])

    plain = SCRIPT.sub(literal, source)
    while EXPRESSION.search(plain):
        plain = EXPRESSION.sub(lambda match: "\0" + "\n" * match[0].count("\n"), plain)
    plain = plain.replace("\0", "{}")
    for match in ELEMENT.finditer(plain):
        text = match[0]
        if of_words(text) and not STATEMENT.search(text):
            begin = match.start() + len(text) - len(text.lstrip())
            found.append(Text(plain.count("\n", 0, begin) + 1, re.sub(r"[ \t]*\n[ \t]*", "\n", text.strip())))
    yield from sorted(found, key=lambda text: text.line)


def is_generated(source: str) -> bool:
    """Whether the top of a file says that it is generated. The texts of such a file are checked in their source."""
    return "do not edit" in source[:400]


# The checked files by kind, with the reader and the patterns.
KINDS = {
    "docs": (markdown, ["*.md", "docs/**/*.md", "examples/**/*.md", "src/**/*.md", "web/*.md", ".github/**/*.md"]),
    "C++": (cpp, ["src/**/*.cpp", "src/**/*.h", "include/**/*.h", "demo/**/*.cpp", "demo/**/*.h"]),
    "Python": (python, ["python/**/*.py"]),
    "pages": (strings_json, ["web/strings/*.json"]),
    "page sources": (script, ["web/src/**/*.tsx", "web/src/**/*.ts"]),
}


def files(root):
    """Yields (kind, path, reader) of every checked file."""
    for kind, (reader, patterns) in KINDS.items():
        for pattern in patterns:
            for path in sorted(root.glob(pattern)):
                if path.is_file():
                    yield kind, path, reader
