"""Extraction on a Ray cluster: `pip install pitree[ray]`, Python 3.10 or newer.

    python -m pitree.ray extract --work FOLDER -o DATA [--address ADDRESS] [options of extract]

takes the options of `pitree extract` and writes the same dataset, byte for byte. Shards of sessions
are mapped and output shards are assembled by tasks of Ray; what they hand on lies in a work folder
that all nodes see, under names made of its content. So a task that dies is tried again, a run that
died can be started again and reuses finished work, and doing something twice does no harm.

>>> from pitree.ray import words_of
>>> words_of(["extract", "--work", "w", "-o", "d", "--address", "auto", "--split=0.1"])[:2]
(['-o', 'd', '--split=0.1'], 'w')
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import time
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

import pitree
from pitree import _native

__all__ = ["extract", "main", "run"]

# A folder that all nodes see.
Folder = Union[str, "os.PathLike[str]"]

# Told the name of a stage, how many of its shards are done, and how many there are.
Progress = Callable[[str, int, int], None]

# A node that is gone takes its tasks with it, as often as nodes go. Ray tries again by itself when a
# worker or a node dies; an error of pitree is an answer, and trying again would give it again.
RETRIES = -1


def extract(
    work: Folder,
    output: Folder,
    *,
    map_shards: Optional[int] = None,
    progress: Optional[Progress] = None,
    **options: Any,
) -> Dict[str, Any]:
    """Extracts a dataset on the cluster that Ray is connected to.

    `work` and `output` are folders that all nodes see, and sessions lie where all nodes see them.
    The options are those of `pitree.extract`. A run that died is continued if it is started again
    with the same options; after one has finished, a new plan is made. `progress` is called with the
    name of the stage, how many shards are done, and how many there are. Returns what
    `pitree.extract` returns.
    """
    asked = {"output": _place(output), "folder": os.getcwd(), "options": options}
    publication = {"output": asked["output"], "force": bool(options.get("force"))}
    log = options.get("redaction_log")
    publication["redaction_log"] = log and os.fspath(log)

    def make() -> Dict[str, Any]:
        shards = map_shards or _usual_shards()
        return {"round": pitree.plan(work, output, map_shards=shards, **options), **publication}

    return run(work, _planned(work, asked, make), progress)


def run(work: Folder, planned: Dict[str, Any], progress: Optional[Progress] = None) -> Dict[str, Any]:
    """Carries out the plan in a work folder."""
    tell = progress or (lambda stage, done, total: None)
    round = planned["round"]
    while True:
        shards = [(work, round, number) for number in range(round["shards"])]
        _all(_task(_map_shard), shards, "map", tell)
        (reduced,) = _all(_task(_reduce), [(work, round)], "reduce", tell)
        if "decided" in reduced:
            break
        round = reduced["map_again"]
    decided = reduced["decided"]
    shards = [(work, decided, number) for number in range(decided["shards"])]
    _all(_task(_assemble_shard), shards, "assemble", tell)
    to = {name: planned[name] for name in ("output", "force", "redaction_log")}
    report = pitree.publish(work, decided, **to)
    _finish(work)
    return report


def _place(output: Any) -> str:
    """Where a dataset goes, also for a worker that is in another folder."""
    path = os.fspath(output)
    return path if "://" in path else os.path.abspath(path)


def _kept(work: Folder) -> str:
    """The file with the plan of a run that has not finished."""
    return os.path.join(work, "ray.json")


def _finish(work: Folder) -> None:
    """The next run makes a new plan: sessions may have come or grown."""
    with contextlib.suppress(FileNotFoundError):
        os.remove(_kept(work))


def _planned(work: Folder, asked: Any, make: Callable[[], Dict[str, Any]]) -> Dict[str, Any]:
    """The plan of the run that died, if it was asked for the same, else a new one."""
    path = _kept(work)
    asked = json.loads(json.dumps(asked, default=str))
    try:
        with open(path, encoding="utf-8") as file:
            known = json.load(file)
        if known["asked"] == asked:
            return known["planned"]
    except (OSError, ValueError, KeyError):
        pass
    planned = make()
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump({"asked": asked, "planned": planned}, file)
    os.replace(path + ".new", path)
    return planned


def _map_shard(work: Folder, round: Dict[str, Any], shard: int) -> Dict[str, Any]:
    return pitree.map_shard(work, round, shard)


def _reduce(work: Folder, round: Dict[str, Any]) -> Dict[str, Any]:
    return pitree.reduce(work, round)


def _assemble_shard(work: Folder, decided: Dict[str, Any], shard: int) -> Dict[str, Any]:
    return pitree.assemble_shard(work, decided, shard)


def _task(function: Callable[..., Any]) -> Any:
    import ray

    return ray.remote(max_retries=RETRIES, retry_exceptions=False)(function)


def _all(
    task: Any, arguments: List[Tuple[Any, ...]], stage: str, progress: Progress
) -> List[Dict[str, Any]]:
    """Runs a task for each of the arguments, wherever there is room."""
    import ray

    tasks = [task.remote(*one) for one in arguments]
    waiting = tasks
    progress(stage, 0, len(tasks))
    try:
        while waiting:
            done, waiting = ray.wait(waiting, timeout=1.0)
            for one in done:
                _get(one)
            progress(stage, len(tasks) - len(waiting), len(tasks))
    except BaseException:
        for one in waiting:
            ray.cancel(one)
        raise
    return [_get(one) for one in tasks]


def _get(one: Any) -> Any:
    """What a task gave; an error of pitree as what it was there."""
    import ray

    try:
        return ray.get(one)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, pitree.PitreeError):
            raise error.cause from None
        raise


def _usual_shards() -> int:
    """Several shards for each processor, so that none of them waits long for the last one."""
    import ray

    return max(1, int(ray.cluster_resources().get("CPU", 1)) * 4)


def words_of(words: List[str]) -> Tuple[List[str], str, Optional[str], Optional[int], bool]:
    """What is ours of a command line, and the words of `pitree extract`."""
    parser = argparse.ArgumentParser(
        prog="python -m pitree.ray",
        description="Extract on a Ray cluster. Takes the options of `pitree extract` too.",
        allow_abbrev=False,
    )
    parser.add_argument("verb", choices=["extract"])
    parser.add_argument("--work", required=True, help="a folder that all nodes see")
    parser.add_argument("--address", help="the cluster; without it, one is started here")
    parser.add_argument("--map-shards", type=int, help="parts in which sessions are worked on")
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    ours, theirs = parser.parse_known_args(words)
    return theirs, ours.work, ours.address, ours.map_shards, ours.quiet


def main(words: Optional[List[str]] = None) -> None:
    """The command line."""
    import ray

    theirs, work, address, map_shards, quiet = words_of(sys.argv[1:] if words is None else words)
    began = time.monotonic()

    def show(stage: str, done: int, total: int) -> None:
        if not quiet:
            print(f"{time.monotonic() - began:8.1f} s  {stage} {done} of {total}", file=sys.stderr)

    ray.init(address=address, ignore_reinit_error=True, log_to_driver=False)

    def make() -> Dict[str, Any]:
        shards = map_shards or _usual_shards()
        round, output, force, log = _native.plan_words(work, theirs, shards)
        return {"round": round, "output": output, "force": force, "redaction_log": log}

    try:
        report = run(work, _planned(work, theirs, make), show)
    except pitree.PitreeError as error:
        sys.exit(f"error: {error}")
    print(json.dumps(report))


if __name__ == "__main__":
    main()
