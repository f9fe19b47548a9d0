"""Errors are exceptions that say where, and what to do."""

import pathlib
import pickle

import pytest
from conftest import header, lines, message

import pitree
from pitree import _errors, _native


def test_every_kind_has_a_class():
    kinds = {kind for kind, _ in _native.error_kinds()}
    assert kinds == set(_errors._CLASSES)


def test_a_session_that_is_not_there(store):
    with pytest.raises(pitree.SessionNotFound) as raised:
        pitree.open("nothing-like-that")
    assert "nothing-like-that" in raised.value.message
    assert raised.value.hint and str(raised.value).endswith(raised.value.hint)
    with pytest.raises(pitree.SessionNotFound) as raised:
        pitree.open(pathlib.Path("gone.jsonl"))
    assert raised.value.path == str(store.home / "gone.jsonl")
    assert isinstance(raised.value, LookupError)


def test_a_file_that_is_not_a_session(store):
    path = store.add("other.jsonl", "this is not a session\n")
    with pytest.raises(pitree.NotASession) as raised:
        pitree.open(path)
    assert (raised.value.kind, raised.value.path) == ("not-a-session", str(path))


def test_a_line_that_changed_under_a_session(store):
    path = store.add("a.jsonl", lines(header("aaa"), message("1", None, "user", "x" * 50)))
    session = pitree.open(path)
    path.write_text(path.read_text().replace("xxx", "\\x\\", 1))
    with pytest.raises(pitree.DamagedSession) as raised:
        session.entries()
    assert (raised.value.kind, raised.value.path, raised.value.line) == ("damaged", str(path), 2)


def test_an_ambiguous_id(store):
    with pytest.raises(pitree.Ambiguous) as raised:
        pitree.open("019c")
    assert "019cadd3" in raised.value.message and "019cb2b8" in raised.value.message


def test_an_entry_that_is_not_there(store, forecast):
    session = pitree.open(forecast)
    for ask in (session.entry, session.branch, lambda id: session.context(at=id)):
        with pytest.raises(pitree.EntryNotFound) as raised:
            ask("zzzz")
        assert raised.value.path == str(forecast)
    with pytest.raises(IndexError):
        session[len(session)]
    with pytest.raises(IndexError):
        session[-len(session) - 1]


def test_wrong_arguments(store):
    for wrong in (
        lambda: pitree.open(7),
        lambda: pitree.search(None),
        lambda: pitree.list(since=object()),
    ):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(pitree.UsageError) as raised:
        pitree.search("role:nobody")
    assert raised.value.hint
    with pytest.raises(pitree.UsageError):
        pitree.table("samples")


def test_errors_get_from_process_to_process():
    error = pitree.SessionNotFound("not here", kind="session-not-found", path="/a", hint="look")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is pitree.SessionNotFound and vars(again) == vars(error)
    assert str(again) == str(error)


def asked_of(function, tmp_path, **options):
    """Asks for a dataset or for samples of it."""
    if function == "iter_samples":
        return list(pitree.iter_samples(**options))
    if function == "plan":
        return pitree.plan(tmp_path / "work", tmp_path / "data", **options)
    return pitree.extract(tmp_path / "data", **options)


@pytest.mark.parametrize("function", ["extract", "plan", "iter_samples"])
def test_a_named_file_that_is_missing(store, forecast, tmp_path, function):
    gone = store.home / "gone.jsonl"
    for sessions in (gone, [forecast, gone]):
        with pytest.raises(pitree.SessionNotFound) as raised:
            asked_of(function, tmp_path, sessions=sessions, no_redact=True)
        assert raised.value.path == str(gone)
        assert "remove a filter" not in str(raised.value)


@pytest.mark.parametrize("function", ["extract", "plan"])
def test_nothing_is_left_to_extract(store, tmp_path, function):
    with pytest.raises(pitree.NotFound) as raised:
        asked_of(function, tmp_path, name="nothing-like-that")
    assert (raised.value.kind, raised.value.hint) == ("not-found", "remove a filter")
    assert asked_of("iter_samples", tmp_path, name="nothing-like-that") == []
    other = store.add("other.jsonl", "this is not a session\n")
    with pytest.raises(pitree.NotFound) as raised:
        asked_of(function, tmp_path, sessions=other)
    assert raised.value.hint is None and "other.jsonl" in raised.value.message
    assert not (tmp_path / "data").exists()


def test_options_that_a_function_sets_by_itself(store, forecast):
    session = pitree.open(forecast)
    for function, option, ask in (
        ("table", "format", lambda: pitree.table("entries", format="chat")),
        ("table", "output", lambda: pitree.table("entries", output="data")),
        ("iter_samples", "output", lambda: pitree.iter_samples(output="data")),
        ("samples", "sessions", lambda: session.samples(sessions=[forecast])),
    ):
        with pytest.raises(pitree.UsageError) as raised:
            ask()
        assert str(raised.value) == f"`{function}` has no option `{option}`"
