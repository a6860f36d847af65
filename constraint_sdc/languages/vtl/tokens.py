"""Cut VTL into tokens that know their place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from constraint_sdc.languages.arithmetic_text.tokens import TextToken
from constraint_sdc.languages.rule_book import Place, UntranslatedPartError

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*(?s:.*?)\*/)
    |(?P<number>[0-9]+(?:\.[0-9]+)?(?![\w.]))
    |(?P<text>"[^"]*")
    |(?P<quoted>'(?:\\'|[^'])+')
    |(?P<name>[A-Za-z_][\w.]*|[0-9][\w.]*[A-Za-z][\w.]*)
    |(?P<sign>:=|<-|<=|>=|<>|\|\||[-+*/=<>(){}\[\],:;\#])
    """,
    re.VERBOSE | re.ASCII,
)
_STATEMENT_WORDS = "define datapoint hierarchical ruleset operator is end variable valuedomain as when then else case"
_CHECK_WORDS = (
    "check check_datapoint check_hierarchy errorcode errorlevel imbalance invalid all all_measures components"
)
_LOGIC_WORDS = "and or xor not in not_in if true false null isnull between nvl match_characters exists_in calc keep"
_FUNCTION_WORDS = (
    "abs ceil floor sqrt exp ln log power mod round trunc random length upper lower trim ltrim rtrim substr replace "
    "instr aggr apply avg cast count current_date eval first lag last lead max median min rank stddev_pop stddev_samp "
    "sum time_agg timeshift var_pop var_samp"
)
_OTHER_WORDS = (
    "attribute boolean by date dataset drop duration filter group having identifier inner_join integer intersect join "
    "measure number order over partition period pivot rename returns rule scalar set setdiff string sub symdiff time "
    "to union unpivot using value"
)
WORDS = frozenset(" ".join((_STATEMENT_WORDS, _CHECK_WORDS, _LOGIC_WORDS, _FUNCTION_WORDS, _OTHER_WORDS)).split())
"""Words of VTL, which is case-sensitive; a variable that is called like one stands in single quotes."""


def vtl_tokens(text: str) -> list[TextToken]:
    """Return the tokens of a file, the last of kind "end"; `<>` is written `!=`."""
    return list(_tokens(text))


def _tokens(text: str) -> Iterator[TextToken]:
    at, line, line_start = 0, 1, 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        place = Place(line, at - line_start + 1)
        if found is None:
            hint = "close it" if text[at] in "\"'/" else "remove it, or put a name with it in single quotes"
            raise UntranslatedPartError(f"{text[at]!r} is not part of VTL", place, hint)
        piece = found.group()
        match found.lastgroup:
            case "text":
                yield TextToken("text", piece[1:-1], place)
            case "quoted":
                yield TextToken("name", piece[1:-1].replace("\\'", "'"), place)
            case "name":
                yield TextToken("word" if piece in WORDS else "name", piece, place)
            case "number":
                yield TextToken("number", piece, place)
            case "sign":
                yield TextToken("sign", "!=" if piece == "<>" else piece, place)
        at = found.end()
        if "\n" in piece:
            line += piece.count("\n")
            line_start = at - (len(piece) - piece.rindex("\n") - 1)
    yield TextToken("end", "", Place(line, at - line_start + 1))
