"""`llama-factory` as LLaMA-Factory reads it: run_llama_factory.py FOLDER.

Finds the data by `dataset_info.json`, converts every row, and encodes it with two templates. What
is to be learned must be the replies of the row, calls and all.
"""

import json
import re
import sys

from stubs import bare_packages, stub

stub("torch", "torchaudio", "peft", "accelerate")
bare_packages("llamafactory", "llamafactory.data", "llamafactory.extras")

from common import byte_tokenizer, check, read_lines  # noqa: E402
from llamafactory.data.converter import get_dataset_converter  # noqa: E402
from llamafactory.data.parser import get_dataset_list  # noqa: E402
from llamafactory.data.template import TEMPLATES  # noqa: E402

CALLS = re.compile(r"<tool_call>\n(.*?)\n</tool_call>", re.DOTALL)


def parts(value):
    """Text and calls of a `function_call` of ours."""
    text, _, rest = value.partition("<tool_call>")
    return text, json.loads(rest.removesuffix("</tool_call>"))


def main(folder):
    with open(f"{folder}/dataset_info.json", encoding="utf-8") as info:
        names = list(json.load(info))
    replies = 0
    for attributes in get_dataset_list(names, folder):
        converter = get_dataset_converter(attributes.formatting, attributes, None)
        rows = read_lines(f"{folder}/{attributes.dataset_name}")
        for row in rows:
            converted = converter(row)
            name = json.loads(row["metadata"])["sampleId"]
            check(converted["_prompt"] and converted["_response"], f"{name} is skipped")
            check(converted["_system"] == row["system"], f"{name}: another system prompt")
            messages = converted["_prompt"] + converted["_response"]
            for template in ("qwen", "qwen3"):
                tokenizer = byte_tokenizer("")
                pairs = TEMPLATES[template].encode_multiturn(
                    tokenizer, messages, converted["_system"] or None, converted["_tools"] or None
                )
                meant = row["conversations"][1::2]
                for (_, target), turn in zip(pairs, meant, strict=True):
                    compare(tokenizer.decode(target), turn, template, name)
                    replies += 1
        print(f"{attributes.dataset_name}: {len(rows)} rows")
    print(f"{replies} replies with two templates")


def compare(found, turn, template, name):
    if turn["from"] != "function_call":
        check(turn["value"] in found, f"{name}, {template}:\n{found!r}\n{turn['value']!r}")
        return
    text, calls = parts(turn["value"])
    check(text in found, f"{name}, {template}: no {text!r} in\n{found!r}")
    rest = found[found.index(text) + len(text) :]
    shown = [json.loads(call) for call in CALLS.findall(rest)]
    check(shown == calls, f"{name}, {template}:\n{shown}\n{calls}")


main(*sys.argv[1:])
