"""A hook for mkdocs: files of the repository that the pages link to become pages of the site.

On the pages such links are plain relative ones (`../reference/slrs.py`), which work in the
repository. The site has no repository beside it, so every file that is linked gets a page that
shows it, and the links are turned to that page.
"""

from __future__ import annotations

import re
from pathlib import Path
from posixpath import dirname, join, normpath, relpath
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"\]\((?P<path>[^)\s#:]+)(?P<rest>#[^)\s]*)?\)")
LANGUAGES = {".py": "python", ".json": "json", ".toml": "toml", ".yml": "yaml"}


def linked(markdown: str, page: str) -> dict[str, str]:
    """The repository files that ``page`` (its path in docs/) links to, by the link's text."""
    found: dict[str, str] = {}
    for match in LINK.finditer(markdown):
        path = normpath(join("docs", page, "..", match["path"]))
        inside = path.startswith("docs/") and path.endswith((".md", ".svg", ".png"))
        if not inside and not path.startswith("..") and (ROOT / path).is_file():
            found[match["path"]] = path
    return found


def code_page(path: str) -> str:
    """Where in the site a repository file is shown."""
    return f"code/{path}.md"


def on_files(files: Files, config: Any) -> Files:
    """Add a page for every linked file."""
    pages = [file for file in files if file.src_uri.endswith(".md")]
    paths = {path for page in pages for path in linked(page.content_string, page.src_uri).values()}
    for path in sorted(paths):
        text = (ROOT / path).read_text(encoding="utf-8")
        language = LANGUAGES.get(Path(path).suffix)
        shown = f"# {path}\n\n````{language}\n{text}````\n" if language else text
        files.append(File.generated(config, code_page(path), content=shown))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Turn links to repository files to the pages that show them."""
    del config, files
    source = page.file.src_uri
    targets = linked(markdown, source)

    def turned(match: re.Match[str]) -> str:
        path = targets.get(match["path"])
        if path is None:
            return match[0]
        return f"]({relpath(code_page(path), dirname(source) or '.')}{match['rest'] or ''})"

    return LINK.sub(turned, markdown)
