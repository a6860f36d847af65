"""Write the author's expressions into the stylesheet: confined, with variables renamed, in their XPath version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from constraint_sdc.errors import RulesError
from constraint_sdc.judge.stylesheet.access import Confined, Wanted, confine_expression, file_uri
from constraint_sdc.judge.stylesheet.foreign import confine_fragment, template_pieces
from constraint_sdc.judge.stylesheet.sheet import Sheet, SheetPlace, written_attributes
from constraint_sdc.judge.stylesheet.xpath1_numbers import with_xpath1_numbers
from constraint_sdc.schematron.schema import Let, Origin, Parameter, Schema
from constraint_sdc.schematron.xslt import JUDGE
from constraint_sdc.xpath.tokens import rename_variables

ERRORS = "http://www.w3.org/2005/xqt-errors"
# Conventional XPath prefixes; a schema's own <ns> takes precedence.
WELL_KNOWN = {
    "xs": "http://www.w3.org/2001/XMLSchema",
    "fn": "http://www.w3.org/2005/xpath-functions",
    "map": "http://www.w3.org/2005/xpath-functions/map",
    "array": "http://www.w3.org/2005/xpath-functions/array",
    "math": "http://www.w3.org/2005/xpath-functions/math",
}


def given(name: str) -> str:
    """Return the name of the stylesheet parameter that supplies a document for a variable."""
    return ours(f"given-{name}")


def ours(name: str) -> str:
    """Return a name in the judge's namespace, which cannot clash with an author's name."""
    return f"Q{{{JUDGE}}}{name}"


@dataclass(slots=True)
class Author:
    """Writes the author's expressions to a sheet and collects the documents that they name.

    `version` is "1.0" where XPath 1.0 compatibility is required; the instruction with an expression then states it, and
    the instructions around it state "3.0", because `version` is inherited.
    """

    schema: Schema
    sheet: Sheet
    given: frozenset[str]
    wanted: list[Wanted] = field(default_factory=list)
    reads: bool = False

    @property
    def namespaces(self) -> dict[str, str]:
        """The prefixes of expressions: the schema's own, and the conventional ones that it does not declare."""
        return WELL_KNOWN | {prefix: uri for prefix, uri in self.schema.namespaces if prefix}

    @property
    def version(self) -> str | None:
        """The version that an instruction with an author's expression must carry; None when it is inherited."""
        return "1.0" if self.schema.binding == "xslt1" else None

    @property
    def our_version(self) -> str | None:
        """The version that an instruction of ours inside such an instruction must carry."""
        return "3.0" if self.schema.binding == "xslt1" else None

    def expression(self, text: str, origin: Origin, scope: Mapping[str, str]) -> str:
        """Return an expression in its form for the stylesheet."""
        confined = confine_expression(text, origin, self.namespaces)
        self.note(confined)
        renamed = rename_variables(confined.text, scope)
        return with_xpath1_numbers(renamed) if self.schema.is_xpath1 else renamed

    def template(self, text: str, origin: Origin, scope: Mapping[str, str]) -> str:
        """Return an attribute value template in its form for the stylesheet."""
        pieces = template_pieces(text)
        return "".join(self.expression(piece, origin, scope) if inside else piece for inside, piece in pieces)

    def leaf(self, name: str, attribute: str, text: str, place: SheetPlace, scope: Mapping[str, str]) -> None:
        """Write an empty instruction around one expression."""
        self.sheet.leaf(
            name, {attribute: self.expression(text, place.origin, scope)} | self.stated(place.origin), place
        )

    def stated(self, origin: Origin) -> dict[str, str | None]:
        """Return the version and base URI that an instruction around an expression of the author states."""
        base = None if origin.file == self.schema.origin.file else file_uri(origin.file)
        return {"version": self.version, "xml:base": base}

    def variable_of(self, name: str, text: str, place: SheetPlace, scope: Mapping[str, str]) -> None:
        """Write a variable of ours that holds the value of an author's expression."""
        written = {"name": name, "select": self.expression(text, place.origin, scope)}
        self.sheet.leaf("xsl:variable", written | self.stated(place.origin), place)

    def variable(self, let: Let, name: str, scope: Mapping[str, str]) -> None:
        """Write a let as a variable; if a document is given for it from outside, that is its value."""
        place = SheetPlace(f"let '{let.name}'", let.origin)
        if let.name in self.given:
            self.sheet.leaf("xsl:variable", {"name": name, "select": f"${given(let.name)}"}, place)
        elif let.value is not None or not let.content:
            value = "''" if let.value is None or not let.value.strip() else let.value
            written = {"name": name, "select": self.expression(value, let.origin, scope), "as": let.type}
            self.sheet.leaf("xsl:variable", written | self.stated(let.origin), place)
        else:
            content = confine_fragment(let.content, let.origin, self.namespaces)
            self.note(content)
            # No line end may come between the tags and the content: it would be part of the value.
            seen = "".join(f'<xsl:variable name="{shown}" select="${hidden}"/>' for shown, hidden in scope.items())
            head = written_attributes({"name": name, "as": let.type} | self.stated(let.origin))
            before = self.sheet.in_xslt(f"<xsl:variable{head}>{seen}")
            self.sheet.foreign(f"{before}{content.text}{self.sheet.in_xslt('</xsl:variable>')}", place)

    def global_names(self, scope: Mapping[str, str]) -> set[str]:
        """Return the names of the variables that have one value for the whole document."""
        declared = {let.name for let in self.schema.lets} | {entry.name for entry in self.schema.parameters}
        return declared | self.given | scope.keys()

    def note(self, confined: Confined) -> None:
        """Record the documents that a rewritten text asks for."""
        self.wanted += confined.wanted
        self.reads = self.reads or confined.reads


def write_schema_variables(author: Author) -> None:
    """Write the variables of schema and phase under their own names, to which the author's functions and keys refer."""
    for let in author.schema.lets:
        author.variable(let, let.name, {})
    for parameter in author.schema.parameters:
        _check_value(author, parameter)
        let = Let(parameter.name, parameter.value, None, parameter.type, parameter.origin)
        author.variable(let, parameter.name, {})
    declared = {let.name for let in author.schema.lets} | {entry.name for entry in author.schema.parameters}
    for name in sorted(author.given):
        author.sheet.leaf("xsl:param", {"name": given(name)})
        if name not in declared:
            author.sheet.leaf("xsl:variable", {"name": name, "select": f"${given(name)}"})


def _check_value(author: Author, parameter: Parameter) -> None:
    if parameter.value is None and parameter.name not in author.given:
        where = parameter.origin
        raise RulesError(f"param {parameter.name!r} of the schema has no value", file=where.file, line=where.line)


def write_pattern_variables(author: Author, lets: tuple[Let, ...], pattern: int) -> dict[str, str]:
    """Write the variables of a pattern as global ones under our own names, and return the meaning of each name inside.

    They are calculated once, with the root of the judged document as context; match patterns may use them.
    """
    names = {let.name: ours(f"pattern{pattern}-{index}") for index, let in enumerate(lets)}
    for let in lets:
        # Later variables are visible too, as among schema variables.
        author.variable(let, names[let.name], {name: own for name, own in names.items() if name != let.name})
    return names


def write_rule_variables(author: Author, lets: tuple[Let, ...], scope: Mapping[str, str]) -> dict[str, str]:
    """Write the variables of a rule as local ones and return the scope that its assertions see."""
    inner = dict(scope)
    for let in lets:
        author.variable(let, let.name, inner)
        inner.pop(let.name, None)
    return inner
