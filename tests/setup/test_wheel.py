"""The wheel: one package on top of site-packages, and everything in there works."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import textwrap
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from tests.setup.test_setup import ROOT, load
from tests.test_floors import PACKAGES

MODULES = frozenset({"model", "model.scenario", "model.values", "model.values.types", "checker"})


@pytest.fixture(scope="module")
def hook() -> ModuleType:
    return load("setup/one_package.py")


def test_every_package_of_the_repository_is_taken_in(hook: ModuleType) -> None:
    assert {*hook.packages(ROOT), "isodelta"} == set(PACKAGES)


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("from model.scenario import S", "from isodelta.model.scenario import S"),
        ("from model import scenario", "from isodelta.model import scenario"),
        ("import model.scenario as s", "import isodelta.model.scenario as s"),
        ("if x:\n    from model import a", "if x:\n    from isodelta.model import a"),
        ("x = 'é'; from model import a", "x = 'é'; from isodelta.model import a"),
        ("from model.values.types import (\n    a,\n)",) * 2,
        ("HOMES = {'S': 'model.scenario'}", "HOMES = {'S': 'isodelta.model.scenario'}"),
        ('"""See ``model.values.types.T``\nand model."""',) * 2,
        # None of these names a module.
        ("from models import a", None),
        ("from isodelta.model import a", None),
        ("x = 'model'; y = 'the model. scenario'", None),
        ("x = 'a/model.scenario'; y = 'my.model.scenario'", None),
        ("model.scenario = model.values", None),
        ("# model.scenario", None),
    ],
)
def test_names_of_modules_are_written_anew(
    hook: ModuleType, source: str, written: str | None
) -> None:
    if written == source:
        written = source.replace("model.values", "isodelta.model.values")
    assert hook.rewritten(source, MODULES) == (source if written is None else written)


def test_what_cannot_be_rewritten_ends_the_build(hook: ModuleType) -> None:
    with pytest.raises(hook.CannotRewrite, match=r"m\.py:2: write from"):
        hook.rewritten("x = 1\nimport model.scenario", MODULES, "m.py")


@pytest.mark.parametrize(
    ("source", "left"),
    [
        ("from tests.notation import w", ["tests.notation"]),
        ("import model", ["model"]),
        ("x = f'model.scenario {y}'", ["model.scenario"]),
        ("from isodelta.model import a", []),
    ],
)
def test_what_is_left_over_is_noticed(hook: ModuleType, source: str, left: list[str]) -> None:
    assert list(hook.left_over(source, MODULES, {"model", "tests"})) == left


def test_every_module_can_be_rewritten(hook: ModuleType, tmp_path: Path) -> None:
    hook.stage(ROOT, tmp_path)
    assert (tmp_path / "model" / "scenario.py").is_file()


# The real thing, offline: hatchling and the dependencies are those of the development install.


def run(*command: object, cwd: Path) -> str:
    environment = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    words = [str(word) for word in command]
    done = subprocess.run(
        words, cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def built(target: str, source: Path, folder: Path) -> Path:
    run(sys.executable, "-m", "hatchling", "build", "-t", target, "-d", folder, cwd=source)
    (path,) = folder.iterdir()
    return path


SMOKE = """
import isodelta, model
assert model.MINE, model
(scenario,) = isodelta.parse_scenarios('''
name: purge against append
table: {columns: {k: int}, setup: [INSERT INTO t VALUES (1)]}
transactions: {purge: DELETE FROM t, append: INSERT INTO t VALUES (2)}
schedule: [begin purge, append, commit purge]
''')
run = isodelta.run(scenario, level="WriteSerializable")
assert isodelta.judge(run.history)["Serializable"].verdict == "violated"
for name in isodelta.__all__:
    getattr(isodelta, name)

# The proofs read the source of the rules where they are installed.
from isodelta.checker.proofs.lemma import check
assert check(isodelta.THEOREMS[0].lemmas[0]).verdict == "proved"
"""


@pytest.mark.slow
def test_wheel_and_sdist_install_and_work(tmp_path: Path) -> None:
    """Beside a user's own ``model``, in a virtual environment without the checkout."""
    wheel = built("wheel", ROOT, tmp_path / "wheel")
    with zipfile.ZipFile(wheel) as archive:
        files = {info.filename: info.CRC for info in archive.infolist()}
    assert {name.partition("/")[0] for name in files} == {
        "isodelta",
        f"{'-'.join(wheel.name.split('-')[:2])}.dist-info",
    }

    with tarfile.open(built("sdist", ROOT, tmp_path / "sdist")) as archive:
        archive.extractall(tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    with zipfile.ZipFile(built("wheel", source, tmp_path / "again")) as archive:
        assert {info.filename: info.CRC for info in archive.infolist()} == files

    environment = tmp_path / "environment"
    run(sys.executable, "-m", "venv", "--without-pip", environment, cwd=tmp_path)
    python = environment / "bin" / "python"
    run(
        *(sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index"),
        wheel,
        cwd=tmp_path,
    )
    (packages,) = environment.glob("lib/*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "__init__.py").write_text("MINE = True\n")
    (tmp_path / "smoke.py").write_text(textwrap.dedent(SMOKE))

    run(python, "smoke.py", cwd=tmp_path)
    isodelta = environment / "bin" / "isodelta"
    assert run(isodelta, "--version", cwd=tmp_path).startswith("isodelta, version")
    scenario = ROOT / "scenarios" / "lost_update.yaml"
    assert "as expected" in run(isodelta, "check", scenario, cwd=tmp_path)
