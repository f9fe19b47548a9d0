"""The stages give the data set of one machine, byte for byte, whoever calls them."""

import importlib.util
import json
import multiprocessing
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import pytest
from conftest import header, lines, message

import pitree

ROOT = pathlib.Path(__file__).resolve().parents[3]


def content(folder):
    """The files of a data set. The card says which command has made it."""
    return {
        path.relative_to(folder): path.read_bytes()
        for path in sorted(pathlib.Path(folder).rglob("*"))
        if path.is_file()
    }


USAGE = {"input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 2}
USAGE["cost"] = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0.5}
REPLY = {"provider": "p", "model": "m", "api": "a", "stopReason": "stop", "usage": USAGE}


def two_messages(name):
    return [
        message("u", None, "user", f"What is {name}?"),
        message("a", "u", "assistant", f"It is {name}.", **REPLY),
    ]


def add_sessions(store, count=12):
    for number in range(count):
        id = f"session-{number:03}"
        entries = [
            message("u", None, "user", f"What is {number}? The password=Xk3-{number:03}-vPq9zL7 is new."),
            message("a", "u", "assistant", f"It is {number}.", **REPLY),
            message("v", "a", "user", "And now?"),
            message("b", "v", "assistant", f"Still {number}.", **REPLY),
        ]
        store.add(f"{id}.jsonl", lines(header(id), *entries))


def in_stages(work, output, *, map_one=None, seed=None, **options):
    """Calls all stages here, in any order that is allowed."""
    draw = random.Random(seed)
    round = pitree.plan(work, output, **options)
    while True:
        shards = list(range(round["shards"]))
        draw.shuffle(shards)
        [pitree.map_shard(work, round, shard) for shard in shards]
        reduced = pitree.reduce(work, round)
        if "decided" in reduced:
            break
        round = reduced["map_again"]
    decided = reduced["decided"]
    shards = list(range(decided["shards"]))
    draw.shuffle(shards)
    [pitree.assemble_shard(work, decided, shard) for shard in shards]
    return pitree.publish(work, decided, output)


OPTIONS = [
    {},
    {"shards": 3, "split": 0.3},
    {"format": "parquet"},
    {"format": "lora-forge", "dedupe": "drop", "no_redact": True},
    {"format": "openai", "shards": 2, "compress": "zst"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_stages_give_the_data_set_of_one_machine(store, tmp_path, options):
    add_sessions(store)
    key = tmp_path / "key"
    options = options if "no_redact" in options else {**options, "key": key}
    one = pitree.extract(tmp_path / "data", **options)
    expected = content(tmp_path / "data")
    for seed, map_shards in enumerate([1, 5, 64]):
        work = tmp_path / f"work-{seed}"
        report = in_stages(work, tmp_path / "data", seed=seed, map_shards=map_shards, **options)
        assert content(tmp_path / "data") == expected
        assert {**report, "fromCache": 0} == {**one, "fromCache": 0}


def test_what_was_done_is_found_again(store, tmp_path):
    add_sessions(store, 4)
    work = tmp_path / "work"
    round = pitree.plan(work, tmp_path / "data", map_shards=2, no_redact=True)
    assert not pitree.map_shard(work, round, 0)["was_done"]
    assert pitree.map_shard(work, round, 0)["was_done"]
    with pytest.raises(pitree.PitreeError):
        pitree.reduce(work, round)
    with pytest.raises(pitree.PitreeError):
        pitree.map_shard(work, round, 99)
    with pytest.raises(pitree.UsageError):
        pitree.map_shard(work, {"number": "x"}, 0)
    assert pitree.plan(work, tmp_path / "data", map_shards=2, no_redact=True) == round


def test_a_session_that_became_shorter(store, tmp_path):
    add_sessions(store, 2)
    work = tmp_path / "work"
    round = pitree.plan(work, tmp_path / "data", map_shards=1, no_redact=True)
    path = store.project / "session-001.jsonl"
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(pitree.Refused) as raised:
        pitree.map_shard(work, round, 0)
    assert (raised.value.kind, raised.value.path) == ("changed", str(path))


def test_a_plan_of_another_build_is_refused(store, tmp_path):
    work = tmp_path / "work"
    round = pitree.plan(work, tmp_path / "data", no_redact=True)
    plan = json.loads((work / "plan.json").read_text())
    plan["build"] = "0.0.1 other"
    (work / "plan.json").write_text(json.dumps(plan))
    with pytest.raises(pitree.PitreeError, match="build"):
        pitree.map_shard(work, round, 0)


def test_files_that_are_skipped_are_logged(store, tmp_path, caplog):
    store.add("other.jsonl", "this is not a session\n")
    in_stages(tmp_path / "work", tmp_path / "data", map_shards=2, no_redact=True)
    named = [it for it in caplog.records if "other.jsonl" in it.getMessage()]
    assert [it.levelname for it in named] == ["WARNING"]


def test_no_secret_is_in_a_plan(store, tmp_path, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-api03-abcdefghijklmnop")
    key = tmp_path / "key"
    pitree.plan(tmp_path / "work", tmp_path / "data", key=key)
    text = (tmp_path / "work" / "plan.json").read_text()
    assert "sk-ant" not in text and key.read_text().strip() not in text and str(key) in text


def shard_in_a_process(arguments):
    return pitree.map_shard(*arguments)["shard"]


def test_processes_share_the_work(store, tmp_path):
    add_sessions(store)
    expected_report = pitree.extract(tmp_path / "data", no_redact=True)
    expected = content(tmp_path / "data")
    work = str(tmp_path / "work")
    round = pitree.plan(work, tmp_path / "data", map_shards=6, no_redact=True)
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        # Each shard twice, in two processes at a time.
        shards = [(work, round, shard) for shard in [*range(6), *range(6)]]
        assert sorted(pool.map(shard_in_a_process, shards)) == sorted([*range(6), *range(6)])
    report = in_stages(work, tmp_path / "data", map_shards=6, no_redact=True)
    assert content(tmp_path / "data") == expected
    assert report["samples"] == expected_report["samples"]


class LocalRay:
    """Runs the tasks of `pitree.ray` at once, in this process."""

    @staticmethod
    def all(task, arguments, stage, progress):
        return [task(*one) for one in arguments]

    @staticmethod
    def task(function):
        return function


def test_a_finished_run_is_not_continued(store, tmp_path, monkeypatch):
    import pitree.ray

    monkeypatch.setattr(pitree.ray, "_all", LocalRay.all)
    monkeypatch.setattr(pitree.ray, "_task", LocalRay.task)
    work, data = tmp_path / "work", tmp_path / "data"
    extract = lambda: pitree.ray.extract(work, data, map_shards=2, no_redact=True)
    before = extract()["sessions"]
    store.add("late.jsonl", lines(header("late"), *two_messages("late")))
    assert extract()["sessions"] == before + 1
    store.add("later.jsonl", lines(header("later"), *two_messages("later")))
    with monkeypatch.context() as broken:
        broken.setattr(pitree, "publish", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            extract()
    # That run has not finished, so it is continued: with its plan, without what came later.
    store.add("latest.jsonl", lines(header("latest"), *two_messages("latest")))
    assert extract()["sessions"] == before + 2
    assert extract()["sessions"] == before + 3


def test_ray_gives_the_data_set_of_one_machine(store, tmp_path, monkeypatch):
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    import pitree.ray

    # The names of its sockets are short.
    short = tempfile.mkdtemp(prefix="ray-", dir="/tmp")
    monkeypatch.setenv("RAY_TMPDIR", short)
    add_sessions(store)
    words = ["-o", str(tmp_path / "data"), "--split=0.3", "--shards=2", f"--key={tmp_path / 'key'}"]
    one = store.command("extract", *words)[0]
    expected = content(tmp_path / "data")
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    cluster.add_node(num_cpus=1)
    try:
        work = tmp_path / "work"
        stages = ["extract", "--work", str(work), "--address", cluster.address, "--map-shards", "5"]
        pitree.ray.main([*stages, *words])
        assert content(tmp_path / "data") == expected
        done = {path: path.stat().st_mtime_ns for path in (work / "maps").iterdir()}
        # Once more: all that was done is found.
        pitree.ray.main([*stages, *words])
        assert done == {path: path.stat().st_mtime_ns for path in (work / "maps").iterdir()}
        assert content(tmp_path / "data") == expected and one["samples"]
        seen = []
        report = pitree.ray.extract(
            tmp_path / "work-2",
            tmp_path / "data-2",
            map_shards=3,
            no_redact=True,
            progress=lambda *step: seen.append(step),
        )
        assert report["samples"] == one["samples"] and ("map", 3, 3) in seen
        # A run that has finished is not continued: a session that came since then is found.
        again = {"map_shards": 3, "no_redact": True}
        store.add("late.jsonl", lines(header("late"), *two_messages("late")))
        more = pitree.ray.extract(tmp_path / "work-2", tmp_path / "data-2", **again)
        assert more["sessions"] == report["sessions"] + 1
        with pytest.raises(pitree.NotFound):
            pitree.ray.extract(str(tmp_path / "w3"), str(tmp_path / "d3"), name="nothing-like-that")
    finally:
        ray.shutdown()
        cluster.shutdown()
        shutil.rmtree(short, ignore_errors=True)


def test_dask_gives_the_data_set_of_one_machine(store, tmp_path):
    pytest.importorskip("distributed")
    add_sessions(store)
    words = ["-o", str(tmp_path / "data"), "--split=0.3", "--shards=2", "--no-redact"]
    store.command("extract", *words)
    expected = content(tmp_path / "data")
    script = [sys.executable, ROOT / "extras" / "dask_extract.py", "--work", tmp_path / "work"]
    ran = subprocess.run(
        [*script, *words], env=dict(os.environ), capture_output=True, text=True, timeout=120
    )
    assert ran.returncode == 0, ran.stderr
    assert content(tmp_path / "data") == expected
    assert json.loads(ran.stdout)["samples"] > 0


def test_examples_of_the_module_run():
    import doctest

    if importlib.util.find_spec("ray") is None:
        pytest.skip("Ray is not installed")
    import pitree.ray

    assert doctest.testmod(pitree.ray).failed == 0
