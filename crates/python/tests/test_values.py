"""What becomes of JSON, and of hostile files: never a panic, always the objects of `json.loads`."""

import json
import math
import random

import pytest
from conftest import header, lines, message

import pitree
from pitree import _native


def load(text):
    return _native.load_json(text if isinstance(text, bytes) else text.encode())


def random_value(draw, depth=0):
    kind = draw.randrange(8 if depth < 5 else 6)
    if kind == 0:
        return draw.choice([True, False, None])
    if kind == 1:
        return draw.choice([0, -1, 2**53, 2**63, -(2**64), 10**30, draw.randrange(1000)])
    if kind == 2:
        return draw.choice([0.5, -1.25e-300, 1e300, 1.0, draw.random()])
    if kind in (3, 4, 5):
        alphabet = ["a", "\n", '"', "\\", "é", "漢", "😀", "\ud83d", "\ude00", "\x00", "\u2028"]
        return "".join(draw.choice(alphabet) for _ in range(draw.randrange(12)))
    items = range(draw.randrange(5))
    if kind == 6:
        return [random_value(draw, depth + 1) for _ in items]
    return {f"k{draw.randrange(9)}é\\": random_value(draw, depth + 1) for _ in items}


def test_json_becomes_what_json_loads_makes_of_it():
    draw = random.Random(7)
    for _ in range(3000):
        value = random_value(draw)
        for ascii in (True, False):
            text = json.dumps(value, ensure_ascii=ascii, indent=draw.choice([None, 1]))
            try:
                raw = text.encode()
            except UnicodeEncodeError:
                # A lone surrogate has no UTF-8, so the command always escapes it.
                continue
            mine, theirs = load(raw), json.loads(raw)
            assert mine == theirs and repr(mine) == repr(theirs)


def test_numbers_are_whole_or_not_as_they_are_written():
    for text in ["0", "-0", "1", "1.0", "1e2", "1e999", "123456789012345678901234567890", "-5e-324"]:
        mine, theirs = load(text), json.loads(text)
        assert type(mine) is type(theirs) and mine == theirs
    assert math.isinf(load("1e999"))


def test_halves_of_surrogate_pairs_stay():
    assert load(r'["\ud800", "a\udc00b", "\ud83d\ude00"]') == ["\ud800", "a\udc00b", "😀"]


def test_depth_is_no_limit():
    deep = 200_000
    value = load("[" * deep + "]" * deep)
    count = 0
    while value:
        value, count = value[0], count + 1
    assert count == deep - 1


def test_what_is_not_json_is_an_error():
    good = [b'{"a": [1, 2.5, "x\\u00e9\\ud800", null, true], "b": {"c": "d"}}', b'[-1e5, "\xc3\xa9"]']
    draw = random.Random(11)
    for text in good:
        for end in range(len(text)):
            with pytest.raises(ValueError):
                load(text[:end])
        for _ in range(4000):
            bad = bytearray(text)
            for _ in range(draw.randrange(1, 4)):
                bad[draw.randrange(len(bad))] = draw.randrange(256)
            try:
                load(bytes(bad))
            except ValueError:
                pass
    for text in ["", " ", "[1,]", "{,}", "[1 2]", '{"a" 1}', "nul", "01x", "-", '"', "[}", "1 2"]:
        with pytest.raises(ValueError):
            load(text)


HOSTILE = [
    message("1", None, "user", "\ud800 half \udfff"),
    {**message("2", "1", "assistant", "\x1b[2J"), "usage": {"cost": 1e308}},
    {**message("3", "3", "user", "its own parent")},
    {**message("4", "nowhere", "user", "lost"), "\ud800": {"deep": [[[[[[]]]]]]}},
    {"type": "custom", "id": "5", "parentId": "2", "customType": "x", "data": [2**70, 1e-7, -0.0]},
    {"type": "label", "id": "6", "parentId": "5", "targetId": "2", "label": "\udc80 odd"},
    {"type": "session_info", "id": "7", "parentId": "6", "name": "half \ud83d"},
]


def test_a_session_with_odd_values(store):
    path = store.add("hostile.jsonl", lines(header("hostile"), *HOSTILE))
    session = pitree.open(path)
    assert session.entries() == store.command("entries", path)[0]["entries"]
    assert session[0]["message"]["content"][0]["text"] == "\ud800 half \udfff"
    assert session.labels == {"2": "\udc80 odd"} and session.name == "half \ud83d"
    assert session.tree() == store.command("tree", path)[0]
    assert session.context() == store.command("context", path)[0]
    assert pitree.search("half") == store.command("search", "half")[0]


def test_no_bytes_do_harm(store, forecast):
    draw = random.Random(5)
    original = forecast.read_bytes()
    for _ in range(150):
        bad = bytearray(original)
        for _ in range(draw.randrange(1, 30)):
            at = draw.randrange(len(bad))
            if draw.random() < 0.3:
                del bad[at : at + draw.randrange(200)]
            else:
                bad[at] = draw.randrange(256)
        path = store.add("bad.jsonl", bytes(bad))
        try:
            session = pitree.open(path, lenient=draw.random() < 0.5)
            session.entries(), session.tree(nested=True), session.context(), session.cost()
            list(session.samples(no_redact=True))
            session.name, session.labels, session.header
        except pitree.PitreeError as error:
            assert error.kind != "internal"


def test_a_deep_session(store):
    chain = [message(f"{n:06}", f"{n - 1:06}" if n else None, "user", "x") for n in range(20_000)]
    session = pitree.open(store.add("deep.jsonl", lines(header("deep"), *chain)))
    node, depth = session.tree(nested=True)["tree"], 0
    while node:
        node, depth = node[0]["children"], depth + 1
    assert depth == len(chain) == len(session)
