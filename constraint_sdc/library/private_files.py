"""Files of one call that no user sees: data frames and rules given as text, in a directory that ends with the call.

Commands read files, and what is certified are bytes. Results and messages name these files by words.
"""

from __future__ import annotations

import errno
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass, replace
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias, TypeVar, cast

from constraint_sdc.engines.running import engine_settings
from constraint_sdc.engines.scratch import private_directory
from constraint_sdc.errors import ConstraintSdcError, LimitError, UsageError, visible
from constraint_sdc.files.frames.frames import FrameCopy, copy_frame, is_frame
from constraint_sdc.files.recipe import recipe_of_entries
from constraint_sdc.languages.registry import known_endings
from constraint_sdc.library.keywords import File

Value = TypeVar("Value")
_COMMAND = re.compile("constraint-sdc init data frame -o recipe.yml")  # as a refusal advises
_DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

RulesGiven: TypeAlias = File | Sequence[str]
"""Rules by the path of their file, or themselves: a text, or a list of texts, in the plain arithmetic language."""

WORDS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "data.arrow": ("data frame", "row"),
        "original.arrow": ("original frame", "row"),
        "masked.arrow": ("masked frame", "row"),
        "masked.arrow.certificate.json": ("certificate", "line"),
        "rules.txt": ("rules", "line"),
        "recipe.yml": ("recipe", "line"),
    }
)
"""How messages name a file, and what they count in it."""


class PrivateFiles:
    """The files of one call, in a directory of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        inside = f"(?:{'|'.join(_spellings(folder))})(?:/([^\\s:'\"/,;)]+))?"
        alone = "|".join(map(re.escape, sorted(WORDS, key=len, reverse=True)))
        self._place = re.compile(rf"(?:{inside}|(?<![\w./-])({alone})(?![\w.]))((?::[0-9]+)*)")

    def frame(self, copy: FrameCopy, name: str) -> Path:
        """Return the file of a frame."""
        path = self.folder / name
        copy.write(path)
        return path

    def data(self, given: Any, name: str) -> Path:
        """Return the path that is given, or the file of the frame that is given."""
        if not is_frame(given):
            return Path(given)
        return self.frame(copy_frame(given, WORDS[name][0], keeps_rows=False), name)

    def rules(self, given: RulesGiven | None) -> Path | None:
        """Return the path that is given, or a file of the rules that are given."""
        if given is None or isinstance(given, PathLike):
            return None if given is None else Path(given)
        if isinstance(given, str) and is_path_of_rules(given):
            return Path(given)
        lines: list[object] = [given] if isinstance(given, str) else list(given)
        for number, line in enumerate(lines, 1):
            if not isinstance(line, str):
                what = f"rule {number} is of type {type(line).__name__}, not text"
                raise UsageError(what, file="rules", hint="such as 'V9 + V10 = V14'")
        return self.content("rules.txt", "\n".join((*map(str, lines), "")).encode("utf-8"))

    def recipe(self, given: File | Mapping[str, object] | None) -> Path | None:
        """Return the path that is given, or a file of the entries that are given."""
        if not isinstance(given, Mapping):
            return None if given is None else Path(given)
        recipe_of_entries(given)  # an error there names no lines
        return self.content("recipe.yml", json.dumps(given, ensure_ascii=False).encode("utf-8"))

    def content(self, name: str, data: bytes) -> Path:
        """Return a file with these bytes."""
        path = self.folder / name
        path.write_bytes(data)
        return path

    def named(self, value: Value) -> Value:
        """Return a result in which the files are named by words: texts and paths, wherever they are in it."""
        return cast(Value, self._named(value))

    def _named(self, value: Any) -> Any:
        if isinstance(value, str):
            return _COMMAND.sub("cs.init(frame)", self._place.sub(self._word, value))
        if isinstance(value, Path):
            return Path(self._named(str(value))) if value.is_relative_to(self.folder) else value
        if isinstance(value, ConstraintSdcError):
            return self.named_error(value)
        if is_dataclass(value) and not isinstance(value, type):
            kept = [(one.name, getattr(value, one.name)) for one in fields(value)]
            other = {name: new for name, old in kept if not _is_same(new := self._named(old), old)}
            return replace(value, **other) if other else value
        if type(value) in (tuple, list):
            items = [self._named(item) for item in value]
            return value if all(map(_is_same, items, value)) else type(value)(items)
        if isinstance(value, Mapping):
            pairs = {self._named(key): self._named(item) for key, item in value.items()}
            is_same = all(map(_is_same, pairs, value)) and all(map(_is_same, pairs.values(), value.values()))
            return value if is_same else pairs
        return value

    def named_error(self, error: ConstraintSdcError) -> ConstraintSdcError:
        """Return the error itself, in whose message and fields the files are named by words."""
        error.args = self._named(error.args)
        for name, value in vars(error).items():
            setattr(error, name, self._named(value))
        return error

    def _word(self, found: re.Match[str]) -> str:
        if found[2] is not None and not (self.folder / found[2]).exists():
            return found[0]  # a file of the user has this name
        name, places = found[1] or found[2], found[3].split(":")[1:]
        if name is None:
            return "a private directory" + found[3]
        word, counted = WORDS.get(name, (name, "line"))
        where = zip((counted, "column"), places, strict=False)
        return ", ".join((word, *(f"{what} {number}" for what, number in where)))


def _is_same(one: object, other: object) -> bool:
    return one is other or (isinstance(one, str) and one == other)


def _spellings(folder: Path) -> Iterator[str]:
    """Yield how a message may spell the directory, the longest first: whole, escaped, from the working directory."""
    whole = str(folder)
    found = {whole, visible(whole)}
    if folder.is_relative_to(Path.cwd()):
        found |= {str(folder.relative_to(Path.cwd())), visible(str(folder.relative_to(Path.cwd())))}
    return map(re.escape, sorted(found, key=len, reverse=True))


def is_path_of_rules(given: str) -> bool:
    """Tell whether a text is the path of a file of rules: it is named like one, or there is such a file.

    >>> [is_path_of_rules(given) for given in ("rules.sch", "V9 + V10 = V14", "V3 < 1.5")]
    [True, False, False]
    """
    if "\n" in given or not given.strip():
        return False
    return Path(given).suffix.lower() in (".sch", ".xml", *known_endings()) or Path(given).is_file()


@contextmanager
def private_files() -> Iterator[PrivateFiles]:
    """Yield where the files of one call are; an error that leaves the block names them by words."""
    with private_directory(engine_settings().scratch) as folder:
        files = PrivateFiles(folder)
        try:
            yield files
        except ConstraintSdcError as error:
            raise files.named_error(error) from None
        except OSError as error:
            if error.errno not in _DISK_FULL and not str(error.filename).startswith(str(folder)):
                raise
            what = f"a copy of the data cannot be written: {error.strerror or type(error).__name__}"
            raise LimitError(what, hint="name a directory on a larger disk with cs.use_engine(scratch=...)") from None
