"""Files of the checkout outside docs/ that pages link to: they join the site, and links to them lead there.

A page is read in two places. In the checkout `../examples/ci/github-actions.yml` is a file beside docs/; on the site
it is `examples/ci/github-actions.yml`. Links are written for the checkout; this hook translates them. A link to a file
that is not taken along stays as it is, and the strict build stops on it.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

TOP = Path(__file__).resolve().parents[2]
DOCS = "docs"
TAKEN = ("examples/**/*", "rules/*.sch", "schemas/*", "CONTRIBUTING.md", "CHANGELOG.md")
LINK = re.compile(r"(?<=\]\()([^)\s#]+)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the files of the checkout that belong to the site."""
    for pattern in TAKEN:
        for path in sorted(TOP.glob(pattern)):
            if path.is_file() and "__pycache__" not in path.parts:
                uri = site_uri(path.relative_to(TOP).as_posix())
                files.append(File.generated(config, uri, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, files: Files, **_: object) -> str:
    """Turn links of the checkout into links of the site."""
    source = page.file.src_uri
    home = posixpath.dirname(checkout_path(source))

    def link(found: re.Match[str]) -> str:
        target = found[1]
        if "://" in target or target.startswith(("mailto:", "/")):
            return target
        uri = site_uri(posixpath.normpath(posixpath.join(home, target)))
        if uri not in files.src_uris:
            return target
        return posixpath.relpath(uri, posixpath.dirname(source) or ".")

    return LINK.sub(link, markdown)


def site_uri(path: str) -> str:
    """Return where the site has a file of the checkout."""
    if path.startswith(f"{DOCS}/"):
        return path.removeprefix(f"{DOCS}/")
    return f"project/{path}" if "/" not in path else path


def checkout_path(uri: str) -> str:
    """Return where the checkout has a page of the site."""
    if (TOP / DOCS / uri).is_file():
        return f"{DOCS}/{uri}"
    return uri.removeprefix("project/")
