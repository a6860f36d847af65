"""Names of our own and of other distributions: listed without loading, loaded once, and refused with the culprit."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import pytest

from constraint_sdc.errors import UsageError
from constraint_sdc.plugins import PluginError, Registry

Offer = Callable[..., None]


class Fruit(Protocol):
    name: str

    def peel(self) -> str: ...


def fruits(folder: str = "orchard", first: tuple[str, ...] = ()) -> Registry[Fruit]:
    return Registry[Fruit]("fruit", (folder,), "test_plugins.fruits", Fruit, first)


@pytest.fixture(autouse=True)
def orchard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder of our own: two modules with three fruits, and one without any."""
    folder = tmp_path / "orchard"
    (folder / "stone").mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "stone" / "__init__.py").touch()
    (folder / "tools.py").write_text("LADDER = 1\n")
    fruit = "class {0}:\n    name = '{1}'\n    def peel(self): return 'peeled {1}'\n"
    (folder / "pome.py").write_text(
        fruit.format("Pear", "pear")
        + fruit.format("Apple", "apple")
        + "REGISTERED = {'pear': Pear(), 'apple': Apple()}\n"
    )
    (folder / "stone" / "plum.py").write_text(fruit.format("Plum", "plum") + "REGISTERED = {'plum': Plum()}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    for name in [name for name in sys.modules if name.split(".")[0] in ("orchard", "their_fruit")]:
        del sys.modules[name]


@pytest.fixture
def offer(tmp_path: Path) -> Offer:
    """Another distribution with one module and entry points, as an installer would leave it on the path."""

    def put(entries: str, module: str = "", distribution: str = "their_fruit") -> None:
        (tmp_path / f"{distribution}.py").write_text(module)
        info = tmp_path / f"{distribution}-1.2.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.2\n")
        (info / "entry_points.txt").write_text(f"[test_plugins.fruits]\n{entries}\n")

    return put


QUINCE = "class Quince:\n    name = 'quince'\n    def peel(self): return 'peeled quince'\n"


def test_our_own_are_found_in_the_folder_and_its_subfolders() -> None:
    assert fruits().names == ("apple", "pear", "plum")
    assert fruits(first=("plum", "pear")).names == ("plum", "pear", "apple")
    assert [fruit.peel() for fruit in fruits().all()] == ["peeled apple", "peeled pear", "peeled plum"]
    assert fruits().distribution("plum") == "constraint-sdc"


def test_others_come_last_and_are_made_once(offer: Offer) -> None:
    offer("quince = their_fruit:Quince", QUINCE)
    found = fruits()
    assert tuple(found) == ("apple", "pear", "plum", "quince")
    assert "quince" in found
    assert found["quince"] is found["quince"]
    assert found["quince"].peel() == "peeled quince"
    assert found.distribution("quince") == "their_fruit 1.2"


def test_listing_loads_nothing(offer: Offer) -> None:
    offer("quince = their_fruit:Quince", "raise RuntimeError('loaded')")
    assert "quince" in fruits().names
    assert fruits()["pear"].name == "pear"
    assert "their_fruit" not in sys.modules


def test_our_own_are_listed_without_an_import_and_loaded_one_by_one() -> None:
    found = fruits()
    assert found.names == ("apple", "pear", "plum")
    assert not {"orchard.pome", "orchard.stone.plum", "orchard.tools"} & set(sys.modules)
    assert found["plum"].peel() == "peeled plum"
    assert "orchard.stone.plum" in sys.modules
    assert not {"orchard.pome", "orchard.tools"} & set(sys.modules)


@pytest.mark.parametrize("written", ["(Fig(),)", "dict(fig=Fig())", "{Fig.name: Fig()}", "{**MORE}"])
def test_names_must_be_written_out(tmp_path: Path, written: str) -> None:
    (tmp_path / "orchard" / "fig.py").write_text(f"class Fig:\n    name = 'fig'\nMORE = {{}}\nREGISTERED = {written}\n")
    with pytest.raises(RuntimeError, match=r"orchard.fig: REGISTERED must be a dictionary whose keys are texts"):
        fruits().names  # noqa: B018  (the property refuses)


def test_a_module_that_misnames_its_object_is_refused(tmp_path: Path) -> None:
    text = (tmp_path / "orchard" / "stone" / "plum.py").read_text()
    (tmp_path / "orchard" / "stone" / "plum.py").write_text(text.replace("{'plum'", "{'prune'"))
    with pytest.raises(PluginError, match=r"the fruit 'prune' of constraint-sdc \(.*\) calls itself 'plum'"):
        fruits()["prune"]


class Tree:
    name: str


TREES = """from tests.test_plugins import Tree
class Oak(Tree):
    name = 'oak'
class Ash:
    name = 'ash'
"""


def trees() -> Registry[type[Tree]]:
    return Registry[type[Tree]]("tree", ("orchard.stone",), "test_plugins.fruits", Tree, holds_classes=True)


def test_classes_are_registered_as_they_are(offer: Offer) -> None:
    offer("oak = their_fruit:Oak\nash = their_fruit:Ash", TREES)
    oak = trees()["oak"]
    assert isinstance(oak, type)
    with pytest.raises(
        PluginError, match=r"the tree 'ash' of their_fruit 1.2 \(their_fruit:Ash\) is not a subclass of"
    ):
        trees()["ash"]


def test_one_that_cannot_be_used_is_left_out_of_the_loadable(offer: Offer) -> None:
    offer("quince = their_fruit:Quince\nfig = nowhere:Fig", QUINCE)
    assert [fruit.name for fruit in fruits().loadable_others()] == ["quince"]


def test_an_unknown_name_is_refused_with_the_names_there_are() -> None:
    with pytest.raises(UsageError, match=r"unknown fruit 'fig' \(use one of: apple, pear, plum\)"):
        fruits()["fig"]


@pytest.mark.parametrize(
    ("entries", "module", "said"),
    [
        ("fig = nowhere:Fig", "", "cannot be loaded: ModuleNotFoundError: No module named 'nowhere'"),
        ("fig = their_fruit:Fig", "raise ValueError('rotten')", "cannot be loaded: ValueError: rotten"),
        ("fig = their_fruit:Fig", "class Fig:\n    def __init__(self, size): ...", "cannot be loaded: TypeError"),
        ("fig = their_fruit:Fig", "class Fig:\n    name = 'fig'", "lacks peel"),
        ("fig = their_fruit:Quince", QUINCE, "calls itself 'quince'"),
    ],
)
def test_a_broken_entry_is_refused_by_its_distribution(offer: Offer, entries: str, module: str, said: str) -> None:
    offer(entries, module)
    with pytest.raises(PluginError) as caught:
        fruits()["fig"]
    assert str(caught.value).startswith("the fruit 'fig' of their_fruit 1.2 (")
    assert said in str(caught.value)
    assert "repair their_fruit 1.2, or uninstall it" in str(caught.value)
    assert caught.value.exit_code == 2


def test_a_name_of_ours_cannot_be_taken(offer: Offer) -> None:
    offer("pear = their_fruit:Quince", QUINCE)
    with pytest.raises(PluginError, match=r"their_fruit 1.2 offers a fruit 'pear', and constraint-sdc has one"):
        fruits().names  # noqa: B018  (the property refuses)


def test_two_distributions_cannot_share_a_name(offer: Offer) -> None:
    offer("quince = their_fruit:Quince", QUINCE)
    offer("quince = other_fruit:Quince", QUINCE, "other_fruit")
    with pytest.raises(PluginError, match=r"their_fruit 1.2 offers a fruit 'quince', and other_fruit 1.2 has one"):
        fruits()["quince"]


def test_the_same_distribution_seen_twice_is_one(offer: Offer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    offer("quince = their_fruit:Quince", QUINCE)
    (tmp_path / "again").symlink_to(tmp_path, target_is_directory=True)
    monkeypatch.syspath_prepend(str(tmp_path / "again"))
    assert fruits().names.count("quince") == 1
