"""Checks a built docs site: no page or style sheet loads anything from another host, and every file that a page loads exists.

usage: check_site.py FOLDER
Status 0: no problems; 1: something is loaded from elsewhere or missing.
"""
import html.parser
import pathlib
import re
import sys
import urllib.parse

LOADS = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "video": "src", "audio": "src", "object": "data"}
QUIET = {"canonical", "next", "prev", "alternate"}  # a <link> of these relations loads nothing


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.loads = []  # addresses that the browser loads by itself
        self.styles = []

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "link" and values.get("rel", "") in QUIET:
            return
        if LOADS.get(tag) in values:
            self.loads.append(values[LOADS[tag]] or "")
        if values.get("style"):
            self.styles.append(values["style"])

    def handle_data(self, data):
        if self.lasttag == "style":
            self.styles.append(data)


def in_styles(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    return [match[2] for match in re.finditer(r"""(?:url\(\s*|@import\s+)(["']?)([^"')\s;]+)\1""", text)]


def problems(folder):
    """Returns (file, error) of every address that is on another host or does not exist, and the number of pages."""
    found, pages = [], 0
    for file in sorted(folder.rglob("*")):
        if file.suffix == ".html":
            pages += 1
            page = Page()
            page.feed(file.read_text(encoding="utf-8"))
            addresses = page.loads + [address for style in page.styles for address in in_styles(style)]
        elif file.suffix == ".css":
            addresses = in_styles(file.read_text(encoding="utf-8"))
        else:
            continue
        for address in addresses:
            parts = urllib.parse.urlsplit(address)
            if parts.scheme == "data" or (not parts.netloc and not parts.path):
                continue
            name = file.relative_to(folder).as_posix()
            if parts.scheme or parts.netloc:
                found.append((name, f"loads {address[:80]} from another host"))
            elif file.name != "404.html" and not (file.parent / urllib.parse.unquote(parts.path)).exists():
                found.append((name, f"loads {address[:80]}, which is missing"))
    return found, pages


def main():
    if len(sys.argv) != 2 or not pathlib.Path(sys.argv[1]).is_dir():
        print("error: usage: check_site.py FOLDER", file=sys.stderr)
        return 2
    folder = pathlib.Path(sys.argv[1])
    found, pages = problems(folder)
    for file, what in found:
        print(f"{file}: {what}")
    if not pages:
        print(f"error: {folder} has no pages", file=sys.stderr)
        return 1
    print(f"{folder}: {pages} pages, {len(found)} problems", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
