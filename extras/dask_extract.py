"""Extraction on a Dask cluster: the same plan as on one machine or on Ray, by another engine.

    python dask_extract.py --work FOLDER -o DATA [--address ADDRESS] [options of pitree extract]

Needs `pitree` and `dask[distributed]` on all workers. The work folder, the data set and the sessions
lie where all workers see them. A shard whose worker died is tried again elsewhere; what is finished
is found again in the work folder, so nothing is done for nothing.
"""

import argparse
import json

import pitree
from dask.distributed import Client
from pitree import _native


def extract(client, work, words, map_shards=None):
    """Plans a data set, shares the work out among the workers, and publishes the data set."""
    map_shards = map_shards or 4 * sum(client.nthreads().values())
    round, output, force, redaction_log = _native.plan_words(work, words, map_shards)
    while True:
        # Not pure: that a shard was done before is for the work folder to know.
        shards = range(round["shards"])
        client.gather(client.map(lambda n: pitree.map_shard(work, round, n), shards, pure=False))
        reduced = client.submit(pitree.reduce, work, round, pure=False).result()
        if "decided" in reduced:
            break
        round = reduced["map_again"]
    decided = reduced["decided"]
    files = range(decided["shards"])
    client.gather(
        client.map(lambda n: pitree.assemble_shard(work, decided, n), files, pure=False)
    )
    return pitree.publish(work, decided, output, force=force, redaction_log=redaction_log)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], allow_abbrev=False)
    parser.add_argument("--work", required=True, help="a folder that all workers see")
    parser.add_argument("--address", help="the scheduler; without it, a cluster is started here")
    parser.add_argument("--map-shards", type=int, help="parts in which sessions are worked on")
    ours, words = parser.parse_known_args()
    with Client(ours.address) as client:
        print(json.dumps(extract(client, ours.work, words, ours.map_shards)))


if __name__ == "__main__":
    main()
