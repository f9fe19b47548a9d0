"""Times the package `pitree` in this process.

Usage: python.py COMMAND AGENT PART PLAIN TABLE ROUNDS

COMMAND is the command to compare with, AGENT the folder of an agent with many sessions, PART one with
a part of them, PLAIN the extractor in plain Python, and TABLE its rules.
"""

import gc
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import time
import types

import pitree

COMMAND, AGENT, PART, PLAIN, TABLE, ROUNDS = sys.argv[1:]

# The package may take so many times what the command takes, and plain Python so many times what the
# package takes.
MOST, LEAST = 1.2, 20.0

failed = False


def timed(work):
    gc.collect()
    began = time.perf_counter()
    work()
    return 1e3 * (time.perf_counter() - began)


def command(*words):
    subprocess.run([COMMAND, "--json", *words], stdout=subprocess.DEVNULL, check=True)


def compare(what, ours, peer, limit, names):
    """Measures both in turns, and prints the medians."""
    global failed
    times = [(timed(ours), timed(peer)) for _ in range(int(ROUNDS))]
    mine, other = (statistics.median(column) for column in zip(*times))
    good = mine <= limit * other
    failed = failed or not good
    ratio = mine / other if limit > 1 else other / mine
    bound = f"at most {limit}" if limit > 1 else f"at least {1 / limit:.0f}"
    verdict = "good" if good else "BAD"
    print(f"{what:<28}{names[0]} {mine:10.1f} ms   {names[1]} {other:10.1f} ms   {ratio:6.2f} ({bound}): {verdict}")


def plain_extractor():
    """The plain extractor, with the `json` of Python where it would take orjson."""
    fake = types.ModuleType("orjson")
    fake.loads, fake.JSONDecodeError = json.loads, ValueError
    fake.dumps = lambda value: json.dumps(value, ensure_ascii=False).encode()
    sys.modules.setdefault("orjson", fake)
    argv, sys.argv = sys.argv, [PLAIN, "", "", TABLE]
    spec = importlib.util.spec_from_file_location("plain", PLAIN)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.argv = argv
    return module


def main():
    os.environ["PI_CODING_AGENT_DIR"] = AGENT
    sessions = pitree.list(scope="all")
    print(f"{len(sessions)} sessions; {ROUNDS} rounds in turns")
    names = ("package", "command")
    all_sessions = lambda: pitree.list(scope="all")
    compare("list", all_sessions, lambda: command("list", "--scope", "all"), MOST, names)
    largest = max(sessions, key=lambda session: os.path.getsize(session["path"]))["path"]
    context = lambda: pitree.open(largest).context()
    compare("open and context", context, lambda: command("context", largest), MOST, names)
    some = [session["path"] for session in sessions[:: max(1, len(sessions) // 50)]]
    contexts = lambda: [pitree.open(path).context() for path in some]
    compare(
        f"the same of {len(some)} sessions",
        contexts,
        lambda: [command("context", path) for path in some],
        MOST,
        names,
    )

    os.environ["PI_CODING_AGENT_DIR"] = PART
    plain = plain_extractor()
    folder = os.path.join(PART, "sessions")
    paths = [os.path.join(at, name) for at, _, names in os.walk(folder) for name in names]

    def by_python():
        for path in paths:
            line = plain.extract(path)
            if line:
                json.loads(line)

    def by_package():
        for _ in pitree.iter_samples(format="chat", no_index=True):
            pass

    compare("samples", by_package, by_python, 1 / LEAST, ("package", "Python "))
    sys.exit(failed)


if __name__ == "__main__":
    main()
