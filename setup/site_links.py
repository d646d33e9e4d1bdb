"""A hook of the documentation site: links from the pages to files outside ``docs/``.

The pages are read in the repository as well, where a link such as ``../scenarios/lost_update.yaml``
opens the file. The site has no such files: there the link becomes the file's path, as text. A link
to a file that does not exist is a warning, which ends a strict build.
"""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import Any

_LINK = re.compile(r"(?<!!)\[(?P<text>[^\]]*)\]\((?P<target>(?:\.\./)+[^)#\s]*)(?:#[^)]*)?\)")
_FENCE = re.compile(r"^(```\w+) (?:skip|repository)$", re.MULTILINE)
_ROOT = Path(__file__).resolve().parents[1]
_log = logging.getLogger("mkdocs.hooks.site_links")


def on_page_markdown(markdown: str, page: Any, **_: object) -> str:
    """Called by MkDocs with the text of each page; returns the text that is rendered."""
    source = Path(page.file.abs_src_path)

    def outside(match: re.Match[str]) -> str:
        target = (source.parent / match["target"]).resolve()
        if target.is_relative_to(_ROOT / "docs"):
            return match[0]
        if not target.exists():
            _log.warning("%s: there is no file %s", page.file.src_path, match["target"])
            return match[0]
        path = f"`{target.relative_to(_ROOT)}`"
        text = match["text"]
        return path if text.strip("`") in path else f"{text} ({path})"

    return _FENCE.sub(r"\1", _LINK.sub(outside, markdown))
