"""Whatever a file of rules holds, it is a set of rules or an error that names the file."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from constraint_sdc.errors import ConstraintSdcError
from constraint_sdc.languages.loading import read_book
from constraint_sdc.languages.registry import LANGUAGES
from constraint_sdc.languages.schematron_text import schematron_text
from constraint_sdc.languages.subject import RuleSubject
from constraint_sdc.schematron.element import read_element
from tests.draws import draws

ENDINGS = {
    "R validate": ".R",
    "text": ".txt",
    "SQL": ".sql",
    "list": ".csv",
    "JSON Schema": ".json",
    "pandera": ".yaml",
    "VTL": ".vtl",
}
_SOUP = (
    "V1 V2 ( ) [ ] { } , ; : := = == != <> <= >= < > + - * / ^ %% %in% & | ! and or not in is missing if then else IS "
    "NULL NOT CHECK CREATE TABLE ALTER 1 2.5 1e9 'a' \"b\" c( sum( is.na( grepl( '[' var_group( @missing fails --- "
    "rules: expr: rule language define datapoint ruleset variable errorcode between( nvl( isnull( when "
    ":= CASE WHEN END LIKE . .. # \n \t \\ ` $ % \u00e9"
)
WORDS = st.sampled_from(_SOUP.split(" "))


@settings(max_examples=draws(100))
@given(st.sampled_from(sorted(ENDINGS)), st.lists(WORDS, max_size=14).map(" ".join))
@example("R validate", "var_group() > 0")
@example("R validate", "x := x\nx > 0")
@example("R validate", "\\")
@example("text", "V1 in {1..1001}")
@example("SQL", "CASE V1 WHEN 1 THEN 2 END > 0")
@example("SQL", "CASE WHEN V1 > 0 THEN NULL END > 0")
@example("SQL", "V1 > ALL (SELECT 1)")
@example("VTL", "define datapoint ruleset R (variable V1) is V1 V1 end datapoint ruleset;")
@example("JSON Schema", '{"properties": {"V1": {"allOf": [{"$ref": "#/properties/V1"}]}}}')
@example("pandera", "columns: {V1: }")
@example("SQL", "CREATE TABLE t (a INT CHECK (a > 0) NOT ENFORCED)")
def test_rules_or_an_error_that_names_the_file(language: str, text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"rules{ENDINGS[language]}")
        path.write_text(text, encoding="utf-8")
        try:
            book = read_book(path, LANGUAGES[language])
            read_element(schematron_text(book, RuleSubject()).encode("utf-8"), path)
        except ConstraintSdcError as error:
            assert error.file is not None  # noqa: PT017  (an error is one of two good outcomes)
