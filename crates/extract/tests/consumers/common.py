"""What the checks have in common: reading the rows and what they should mean."""

import json
import math
import sys


def fail(message):
    sys.exit(f"FAILED: {message}")


def check(condition, message):
    if not condition:
        fail(message)


def read_lines(path):
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def load(path):
    """The rows as `datasets` gives them to every trainer of Hugging Face."""
    from datasets import disable_progress_bars, load_dataset

    disable_progress_bars()
    return load_dataset("json", data_files=path, split="train")


def learned_part(meaning):
    """The messages up to the last one that is to be learned."""
    messages = meaning["messages"]
    end = max(at for at, message in enumerate(messages) if message["trained"])
    return messages[: end + 1]


def runs(messages):
    """Which replies are learned together: runs of them without one between that is not."""
    run, found = [], []
    for at, message in enumerate(messages):
        if message["role"] != "assistant":
            continue
        if message["trained"]:
            run.append(at)
        elif run:
            found.append(run)
            run = []
    return found + [run] if run else found


def byte_tokenizer(template):
    """A tokenizer with one token for each byte: what it is given can be read off its tokens."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE(vocab={c: at for at, c in enumerate(alphabet)}, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=False)
    tokenizer.decoder = decoders.ByteLevel()
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer)
    fast.chat_template = template
    return fast


def difference(one, other, place=""):
    """The first place at which two values differ, with what stands there; none if nowhere."""
    if isinstance(one, dict) and isinstance(other, dict) and list(one) == list(other):
        pairs = [(name, one[name], other[name]) for name in one]
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        pairs = [(at, *both) for at, both in enumerate(zip(one, other))]
    elif isinstance(one, float) and isinstance(other, (int, float)):
        # `datasets` reads numbers with the JSON of pandas, which rounds.
        return None if math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-300) else f"{place}: {one}"
    else:
        return None if one == other else f"{place}: {one!r} and {other!r}"
    found = (difference(a, b, f"{place}/{name}") for name, a, b in pairs)
    return next((text for text in found if text), None)
