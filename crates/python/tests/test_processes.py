"""Ctrl+C, threads, child processes, and the command itself."""

import gc
import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from conftest import header, lines, message

import pitree


@pytest.fixture
def large(store):
    """Sessions that take a debug build some seconds."""
    usage = {"input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 2}
    usage["cost"] = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0}
    more = {"provider": "p", "model": "m", "api": "a", "stopReason": "stop", "usage": usage}
    text = "some words that are long enough to be read for a while. " * 40
    for number in range(60):
        id = f"{number:08}-large"
        entries = [header(id)]
        for at in range(200):
            role = "user" if at % 2 == 0 else "assistant"
            parent = f"{at - 1:08}" if at else None
            entry = message(f"{at:08}", parent, role, f"{id} {at} {text}", **(more if at % 2 else {}))
            entries.append(entry)
        store.add(f"{number:08}.jsonl", lines(*entries))
    return store


WORK = {
    "list": "pitree.list(scope='all', no_index=True)",
    "search": "pitree.search('nothing like that', no_index=True)",
    "cost": "pitree.cost(no_index=True)",
    "samples": "list(pitree.iter_samples())",
    "table": "pitree.table('entries').__arrow_c_stream__()",
}


@pytest.mark.parametrize("name", WORK)
def test_ctrl_c_ends_the_work(large, name):
    code = f"""
import pitree, sys, time
print("ready", flush=True)
try:
    while True:
        {WORK[name]}
except KeyboardInterrupt:
    began = time.time()
    print("interrupted", flush=True)
"""
    child = large.python(code)
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.5)
    sent = time.time()
    child.send_signal(signal.SIGINT)
    assert child.stdout.readline() == "interrupted\n", child.stderr.read()
    assert time.time() - sent < 5
    assert child.wait(10) == 0, child.stderr.read()


def test_other_threads_run_while_rust_works(large):
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    began = time.perf_counter()
    pitree.list(scope="all", no_index=True)
    took = time.perf_counter() - began
    done.set()
    thread.join()
    within = [at for at in ticks if began <= at <= began + took]
    gaps = [b - a for a, b in zip(within, within[1:])]
    assert len(within) > 3 and max(gaps) < max(0.25, took / 3)


def test_samples_are_bounded_and_end_early(large):
    samples = pitree.iter_samples(no_redact=True)
    next(samples)
    samples.close()
    assert list(samples) == []
    with pitree.iter_samples(no_redact=True) as samples:
        next(samples)
    assert next(samples, None) is None
    del samples
    gc.collect()
    until = time.time() + 20
    while time.time() < until and os.listdir(large.tmp):
        time.sleep(0.05)
    assert os.listdir(large.tmp) == [], "what was prepared for the samples is removed"


def test_several_threads_take_from_one_iterator(store):
    expected = sorted(map(json.dumps, pitree.iter_samples(unit="turn", no_redact=True)))
    samples, taken = pitree.iter_samples(unit="turn", no_redact=True), []

    def take():
        for sample in samples:
            taken.append(json.dumps(sample))

    threads = [threading.Thread(target=take) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert sorted(taken) == expected


def test_a_child_process_can_go_on(store, forecast):
    session = pitree.open(forecast)
    samples = pitree.iter_samples(no_redact=True)
    next(samples)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            assert session.entries() == pitree.open(forecast).entries()
            assert len(pitree.list(scope="all")) == 2
            assert list(pitree.iter_samples(no_redact=True))
            try:
                next(samples)
            except pitree.Refused:
                code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


def test_the_package_brings_the_command(store, forecast):
    for command in (["-m", "pitree"], [os.path.join(os.path.dirname(sys.executable), "pitree")]):
        ran = subprocess.run(
            [sys.executable, *command, "context", str(forecast)],
            env=store.environment,
            capture_output=True,
            text=True,
        )
        assert ran.returncode == 0 and "messages, about" in ran.stdout
        ran = subprocess.run([sys.executable, *command, "no-such"], capture_output=True, text=True)
        assert ran.returncode == 2 and "no-such" in ran.stderr
    ran = subprocess.run([sys.executable, "-m", "pitree", "--version"], capture_output=True, text=True)
    assert ran.stdout == f"pitree {pitree.__version__}\n"


def test_memory_does_not_grow(store):
    import resource

    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    for _ in range(30):
        pitree.list(scope="all")
    before = peak()
    for _ in range(300):
        pitree.list(scope="all")
    assert peak() - before < 8 << 10
