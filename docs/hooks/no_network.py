"""The site needs no network: a page that loads a script, style, font or picture from elsewhere stops the build.

A Mermaid diagram counts: the theme would load its library from elsewhere when the page is opened.
"""

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
    found = [f"{path.relative_to(site)} has a Mermaid diagram" for path in diagrams(site)]
    found += [f"{path.relative_to(site)} loads {address}" for path, address in loaded(site)]
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


def diagrams(site: Path) -> list[Path]:
    """Return the pages with a Mermaid diagram."""
    return [path for path in sorted(site.rglob("*.html")) if 'class="mermaid"' in path.read_text("utf-8")]
