"""Loads the traces in a folder as Hugging Face does, and prints one row for each file."""

import json
import sys
from pathlib import Path

from datasets import load_dataset

files = sorted(str(path) for path in Path(sys.argv[1]).glob("data/*.jsonl"))
data = load_dataset("json", data_files=files, split="train")
rows = [
    {
        "harness": row["harness"],
        "session": row["session_id"],
        "file": Path(row["file_path"]).name,
        "users": row["num_user_messages"],
        "messages": len(row["messages"]),
    }
    for row in data
]
# The folder by itself: its card says which files are data.
by_folder = {split: len(part) for split, part in load_dataset(sys.argv[1]).items()}
json.dump({"files": len(files), "rows": rows, "by_folder": by_folder}, sys.stdout)
