"""Changes for the docs site, so that the same Markdown is also readable in the repository.

- A link from docs/ to another file of the repository (an example, the changelog) leads to a copy of that file in the site.
- The parts of a list item may be indented by two spaces, which GitHub accepts. Python-Markdown needs four.
- A table is put into a scrolling box, so that a wide table does not make the page wider.
"""
import pathlib
import posixpath
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPIES = "repository"  # the folder of the site with copies of linked files
OUTSIDE = re.compile(r"\]\(\.\./([^)#\s]+)((?:#[^)\s]*)?)\)")
TEXT = {"": ".txt", ".md": ".md.txt", ".h": ".h.txt", ".c": ".c.txt", ".cpp": ".cpp.txt", ".py": ".py.txt", ".sh": ".sh.txt",
        ".yml": ".yml.txt", ".yaml": ".yaml.txt", ".ipynb": ".ipynb.txt", ".toml": ".toml.txt"}


def copied(path: str) -> str:
    """The name of a repository file in the site. Browsers show a `.txt` instead of saving it."""
    stem, ending = posixpath.splitext(path)
    return f"{COPIES}/{stem}{TEXT.get(ending, ending)}"


def listing(folder: pathlib.Path) -> str:
    """Yields every file of a folder, one after the other."""
    parts = [f"==== {path.name}\n{path.read_text()}" for path in sorted(folder.iterdir()) if path.is_file()]
    return "\n".join(parts)


def on_files(files, config):
    from mkdocs.structure.files import File  # imported here, so that tests need no mkdocs

    linked = set()
    for file in list(files):
        if file.src_uri.endswith(".md"):
            linked.update(match[1].rstrip("/") for match in OUTSIDE.finditer(file.content_string))
    for path in sorted(linked):
        source = ROOT / path
        if source.is_dir():
            files.append(File.generated(config, copied(path), content=listing(source)))
        elif source.is_file():
            files.append(File.generated(config, copied(path), content=source.read_bytes()))
        # Otherwise the link is unchanged, and mkdocs warns about it.
    return files


def nested(markdown: str) -> str:
    """Indents the parts of a list item (paragraphs, code, lists) by four spaces. GitHub only needs the width of the marker.

    An item that follows an item of several paragraphs gets an empty line before it, without which it would belong to the last one.
    """
    out, fenced, more, paragraphs = [], False, 0, False
    for line in markdown.split("\n"):
        item = None if fenced else re.match(r"(?:[-*]|\d+\.) +", line)
        if line.lstrip().startswith("```"):
            fenced = not fenced
        if item:
            if paragraphs and out[-1].strip():
                out.append("")
            more, paragraphs = 4 - len(item[0]), False
        elif line.strip() and not line.startswith("  "):
            more = 0
        if more > 0 and not item and line.strip():
            paragraphs = paragraphs or not out[-1].strip()
            line = " " * more + line
        out.append(line)
    return "\n".join(out)


def on_page_markdown(markdown, page, config, files):
    def link(match):
        path = match[1].rstrip("/")
        if not (ROOT / path).exists():
            return match[0]
        return f"]({posixpath.relpath(copied(path), posixpath.dirname(page.file.src_uri) or '.')}{match[2]})"

    return nested(OUTSIDE.sub(link, markdown))


def on_page_content(html, page, config, files):
    html = html.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")
    return html


def without_other_hosts(html, above):
    """Makes search work in pages opened from the disk, with a script of this tree instead of one from another host."""
    return html.replace("https://unpkg.com/iframe-worker/shim", f"{above}assets/file-search.js")


def on_post_page(output, page, config):
    return without_other_hosts(output, page.url.count("/") * "../")


def on_post_template(output, template_name, config):
    return without_other_hosts(output, "")
