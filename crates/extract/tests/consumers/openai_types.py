"""`openai` against the types of OpenAI's own package: openai_types.py ROWS CHAT_ROWS.

The rows must pass. The rows of `chat`, which have objects for arguments, must not, so that it is
known that the types look at all.
"""

import sys

from openai.types.chat import ChatCompletionFunctionToolParam, ChatCompletionMessageParam
from pydantic import TypeAdapter, ValidationError

from common import check, load, read_lines

MESSAGES = TypeAdapter(list[ChatCompletionMessageParam])
TOOLS = TypeAdapter(list[ChatCompletionFunctionToolParam])


def walk(value):
    """Goes through all of it: lists are only checked when they are read."""
    if isinstance(value, dict):
        for item in value.values():
            walk(item)
    elif not isinstance(value, str) and hasattr(value, "__iter__"):
        for item in value:
            walk(item)


def passes(row):
    try:
        walk(MESSAGES.validate_python(row["messages"]))
        walk(TOOLS.validate_python(row.get("tools", [])))
        return None
    except ValidationError as error:
        return error


def main(rows_path, chat_path):
    rows = read_lines(rows_path)
    check(len(load(rows_path)) == len(rows), "datasets lost rows")
    for row in rows:
        error = passes(row)
        check(error is None, error)
        check(set(row) <= {"messages", "tools"}, f"members {set(row)}")
        check(row["messages"][-1]["role"] == "assistant", "does not end with a reply")
        check(row["messages"][-1].get("weight", 1) == 1, "the last reply has no weight")
        for message in row["messages"]:
            weight = message.get("weight")
            check(weight is None or message["role"] == "assistant", "a weight on no reply")
    with_calls = [row for row in read_lines(chat_path) if any("tool_calls" in m for m in row["messages"])]
    check(with_calls and all(passes(row) for row in with_calls), "objects passed as arguments")
    print(f"{len(rows)} rows, {len(with_calls)} others refused")


main(*sys.argv[1:])
