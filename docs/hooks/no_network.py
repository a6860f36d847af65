"""The site needs no network: a page that loads a script, style, font or picture from elsewhere stops the build."""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError

LOADED = re.compile(
    r"""<(?:script|img|iframe|source|link)\b[^>]*?\b(?:src|href)=["']?((?:https?:)?//[^"'\s>]+)""", re.IGNORECASE
)
IMPORTED = re.compile(r"""(?:@import\s+|url\()["']?((?:https?:)?//[^"')\s]+)""", re.IGNORECASE)


def on_post_build(config: MkDocsConfig) -> None:
    """Look through what was built."""
    site = Path(config.site_dir)
    found = [f"{path.relative_to(site)} loads {address}" for path, address in loaded(site)]
    if found:
        raise PluginError("The site must not load anything from elsewhere: " + "; ".join(found[:10]))


def loaded(site: Path) -> list[tuple[Path, str]]:
    """Return every asset that a page or style sheet loads from elsewhere, with the file that loads it."""
    kinds = ((LOADED, "*.html"), (IMPORTED, "*.html"), (IMPORTED, "*.css"))
    return [
        (path, one)
        for kind, ending in kinds
        for path in sorted(site.rglob(ending))
        for one in kind.findall(path.read_text("utf-8"))
    ]
