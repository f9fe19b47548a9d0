"""`axolotl` as axolotl tokenizes it: run_axolotl.py FOLDER.

Runs its `chat_template` strategy with the settings of the data card. What is learned must be the
replies that have no `"train": false`, and nothing else.
"""

import re
import sys
from pathlib import Path
from types import SimpleNamespace

from stubs import bare_packages, stub

stub("torch", "accelerate", "peft", "fastcore", "axolotl_contribs_mit", "addict")
sys.modules["colorama"] = SimpleNamespace(Fore=SimpleNamespace(CYAN="", RESET=""))
bare_packages("axolotl", "axolotl.utils", "axolotl.prompt_strategies")

import trl  # noqa: E402
from axolotl.prompt_strategies import chat_template  # noqa: E402

from common import byte_tokenizer, check, read_lines  # noqa: E402
from templates import qwen2_5  # noqa: E402

TEMPLATE = Path(trl.__file__).parent / "chat_templates" / "qwen2_5.jinja"


def settings(folder):
    """The settings of the data set, as the card has them."""
    import yaml

    card = Path(folder, "README.md").read_text(encoding="utf-8")
    return yaml.safe_load(re.search(r"```yaml\n(.*?)```", card, re.DOTALL).group(1))["datasets"][0]


def meant(row):
    messages = [
        {
            "role": message["role"],
            "text": message["content"],
            "calls": [call["function"] for call in message.get("tool_calls", [])],
        }
        for message in row["messages"]
    ]
    for at, message in enumerate(row["messages"]):
        if message["role"] == "assistant" and message.get("train") is not False:
            # axolotl leaves out the line feeds around what is said.
            yield qwen2_5(messages, at)


def main(folder):
    given = settings(folder)
    tokenizer = byte_tokenizer(TEMPLATE.read_text())
    tokenizer.add_special_tokens({"eos_token": "<|im_end|>"})
    prompter = chat_template.ChatTemplatePrompter(
        tokenizer,
        chat_template=TEMPLATE.read_text(),
        max_length=10**9,
        message_field_training=given["message_field_training"],
        field_messages=given["field_messages"],
        field_tools=given["field_tools"],
    )
    strategy = chat_template.ChatTemplateStrategy(
        prompter,
        tokenizer=tokenizer,
        train_on_inputs=False,
        sequence_len=10**9,
        roles_to_train=given["roles_to_train"],
        train_on_eos=given["train_on_eos"],
    )
    rows = read_lines(Path(given["path"].replace("FOLDER", folder), "data.jsonl"))
    for row in rows:
        encoded = strategy.tokenize_prompt(dict(row))
        learned = [token for token in encoded["labels"] if token != -100]
        found = tokenizer.decode(learned)
        expected = "".join(text.strip("\n") for text in meant(row))
        name = row["metadata"]["sampleId"]
        check(found.replace("\n", "") == expected.replace("\n", ""), f"{name}:\n{found!r}\n{expected!r}")
    print(f"{len(rows)} rows")


main(*sys.argv[1:])
