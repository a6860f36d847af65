"""Read SQL with sqlglot: the constraints of CREATE TABLE and ALTER TABLE, and expressions that stand alone."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, SqlglotError

from constraint_sdc.languages.rule_book import Place, UntranslatedPartError

_WITHOUT_RULE = (
    exp.DefaultColumnConstraint,
    exp.CommentColumnConstraint,
    exp.CollateColumnConstraint,
    exp.AutoIncrementColumnConstraint,
    exp.CharacterSetColumnConstraint,
)
_HINT = "rules are CREATE TABLE, ALTER TABLE ... ADD CONSTRAINT ... CHECK, or expressions such as a + b = c;"


@dataclass(frozen=True, slots=True)
class SqlCheck:
    """A condition that every record satisfies: an expression, or columns that are filled or unique."""

    name: str
    place: Place
    text: str
    condition: exp.Expr | None = None
    unique: tuple[str, ...] = ()
    filled: tuple[str, ...] = ()


@dataclass(slots=True)
class SqlFile:
    """The checks of a file in order, the type of every declared column, and the tables that are named."""

    checks: list[SqlCheck] = field(default_factory=list)
    types: dict[str, exp.DataType] = field(default_factory=dict)
    tables: dict[str, Place] = field(default_factory=dict)


_MISSING = re.compile(r"Required keyword: '\w+' missing for <class '[\w.]+'>")


def read_sql(text: str) -> SqlFile:
    """Return the constraints of SQL text; a statement that is none of them is refused."""
    try:
        with _quiet():
            statements = [one for one in sqlglot.parse(text) if one is not None]
    except ParseError as error:
        first = error.errors[0] if error.errors else {}
        place = Place(int(first.get("line") or 1), int(first.get("col") or 1))
        what = _MISSING.sub("an operand is missing", str(first.get("description") or error).rstrip("."))
        raise UntranslatedPartError(f"not SQL: {what}", place, _HINT) from None
    except SqlglotError as error:
        raise UntranslatedPartError(f"not SQL: {str(error).splitlines()[0]}", Place(1), _HINT) from None
    found = SqlFile()
    for statement in statements:
        _read_statement(statement, found)
    if len(found.tables) > 1:
        names = ", ".join(found.tables)
        place = list(found.tables.values())[1]
        raise UntranslatedPartError(f"rules of several tables: {names}", place, "write a file for each table")
    return found


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep sqlglot from remarks about statements that it does not parse: they are refused by name."""
    log = logging.getLogger("sqlglot")
    before, log.disabled = log.disabled, True
    try:
        yield
    finally:
        log.disabled = before


def _read_statement(statement: exp.Expr, found: SqlFile) -> None:
    match statement:
        case exp.Create() if statement.args.get("kind") == "TABLE" and isinstance(statement.this, exp.Schema):
            _name_table(statement.this.this, found)
            for part in statement.this.expressions:
                found.checks += _of_column(part, found) if isinstance(part, exp.ColumnDef) else _of_table(part)
        case exp.Alter():
            _name_table(statement.this, found)
            for action in statement.args.get("actions") or ():
                if not isinstance(action, exp.AddConstraint):
                    raise _refused(action, "changes a table")
                for part in action.expressions:
                    found.checks += _of_table(part)
        case exp.Anonymous(expressions=[condition]) if statement.name.upper() == "CHECK":
            found.checks.append(SqlCheck("", place_of(statement), condition.sql(), condition))
        case exp.Condition() if not isinstance(statement, exp.Query):
            found.checks.append(SqlCheck("", place_of(statement), statement.sql(), statement))
        case exp.Alias():
            raise _refused(statement, "names an expression")
        case _:
            raise _refused(statement, f"{statement.key.upper()} is not a rule")


def _name_table(table: exp.Expr, found: SqlFile) -> None:
    found.tables.setdefault(table.name, place_of(table))


def _of_column(column: exp.ColumnDef, found: SqlFile) -> Iterator[SqlCheck]:
    name, place = column.name, place_of(column)
    if isinstance(column.kind, exp.DataType):
        found.types[name] = column.kind
    for constraint in column.constraints:
        own = constraint.this.name if isinstance(constraint.this, exp.Identifier) else ""
        match constraint.kind:
            case exp.CheckColumnConstraint() as check:
                yield _check(own, check)
            case exp.NotNullColumnConstraint() as kind:
                if not kind.args.get("allow_null"):
                    yield SqlCheck(own or f"{name}-not-null", place, f"{name} NOT NULL", filled=(name,))
            case exp.UniqueColumnConstraint():
                yield SqlCheck(own or f"{name}-unique", place, f"{name} UNIQUE", unique=(name,))
            case exp.PrimaryKeyColumnConstraint():
                yield _primary_key(own, (name,), place)
            case kind if isinstance(kind, _WITHOUT_RULE):
                continue
            case kind:
                raise _refused(constraint, f"{kind.sql()} of column {name}")


def _of_table(part: exp.Expr) -> Iterator[SqlCheck]:
    own, inner = "", [part]
    if isinstance(part, exp.Constraint):
        own, inner = part.name, part.expressions
    for one in inner:
        match one:
            case exp.CheckColumnConstraint():
                yield _check(own, one)
            case exp.UniqueColumnConstraint():
                names = _names(one.this)
                text = f"UNIQUE ({', '.join(names)})"
                yield SqlCheck(own or f"{'-'.join(names)}-unique", place_of(one), text, unique=names)
            case exp.PrimaryKey():
                yield _primary_key(own, _names(one), place_of(one))
            case _:
                raise _refused(one, one.sql())


def _check(name: str, check: exp.Expr) -> SqlCheck:
    return SqlCheck(name, place_of(check), check.this.sql(), check.this)


def _primary_key(name: str, columns: tuple[str, ...], place: Place) -> SqlCheck:
    wished = name or f"{'-'.join(columns)}-primary-key"
    return SqlCheck(wished, place, f"PRIMARY KEY ({', '.join(columns)})", unique=columns, filled=columns)


def _names(listed: exp.Expr) -> tuple[str, ...]:
    return tuple(one.name for one in listed.expressions)


def _refused(part: exp.Expr, what: str) -> UntranslatedPartError:
    return UntranslatedPartError(f"{what} has no translation", place_of(part), _HINT)


def place_of(part: exp.Expr) -> Place:
    """Return the place of the first name inside a part; sqlglot notes the end of a name."""
    metas = [one.meta for one in part.find_all(exp.Identifier) if "line" in one.meta]
    if not metas:
        return Place(1)
    first = min(metas, key=lambda meta: int(meta["start"]))
    return Place(int(first["line"]), int(first["col"]) - (int(first["end"]) - int(first["start"])))
