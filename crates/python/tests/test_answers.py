"""Every answer is what the command prints with `--json`."""

import datetime
import json
import logging
import pathlib

import pytest
from conftest import header, lines, message

import pitree


def first(answers):
    (answer,) = answers
    return answer


@pytest.mark.parametrize(
    "options, words",
    [
        ({"scope": "all"}, ["--scope", "all"]),
        ({"scope": "all", "sort": "cost", "limit": 1}, ["--scope=all", "--sort=cost", "--limit=1"]),
        ({"scope": "all", "has": ["fork", "branch"]}, ["--scope=all", "--has=fork", "--has=branch"]),
        ({"scope": "all", "name": "wind", "text": True}, ["--scope=all", "--name=wind", "--text"]),
        ({"scope": "all", "until": datetime.date(2026, 3, 2)}, ["--scope=all", "--until=2026-03-02"]),
        ({"scope": "all", "no_index": True}, ["--scope=all", "--no-index"]),
        ({}, []),
        ({"scope": "all", "model": None, "text": False}, ["--scope=all"]),
    ],
)
def test_list(store, options, words):
    assert pitree.list(**options) == first(store.command("list", *words))


def test_list_of_another_folder(store, tmp_path):
    flat = tmp_path / "flat"
    flat.mkdir()
    (flat / "a.jsonl").write_text(lines(header("a"), message("1", None, "user", "hello")))
    expected = first(store.command("list", "--scope=all", f"--session-dir={flat}"))
    assert [session["id"] for session in expected] == ["a"]
    assert pitree.list(scope="all", session_dir=flat) == expected
    assert pitree.list(scope="all", session_dir=[str(flat)]) == expected
    assert pitree.open("a", session_dir=flat).id == "a"


@pytest.mark.parametrize(
    "query, options, words",
    [
        ("forecast", {}, []),
        ("forecast", {"limit": 2, "context": 1}, ["--limit=2", "--context=1"]),
        ("forecast", {"in_": "conversation"}, ["--in=conversation"]),
        ("tool:write", {"limit": 0}, ["--limit=0"]),
        ("nothing-like-that", {}, []),
        ("-x", {}, []),
    ],
)
def test_search(store, query, options, words):
    expected = first(store.command("search", *words, "--", query))
    assert pitree.search(query, **options) == expected


def test_cost_and_stats_and_check(store, forecast):
    assert pitree.cost() == first(store.command("cost"))
    assert pitree.cost(by="model") == first(store.command("cost", "--by", "model"))
    by_day = pitree.cost(by="day", utc_offset="-05:30")
    assert by_day == first(store.command("cost", "--by=day", "--utc-offset=-05:30"))
    assert pitree.stats() == first(store.command("stats"))
    assert pitree.check(forecast) == first(store.command("check", forecast, check=False))


def test_session(store, forecast):
    session = pitree.open(forecast)
    ask = lambda verb, *words: first(store.command(verb, *words, forecast))
    entries = ask("entries")
    assert session.entries() == entries["entries"]
    assert session.leaf_id == entries["leafId"]
    assert session.entries(last=2) == ask("entries", "--last=2")["entries"]
    some = entries["entries"][4]["id"]
    assert session.entries(after=some) == ask("entries", f"--after={some}")["entries"]
    assert [session[at] for at in range(len(session))] == entries["entries"]
    assert list(session) == entries["entries"]
    for start, stop, step in [(-5, None, None), (2, 7, 2), (None, None, -3), (4, 2, 1), (-99, 99, 1)]:
        assert session[start:stop:step] == entries["entries"][start:stop:step]
    with pytest.raises(TypeError):
        session["0"]
    assert session[-1] == entries["entries"][-1] and session.entry(some) == entries["entries"][4]
    assert session.tree() == ask("tree")
    assert session.tree(nested=True) == ask("tree", "--nested")
    assert session.tree(branch_points=True) == ask("tree", "--branch-points")
    assert session.context() == ask("context")
    assert session.context(llm=True) == ask("context", "--llm")
    assert session.context(at=some) == ask("context", f"--at={some}")
    assert session.branch() == ask("path")["entries"]
    assert session.branch(some) == first(store.command("path", forecast, some))["entries"]
    assert session.cost() == ask("show", "--mode=costs")
    assert session.show(mode="tools") == ask("show", "--mode=tools")
    with open(forecast) as file:
        assert session.header == json.loads(file.readline())
    labels = {row["id"]: row["label"] for row in session.tree()["rows"] if "label" in row}
    assert labels and session.labels == labels
    assert session.name == first(store.command("name", forecast))["name"]
    listed = next(it for it in pitree.list(scope="all") if it["path"] == session.path)
    assert (session.id, session.cwd) == (listed["id"], listed["cwd"])
    assert pathlib.Path(session) == forecast and str(forecast) in repr(session)


@pytest.mark.parametrize("format", ["chat", "openai", "sharegpt", "preference", "lora-forge"])
def test_samples(store, format):
    words = ["extract", "-o", "-", f"--format={format}", "--no-redact"]
    expected = store.command(*words)
    assert list(pitree.iter_samples(format=format, no_redact=True)) == expected
    assert format == "preference" or expected


def test_samples_of_one_session(store, forecast):
    expected = store.command("extract", "-o", "-", "--no-redact", "--unit=turn", forecast)
    session = pitree.open(forecast)
    assert list(session.samples(unit="turn", no_redact=True)) == expected
    assert list(pitree.iter_samples(sessions=[forecast], unit="turn", no_redact=True)) == expected
    files = store.project.rglob(forecast.name)
    assert list(pitree.iter_samples(sessions=files, unit="turn", no_redact=True)) == expected


def test_extract(store, tmp_path):
    report = pitree.extract(tmp_path / "data", format="chat", split=0.5)
    again = first(store.command("extract", "-o", tmp_path / "again", "--split=0.5"))
    assert {**report, "output": ""} == {**again, "output": "", "fromCache": report["fromCache"]}
    assert (tmp_path / "data" / "card.json").exists()


def test_what_the_command_says_besides_is_logged(store, caplog):
    store.add("other.jsonl", "this is not a session\n")
    with caplog.at_level(logging.INFO, logger="pitree"):
        assert len(pitree.list(scope="all")) == 2
        assert pitree.search("nothing-like-that")["total"] == 0
    warning, remark = caplog.records
    assert warning.levelname == "WARNING" and "other.jsonl" in warning.getMessage()
    assert warning.getMessage().startswith("skipped 1 file that is not a session (")
    assert remark.levelname == "INFO" and "nothing matched" in remark.getMessage()


def test_options_are_those_of_the_command(store):
    with pytest.raises(pitree.UsageError) as raised:
        pitree.list(scpoe="all")
    assert raised.value.hint == "did you mean `scope`?"
    for wrong in ({"scope": "none"}, {"limit": 0}, {"json": True}, {"no_index": "yes"}):
        with pytest.raises(pitree.UsageError):
            pitree.list(**wrong)
    with pytest.raises(TypeError):
        pitree.list(scope=object())
    with pytest.raises(pitree.UsageError):
        pitree.iter_samples(format="chat", output="elsewhere")
