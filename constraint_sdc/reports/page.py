"""A self-contained HTML page from a template and its style sheet."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from constraint_sdc import __version__
from constraint_sdc.reports.terminal import legible

if TYPE_CHECKING:
    from jinja2 import Template

_TEMPLATES = Path(__file__).with_name("templates")


def render_page(name: str, content: dict[str, object]) -> str:
    """Return the page `name`, whose content security policy allows its own style sheet and nothing else."""
    from markupsafe import Markup

    style = (_TEMPLATES / f"{name}.css").read_text("utf-8")
    page = _template(name).render(
        style=Markup(style),  # our own file; it must reach the page byte for byte, or its hash does not fit
        style_hash=b64encode(sha256(style.encode()).digest()).decode(),
        version=__version__,
        **content,
    )
    return legible(page)


@cache
def _template(name: str) -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # heavy; other formats do without it

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template(f"{name}.html.j2")
