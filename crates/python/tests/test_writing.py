"""Appending, naming, labels and forks write what the command writes."""

import json
import shutil
import threading

import pytest
from conftest import header, lines, message

import pitree


def entries(path):
    """The header and the entries. The sample has a damaged line too."""
    values = []
    for line in path.read_bytes().splitlines():
        try:
            values.append(json.loads(line))
        except ValueError:
            pass
    return values


def test_append(store, forecast):
    session = pitree.open(forecast)
    before, leaf = len(session), session.leaf_id
    done = session.append("Is it going to rain?")
    last = entries(forecast)[-1]
    assert done == {"ids": [last["id"]], "leafId": last["id"]} and last["parentId"] == leaf
    assert last["message"]["content"] == [{"type": "text", "text": "Is it going to rain?"}]
    assert len(session) == before + 1 and session.leaf_id == last["id"]
    assert session[-1] == last and session.context()["messages"][-1] == last["message"]


def test_text_is_text_whatever_it_looks_like(store, forecast):
    session = pitree.open(forecast)
    session.append('{"role": "user"}')
    assert session[-1]["message"]["content"][0]["text"] == '{"role": "user"}'


def test_append_several_or_none(store, forecast):
    session = pitree.open(forecast)
    before = forecast.read_bytes()
    custom = {"type": "custom", "customType": "test", "data": {"half": "\ud83d", "n": 1.5}}
    with pytest.raises(pitree.BadData):
        session.append([custom, {"type": "custom"}])
    with pytest.raises(ValueError):
        session.append({**custom, "data": float("nan")})
    for nothing in ("", " \n", []):
        with pytest.raises(pitree.UsageError, match="^there is nothing to append$"):
            session.append(nothing)
    assert forecast.read_bytes() == before
    ids = session.append([custom, {**custom, "customType": "other"}])["ids"]
    assert [entry["id"] for entry in entries(forecast)[-2:]] == ids
    assert session[-2]["data"] == custom["data"]


@pytest.mark.parametrize("what", [["Hello", "World"], b"xy", [None], range(3), [{"role": "user"}, "a"]])
def test_only_messages_are_appended(store, forecast, what):
    session = pitree.open(forecast)
    before = len(session)
    with pytest.raises(TypeError, match="append takes a str, a dict or dicts"):
        session.append(what)
    assert len(session) == before


def test_append_below_another_entry(store, forecast):
    session = pitree.open(forecast)
    some = session[4]["id"]
    session.append("Another way", at=some)
    assert session[-1]["parentId"] == some and session.leaf_id == session[-1]["id"]


def test_names_and_labels(store, forecast):
    session = pitree.open(forecast)
    assert session.rename("Storms") == {"name": "Storms"} and session.name == "Storms"
    some = session[4]["id"]
    assert session.label(some, "here")["label"] == "here" and session.labels[some] == "here"
    with pytest.raises(TypeError):
        session.label(some)
    assert session.labels[some] == "here"
    session.label(some, label=None)
    assert some not in session.labels
    session.goto(some)
    assert session.context()["messages"] == session.context(at=some)["messages"]
    assert pitree.open(forecast).name == "Storms"


def test_fork_and_clone(store, forecast):
    session = pitree.open(forecast)
    point = session.fork_points()[1]
    fork = session.fork(at=point["entryId"])
    assert fork.draft == point["text"] and fork.path != session.path
    ids = lambda entries: [entry["id"] for entry in entries if entry["type"] != "label"]
    assert ids(fork.entries()) == ids(session.branch(point["entryId"]))[:-1]
    assert fork.header["parentSession"] == session.path
    clone = session.clone()
    assert clone.draft is None and len(clone.branch()) >= len(session.branch())
    with pytest.raises(pitree.Refused):
        session.fork(at=session.leaf_id)
    with pytest.raises(pitree.UsageError):
        session.fork()


def test_what_others_append(store, forecast):
    session, other = pitree.open(forecast), pitree.open(forecast)
    other.append("one")
    assert session.refresh() == 1 and session[-1] == other[-1]
    other.append("two")
    session.append("three")
    texts = [entry["message"]["content"][0]["text"] for entry in entries(forecast)[-3:]]
    assert texts == ["one", "two", "three"]
    assert session[-1]["parentId"] == session[-2]["id"]


def test_an_old_version_needs_consent(store):
    old = {"type": "session", "id": "old", "timestamp": "2026-03-04T10:00:00.000Z", "cwd": "/"}
    entry = {"type": "message", "timestamp": "2026-03-04T10:00:01.000Z"}
    path = store.add("old.jsonl", lines(old, {**entry, "message": {"role": "user", "content": "a"}}))
    session = pitree.open(path)
    with pytest.raises(pitree.Refused) as raised:
        session.append("more")
    assert raised.value.kind == "needs-migration"
    assert "migrated" in session.append("more", migrate=True)
    assert session.header["version"] == 3 and len(session) == 2


def test_many_threads_append_to_one_session(store, forecast):
    session = pitree.open(forecast)
    before = len(session)

    def work(name):
        for number in range(10):
            session.append(f"{name} {number}")
            assert session.context()["messages"]

    threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(session) == before + 40 == len(entries(forecast)) - 1
    said = sorted(entry["message"]["content"][0]["text"] for entry in session.entries()[before:])
    assert said == sorted(f"{name} {number}" for name in "abcd" for number in range(10))


def test_a_copy_that_cannot_be_written(store, forecast, tmp_path):
    path = store.add("odd.jsonl", lines(message("1", None, "user", "no header")))
    session = pitree.open(path, lenient=True)
    assert len(session) == 1
    before = path.read_bytes()
    with pytest.raises(pitree.PitreeError):
        session.append("more")
    assert path.read_bytes() == before
    shutil.copy(forecast, tmp_path / "copy.jsonl")
    assert pitree.open(tmp_path / "copy.jsonl").entries() == pitree.open(forecast).entries()
