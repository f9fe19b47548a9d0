"""The data card as its reader uses it: card.py FOLDER.

Runs the Python of the card in the folder of the data set, up to the trainer, which needs torch.
"""

import os
import re
import sys
from pathlib import Path

from common import check, read_lines


def main(folder):
    os.chdir(folder)
    card = Path("README.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", card, re.DOTALL).group(1)
    lines = [line for line in code.splitlines() if not re.match(r"from trl|trainer = ", line)]
    check(len(lines) == len(code.splitlines()) - 2, "the card has another form")
    scope = {}
    exec("\n".join(lines), scope)
    data = scope["data"]
    rows = read_lines("data.jsonl")
    check(len(data) >= len(rows) > 0, f"{len(data)} of {len(rows)} rows")
    check(data.column_names == ["prompt", "completion", "tools"], data.column_names)
    for row in data:
        check(row["completion"][-1]["role"] == "assistant", "a completion without a reply")
        check(all("train" not in message for message in row["completion"]), "a mask is left")
    print(f"{len(rows)} rows, {len(data)} for TRL")


main(*sys.argv[1:])
