"""The data card as its reader uses it: card.py FOLDER.

Runs the Python of the card, with the folder in its place, up to the trainer, which needs torch.
"""

import re
import sys
from pathlib import Path

from common import check, difference, read_lines


def main(folder):
    card = Path(folder, "README.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", card, re.DOTALL).group(1)
    lines = [line for line in code.splitlines() if not re.match(r"from trl|trainer = ", line)]
    check(len(lines) == len(code.splitlines()) - 2, "the card has another form")
    scope = {}
    exec("\n".join(lines).replace("FOLDER", folder), scope)
    data = scope["data"]
    rows = read_lines(Path(folder, "data.jsonl"))
    check(len(data) >= len(rows) > 0, f"{len(data)} of {len(rows)} rows")
    check(set(data.column_names) == {"prompt", "completion", "tools"}, data.column_names)
    batch = {name: [row[name] for row in rows] for name in ("messages", "tools")}
    meant = scope["trl_rows"](batch)
    for at, row in enumerate(data):
        changed = difference({name: meant[name][at] for name in row}, row)
        check(changed is None, f"row {at}: {changed}")
        check(row["completion"][-1]["role"] == "assistant", "a completion without a reply")
        check(all("train" not in message for message in row["completion"]), "a mask is left")
    print(f"{len(rows)} rows, {len(data)} for TRL")


main(*sys.argv[1:])
