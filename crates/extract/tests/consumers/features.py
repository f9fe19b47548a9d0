"""Data sets whose later rows have more in them than the first ones: features.py FILE...

Each is loaded as its folder, by what the head of the card says. The last three are also loaded as
files, as their trainers do it.
"""

import sys
from pathlib import Path

from datasets import load_dataset
from datasets.exceptions import DatasetGenerationError

from common import check, difference, load, read_lines


def compare(rows, loaded, path):
    for row, found in zip(rows, loaded, strict=True):
        # A member that a row does not have is there as nothing.
        found = {name: value for name, value in found.items() if name in row}
        changed = difference(row, found)
        check(changed is None, f"{path}: {changed}")


def fails(path):
    try:
        load(path)
        return False
    except DatasetGenerationError:
        return True


def main(*paths):
    for at, path in enumerate(paths):
        rows = read_lines(path)
        check(len(rows) > 1, f"{path} has too few rows")
        compare(rows, load_dataset(str(Path(path).parent), split="train"), path)
        if at >= len(paths) - 3:
            compare(rows, load(path), path)
        elif at == 0:
            check(fails(path), "the rows are too much alike to show anything")
    print(f"{len(paths)} data sets")


main(*sys.argv[1:])
