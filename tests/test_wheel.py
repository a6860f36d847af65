"""The built wheel in an environment of its own: it has everything it needs, and reads nothing of the checkout.

The environment is empty but for the wheel; what the wheel depends on is made visible by one path to the packages of the
running environment, whose own link to the checkout is not followed. No network is used.
"""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[1]
SOURCES = ("constraint_sdc", "schemas", "rules", "examples", "docs", "tests")
# The second verifier needs the files of its session; it is run in the tests of its own.
EXAMPLES = sorted(
    path.relative_to(TOP / "examples").as_posix()
    for path in (TOP / "examples").rglob("*.py")
    if path.name != "verify.py"
)
IN_A_FOLDER = ("check_from_python.py", "quickstart.py")
"""Examples that write into a folder that they are given, so that the tests can look at their files."""

GUARD = '''
"""Stops a program that opens or lists anything in the sources of the checkout."""
import os
import sys

FORBIDDEN = tuple(os.environ["FORBIDDEN_SOURCES"].split(os.pathsep))


def refuse(event, arguments):
    if event in ("open", "os.listdir", "os.scandir") and isinstance(arguments[0], (str, bytes, os.PathLike)):
        path = os.path.realpath(os.fsdecode(arguments[0]))
        if (path + os.sep).startswith(FORBIDDEN):
            raise RuntimeError(f"reads the checkout: {path}")


sys.addaudithook(refuse)
'''


@dataclass(frozen=True)
class Installed:
    """The wheel, and the environment in which it is installed."""

    wheel: Path
    programs: Path
    folder: Path

    def run(self, program: str, *arguments: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment in a folder outside the checkout, which it may not read."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
        forbidden = os.pathsep.join(f"{TOP / name}{os.sep}" for name in SOURCES)
        command = [str(self.programs / program), *arguments]
        return subprocess.run(
            command,
            cwd=self.folder,
            env={**kept, "FORBIDDEN_SOURCES": forbidden, "PYTHONUTF8": "1"},
            capture_output=True,
            encoding="utf-8",
            check=check,
        )


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Build the wheel, install it, and copy the examples beside it."""
    place = tmp_path_factory.mktemp("wheel")
    folder = place / "elsewhere"
    folder.mkdir()
    shutil.copytree(TOP / "examples", folder / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    wheel = build_wheel(place)
    environment = place / "environment"
    quietly(sys.executable, "-m", "venv", "--without-pip", str(environment))
    python = environment / "bin" / "python"
    install = ("install", "--quiet", "--no-deps", "--no-index", "--no-compile", "--disable-pip-version-check")
    quietly(sys.executable, "-m", "pip", "--python", str(python), *install, str(wheel))
    packages = next(environment.glob("lib/python*/site-packages"))
    (packages / "checkout_guard.py").write_text(GUARD, encoding="utf-8")
    # A line of a .pth file adds a path or imports a module; the .pth files of an added path are not read.
    lines = ("import checkout_guard", sysconfig.get_path("purelib"), sysconfig.get_path("platlib"))
    (packages / "zz_dependencies.pth").write_text("\n".join(dict.fromkeys(lines)) + "\n", encoding="utf-8")
    return Installed(wheel, environment / "bin", folder)


def build_wheel(place: Path) -> Path:
    """Build the wheel as a frontend does, with the backend that is installed."""
    code = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    done = subprocess.run([sys.executable, "-c", code, str(place)], cwd=TOP, capture_output=True, text=True, check=True)
    return place / done.stdout.splitlines()[-1]


def quietly(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_wheel_holds_what_the_package_reads(installed: Installed) -> None:
    held = set(zipfile.ZipFile(installed.wheel).namelist())
    wanted = {f"constraint_sdc/shipped/schemas/{path.name}" for path in (TOP / "schemas").iterdir()}
    wanted |= {f"constraint_sdc/shipped/rules/{path.name}" for path in (TOP / "rules").iterdir()}
    sources = (
        path for path in (TOP / "constraint_sdc").rglob("*") if path.is_file() and "__pycache__" not in path.parts
    )
    wanted |= {path.relative_to(TOP).as_posix() for path in sources}
    assert "constraint_sdc/py.typed" in wanted
    assert {name for name in held if ".dist-info/" not in name} == wanted


def test_the_environment_has_the_wheel_and_not_the_checkout(installed: Installed) -> None:
    code = "import constraint_sdc as cs; print(cs.__version__, cs.__file__); print(cs.shipped_rules())"
    printed = installed.run("python", "-c", code).stdout.split()
    version, file, rules = printed
    assert version in installed.wheel.name
    for path in (file, rules):
        assert Path(path).is_relative_to(installed.programs.parent)
    assert installed.run("constraint-sdc", "--version").stdout.strip().endswith(version)


def test_a_program_that_reads_the_checkout_would_be_noticed(installed: Installed) -> None:
    done = installed.run("python", "-c", f"open({str(TOP / 'rules' / 'census.sch')!r})", check=False)
    assert "reads the checkout" in done.stderr


def run_all(installed: Installed) -> dict[str, subprocess.CompletedProcess[str]]:
    """Run the demo and every example; return what they did, by the name of the folder or of the script."""
    demo = ("constraint-sdc", "demo", "--directory", "demo", "--records", "100")
    folders = {name: (name.removesuffix(".py"),) for name in IN_A_FOLDER}
    for (folder,) in folders.values():
        (installed.folder / folder).mkdir()
    runs: dict[str, tuple[str, ...]] = {"demo": demo}
    runs |= {name: ("python", f"examples/{name}", *folders.get(name, ())) for name in EXAMPLES}
    with ThreadPoolExecutor(2) as pool:
        done = pool.map(lambda run: installed.run(*run, check=False), runs.values())
        return dict(zip(runs, done, strict=True))


def test_the_demo_and_every_example_run_from_the_wheel(installed: Installed) -> None:
    """One test, because two processes that share the tests of a file would both have to run everything."""
    ran = run_all(installed)
    assert {"survey/notebook.py", *IN_A_FOLDER} <= ran.keys()
    assert [(name, one.stderr) for name, one in ran.items() if one.returncode] == []
    assert (installed.folder / "demo" / "assessment.html").is_file()
    require_every_broken_rule(ran["check_from_python.py"].stdout)
    require_masking_by_recipe(ran["quickstart.py"].stdout, installed.folder / "quickstart")


def require_every_broken_rule(printed: str) -> None:
    """The example of a check finds every broken rule."""
    assert "original.xml: exit code 0" in printed
    assert "damaged.xml: exit code 1" in printed
    assert printed.count("10 of 1000") == 5


def require_masking_by_recipe(printed: str, folder: Path) -> None:
    """The quickstart masks as its recipe says."""
    assert printed.count(" 1000 checked, 0 newly broken") == 4
    assert "published: masked.csv, masked.csv.certificate.json" in printed
    assert "exit code 3: 1000 records cannot form a group of 2000" in printed
    before, after = (
        list(csv.DictReader((folder / name).read_text("utf-8").splitlines())) for name in ("extract.csv", "masked.csv")
    )
    assert [row["V7"] for row in after] == [row["V7"] for row in before]
    assert len([row for row in after if re.fullmatch(r"0[.][0-9]{1,6}", row["V15"])]) == 1000
    assert (folder / "masked.csv.certificate.json").is_file()
