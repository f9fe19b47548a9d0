"""The examples run, the stubs are complete, and they say what the command takes."""

import doctest
import os
import pathlib
import subprocess
import sys

import make_stubs
import pytest
from conftest import header, lines, message

import pitree
from pitree import _errors

ROOT = pathlib.Path(__file__).resolve().parents[3]
FLAGS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL


def documented():
    """Everything that has a docstring."""
    yield "pitree", pitree.__doc__
    for name in pitree.__all__:
        value = getattr(pitree, name)
        yield f"pitree.{name}", value.__doc__
        if isinstance(value, type):
            for member in vars(value).values():
                if callable(member) or hasattr(member, "__get__"):
                    yield f"pitree.{name}.{getattr(member, '__name__', '?')}", member.__doc__


def run(name, text):
    examples = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(examples)
    return runner.summarize(verbose=False)


def test_examples_of_docstrings_run(store):
    results = [run(name, text) for name, text in documented() if text]
    assert sum(result.failed for result in results) == 0
    assert sum(result.attempted for result in results) > 20


def test_everything_is_documented():
    for name in pitree.__all__:
        value = getattr(pitree, name)
        if callable(value):
            assert value.__doc__, name
    for value in (pitree.Session, pitree.Samples, pitree.Table):
        for name, member in vars(value).items():
            assert name.startswith("__") or member.__doc__, f"{value.__name__}.{name}"


def test_examples_of_the_guide_run(store):
    text = (ROOT / "docs" / "python.md").read_text()
    blocks = text.split("```python\n")[1:]
    examples = "\n".join(block.split("```")[0] for block in blocks if block.startswith(">>>"))
    result = run("docs/python.md", examples)
    assert result.failed == 0 and result.attempted > 20


README = (ROOT / "crates" / "python" / "README.md").read_text()


def test_the_first_example_runs_on_sessions_without_a_name(store, monkeypatch, capsys):
    unnamed = lines(
        {**header("019cadff-0000"), "timestamp": "2026-03-04T10:00:00.000Z"},
        message("1", None, "user", "Is it warm?"),
        message("2", "1", "assistant", "It is."),
    )
    store.add("unnamed.jsonl", unnamed)
    # The sessions here are older than a week.
    code = README.split("```python\n")[1].split("```")[0].replace(', since="7d"', "")
    exec(compile(code, "README.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "019cadff-0000 None" in printed and "019cadd3" in printed.split("None")[1]


def test_the_first_example_of_help_runs_on_sessions_without_a_name(store):
    store.add("unnamed.jsonl", lines(header("unnamed"), message("1", None, "user", "Is it warm?")))
    code = [line[4:] for line in pitree.__doc__.split("\n") if line.startswith((">>> for", "... "))]
    exec("\n".join(code), {"pitree": pitree})


def test_stubs_say_what_the_command_takes():
    """After an intended change: PITREE_BLESS=1."""
    path = ROOT / "crates" / "python" / "python" / "pitree" / "_native.pyi"
    text = make_stubs.stubs()
    if os.environ.get("PITREE_BLESS") == "1":
        path.write_text(text)
    assert path.read_text() == text, "run the test with PITREE_BLESS=1"


# What mypy found out about the libraries, kept from run to run.
MYPY = {**os.environ, "MYPY_CACHE_DIR": str(pathlib.Path(sys.prefix).parent / "mypy-cache")}


def test_stubs_fit_the_module(tmp_path):
    ran = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "pitree", "--ignore-disjoint-bases"],
        env=MYPY,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


GOOD = """
import datetime, pathlib
import pitree

sessions: list[dict[str, object]] = pitree.list(scope="all", since=datetime.date.today(), has=["fork"])
session = pitree.open(pathlib.Path("x"))
name: str | None = session.name
for entry in session:
    entry["type"]
entries: list[dict[str, object]] = list(session)
last: list[dict[str, object]] = session[-5:]
kind: object = session[0]["type"]
session.label("x", None)
session.label("x", label=None)
for sample in pitree.iter_samples(format="chat", jobs=2):
    sample["messages"]
try:
    session.append("x", at="y")
except pitree.SessionLocked as error:
    path: str | None = error.path
"""

BAD = {
    'pitree.list(scope="none")': "arg-type",
    "pitree.list(scpoe='all')": "call-arg",
    "pitree.list(no_index='yes')": "arg-type",
    "pitree.open()": "call-arg",
    "pitree.open('x').label('entry')": "call-arg",
    "pitree.open('x').nothing": "attr-defined",
}


@pytest.mark.parametrize("code", [GOOD, *BAD])
def test_types_are_checked(tmp_path, code):
    path = tmp_path / "code.py"
    path.write_text(code if code == GOOD else f"import pitree\n{code}\n")
    ran = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(path)],
        env=MYPY,
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    if code == GOOD:
        assert ran.returncode == 0, ran.stdout
    else:
        assert f"[{BAD[code]}]" in ran.stdout, ran.stdout
