"""`ms-swift` as ms-swift reads it: run_ms_swift.py FOLDER.

Runs its preprocessor on every row, which must find nothing to change, and its template for tools on
every run of calls and on the tools.
"""

import importlib
import itertools
import json
import re
import sys
from pathlib import Path

from stubs import bare_packages, stub

bare_packages("swift", "swift.dataset", "swift.dataset.preprocessor", "swift.template")
bare_packages("swift.agent_template")
stub("torch", "peft", "modelscope", "PIL", "accelerate", "einops", "swift")

for name in ("history_to_messages", "Prompt", "split_str_parts_by"):
    setattr(sys.modules["swift.template"], name, None)

from common import check, read_lines  # noqa: E402

CALL = re.compile(r"<tool_call>\n(.*?)\n</tool_call>", re.DOTALL)


def real(name):
    """A module of ms-swift itself, where all others of it are empty ones."""
    finder = sys.meta_path.pop(0)
    try:
        parent, _, last = name.rpartition(".")
        path = Path(sys.modules[parent].__path__[0], f"{last}.py")
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
    finally:
        sys.meta_path.insert(0, finder)
    spec.loader.exec_module(module)
    return module


def main(folder):
    for name in ("swift.template.utils", "swift.template.template_inputs"):
        real(name)
    preprocessor = real("swift.dataset.preprocessor.core").MessagesPreprocessor()
    real("swift.agent_template.base")
    template = real("swift.agent_template.hermes").HermesAgentTemplate()
    rows = read_lines(Path(folder, "data.jsonl"))
    calls = 0
    for row in rows:
        sample = json.loads(row["metadata"])["sampleId"]
        made = preprocessor.preprocess(json.loads(json.dumps(row)))
        check(made["messages"] == row["messages"], f"{sample}: changed")
        for is_call, group in itertools.groupby(made["messages"], lambda m: m["role"] == "tool_call"):
            if not is_call:
                continue
            group = list(group)
            shown = [json.loads(call) for call in CALL.findall(template._format_tool_calls(group))]
            meant = [json.loads(message["content"]) for message in group]
            check(shown == meant, f"{sample}:\n{shown}\n{meant}")
            calls += len(group)
        if row["tools"]:
            text = template._format_tools(json.loads(row["tools"]), "You are an agent.")
            check(text.startswith("You are an agent."), f"{sample}: {text[:80]}")
    print(f"{len(rows)} rows, {calls} calls")


main(*sys.argv[1:])
