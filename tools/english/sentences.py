"""Splits a text into sentences and counts their words.

A text is checked on a masked copy of equal length, so that every place in the copy is the same place in the text. Inline code,
paths and addresses do not count as words. A format placeholder ({}, {name}, %d) counts as one word.
"""
import re

CODE = "\x01"  # replaces one character of code. It is not part of a word, but a sentence may begin with it
MASKED = re.compile(
    r"(?P<code>``.+?``|`[^`]+`"
    r"|https?://\S+"
    r"|(?<![\w/])(?:[\w.@*-]*/)+[\w.@*-]*\w)"  # a path such as docs/models.md or ../shared
    r"|(?P<placeholder>\{\}|\{[\w.:#<>^+-]+\}|%[sdif]\b|%\.\d[efg]\b)", re.DOTALL)
# An abbreviation ends a sentence only if its full stop ends the text.
ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|vs|cf|Fig|Figs|Eq|Eqs|Sec|No|al|approx|resp|ca|St|Dr|Mr|Ms|Prof)|\b[A-Z])\.$")
END = re.compile(r"""[.!?]["')\]”’*_]*(?=\s+["'(\[“‘*_]*(?:[A-Z0-9\x01{]|--?\w))""")
WORD = re.compile(r"\S*[^\W_]\S*")


def masked(text: str) -> str:
    def replaced(match: re.Match) -> str:
        length = len(match[0])
        if match["placeholder"]:
            return "x" * length
        return CODE * length if match["code"][0] == "`" or ":" in match["code"] else path_or_words(match[0])
    return MASKED.sub(replaced, text)


def path_or_words(text: str) -> str:
    """Texts such as `and/or` and `csv/JSON` are words. A path has an extension, two slashes or begins with a dot or a slash."""
    is_path = text.count("/") > 1 or text[0] in "./" or re.search(r"\.\w{1,5}$", text) or text.endswith("/")
    return CODE * len(text) if is_path else text


def sentences(text: str):
    """Yields (begin, masked sentence) for each sentence of a text."""
    mask = masked(text)
    begin = 0
    for end in [m.end() for m in END.finditer(mask) if not ABBREVIATION.search(mask, begin, m.start() + 1)] + [len(mask)]:
        sentence = mask[begin:end]
        stripped = sentence.strip()
        if stripped:
            yield begin + len(sentence) - len(sentence.lstrip()), stripped
        begin = end


def words(sentence: str) -> int:
    """The number of words of a masked sentence."""
    return len(WORD.findall(sentence))


def beginning(text: str, count: int = 8) -> str:
    """The first words of a sentence, which identify it in the list of exceptions."""
    return " ".join(text.split()[:count])
