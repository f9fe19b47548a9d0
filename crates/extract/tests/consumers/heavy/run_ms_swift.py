"""`ms-swift` as ms-swift reads it: run_ms_swift.py FOLDER.

Runs its preprocessor on every row and looks at what it makes of it: calls become messages of their
own, and each part of a reply keeps its `loss`.
"""

import json
import sys
from pathlib import Path

from stubs import bare_packages, stub

stub("torch", "peft", "modelscope", "PIL", "accelerate", "einops", "swift.utils")
bare_packages("swift", "swift.dataset", "swift.dataset.preprocessor", "swift.template")

import importlib  # noqa: E402

inputs = importlib.import_module("swift.template.template_inputs")
sys.modules["swift.template"].history_to_messages = None
core = importlib.import_module("swift.dataset.preprocessor.core")

from common import check, read_lines  # noqa: E402


def meant(message):
    """The messages that ms-swift is to make of one of ours."""
    role = message["role"]
    loss = {"loss": message["loss"]} if "loss" in message else {}
    calls = message.get("tool_calls", [])
    if message["content"] or not calls:
        yield {"role": role, "content": message["content"], **loss}
    for call in calls:
        yield {"role": "tool_call", "content": call["function"], **loss}


def main(folder):
    rows = read_lines(Path(folder, "data.jsonl"))
    preprocessor = core.MessagesPreprocessor()
    for row in rows:
        expected = [part for message in row["messages"] for part in meant(message)]
        made = preprocessor.preprocess(json.loads(json.dumps(row)))
        found = [
            {key: message[key] for key in ("role", "content", "loss") if key in message}
            for message in made["messages"]
        ]
        name = json.loads(row["metadata"])["sample_id"]
        check(found == expected, f"{name}:\n{found}\n{expected}")
        check(made.get("tools") == row.get("tools"), f"{name}: other tools")
    print(f"{len(rows)} rows")


main(*sys.argv[1:])
