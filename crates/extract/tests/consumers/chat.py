"""`chat` as TRL's SFTTrainer sees it: chat.py ROWS MEANINGS SNIPPET TEMPLATES CALLS.

Loads the rows with `datasets`, makes TRL's rows of them by the snippet of the data card, and does
what the trainer does before it trains: tokenizes with its templates and builds the labels.
What is left to learn must be exactly the replies that are meant. Then teich's validator, where the
calls are known to be valid.
"""

import sys
from pathlib import Path

import trl
from teich.tool_schema import validate_tool_calls
from trl.data_utils import _tokenize, common_prefix_length, is_conversational

from common import byte_tokenizer, check, difference, learned_part, load, read_lines, runs
import templates as by_hand

FOLDER = Path(trl.__file__).parent / "chat_templates"


def labels(tokenizer, row):
    """The text that is learned and the prompt, as `tokenize_fn` and `build_labels` of TRL's
    trainer have them."""
    options = {"chat_template": tokenizer.chat_template, "tools": row["tools"]}
    prompt = _tokenize(tokenizer, row["prompt"], add_generation_prompt=True, **options)
    whole = _tokenize(
        tokenizer, row["prompt"] + row["completion"], return_assistant_tokens_mask=True, **options
    )
    ids = whole["input_ids"]
    start = common_prefix_length(prompt["input_ids"], ids)
    mask = [bit and at >= start for at, bit in enumerate(whole["assistant_masks"])]
    learned = tokenizer.decode([token for token, bit in zip(ids, mask) if bit])
    return learned, tokenizer.decode(ids[:start])


def can_be_compared(template, messages, start):
    """Two templates cannot show every conversation as it is, whoever wrote it down.

    Both leave out the thoughts of earlier turns, so that a prompt alone looks otherwise than
    before its completion if that has another turn; gpt-oss also if it begins in mid-turn. And
    gpt-oss shows one call of a message.
    """
    if template not in ("glm4moe", "gptoss"):
        return True
    if template == "gptoss" and any(len(message["calls"]) > 1 for message in messages):
        return False
    before = [message for message in messages[:start] if message["role"] == "assistant"]
    if not before:
        return True
    is_mid_turn = template == "gptoss" and before[-1]["calls"]
    return not is_mid_turn and all(message["role"] != "user" for message in messages[start:])


def main(rows_path, meanings_path, snippet, templates, calls):
    meanings = {meaning["sampleId"]: meaning for meaning in read_lines(meanings_path)}
    data = load(rows_path)
    raw = read_lines(rows_path)
    for row, loaded in zip(raw, data, strict=True):
        changed = difference(row, loaded)
        check(changed is None, f"datasets changed {changed}")
    scope = {}
    exec(Path(snippet).read_text(), scope)
    compared = 0
    tokenizers = [
        (getattr(by_hand, name), byte_tokenizer((FOLDER / f"{name}_training.jinja").read_text()))
        for name in templates.split(",")
    ]
    for row in raw:
        name = row["metadata"]["sampleId"]
        messages = learned_part(meanings[name])
        if "messages" in row:
            made = scope["trl_rows"]({"messages": [row["messages"]], "tools": [row["tools"]]})
            made = [dict(zip(made, values)) for values in zip(*made.values())]
        else:
            made = [row]
        expected_runs = runs(messages)
        check(len(made) == len(expected_runs), f"{name}: {len(made)} rows for TRL")
        for trl_row, run in zip(made, expected_runs):
            check(is_conversational(trl_row), f"{name}: not a conversation")
            shown = messages[: run[-1] + 1]
            for meant, tokenizer in tokenizers:
                if not can_be_compared(meant.__name__, shown, run[0]):
                    continue
                expected = "".join(meant(shown, at) for at in run)
                found, prompt = labels(tokenizer, trl_row)
                # What a reply begins with in any case belongs to the prompt.
                given = expected.removesuffix(found)
                same = expected.endswith(found) and prompt.endswith(given) and len(given) < 20
                check(same, f"{name}, {meant.__name__}:\n{found!r}\n{expected!r}")
                compared += 1
        whole = row["messages"] if "messages" in row else row["prompt"] + row["completion"]
        if row["tools"] and calls == "valid":
            report = validate_tool_calls({"messages": whole, "tools": row["tools"]})
            check(report.ok, f"{name}: {report.errors}")
    print(f"{len(raw)} rows, {compared} comparisons with {templates}")


main(*sys.argv[1:])
