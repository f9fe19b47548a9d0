"""`preference` as TRL's DPOTrainer sees it: preference.py ROWS."""

import sys
from pathlib import Path

import trl
from trl.data_utils import apply_chat_template, is_conversational

from common import byte_tokenizer, check, difference, load, read_lines

FOLDER = Path(trl.__file__).parent / "chat_templates"


def main(rows_path):
    rows = read_lines(rows_path)
    tokenizer = byte_tokenizer((FOLDER / "qwen2_5.jinja").read_text())
    for row, loaded in zip(rows, load(rows_path), strict=True):
        changed = difference(row, loaded)
        check(changed is None, f"datasets changed {changed}")
        check(is_conversational(loaded), "not a conversation")
        shown = apply_chat_template(loaded, tokenizer, tools=loaded["tools"])
        if row["prompt"][-1]["role"] != "assistant":
            check(shown["prompt"].endswith("<|im_start|>assistant\n"), shown["prompt"][-80:])
        for side in ("chosen", "rejected"):
            check(len(row[side]) == 1 and row[side][0]["role"] == "assistant", row[side])
            check(row[side][0]["content"] in shown[side], f"{side}: {shown[side]!r}")
        check(shown["chosen"] != shown["rejected"], f"the same twice: {row['metadata']}")
    print(f"{len(rows)} pairs")


main(*sys.argv[1:])
