#!/usr/bin/env python3
"""Summaries without a model: what the user asked for, and which files were touched.

When a branch is left with a summary, or the context is compacted, this extension writes the
summary itself, from the user's own words. It needs no key, costs nothing and is always the same.

To use it: copy it to ~/.config/pitree/extensions/ and make it executable (chmod u+x).
"""

import json
import sys

PROTOCOL = 1
LONGEST_REQUEST = 200


def text_of(content):
    """The text of a message: a string, or blocks of which some are text."""
    if isinstance(content, str):
        return content
    blocks = content if isinstance(content, list) else []
    return " ".join(b.get("text", "") for b in blocks if b.get("type") == "text")


def requests(messages):
    """What the user said, each request in one short line."""
    for message in messages:
        if message.get("role") == "user":
            line = " ".join(text_of(message.get("content")).split())
            if line:
                yield line if len(line) <= LONGEST_REQUEST else line[:LONGEST_REQUEST] + "…"


def touched_files(messages):
    """The files that tools read or changed, each once, in order."""
    files = {}
    for message in messages:
        content = message.get("content")
        if message.get("role") != "assistant" or not isinstance(content, list):
            continue
        for block in content:
            path = (block.get("arguments") or {}).get("path")
            if block.get("type") == "toolCall" and isinstance(path, str):
                files[path] = None
    return list(files)


def summary_of(messages, previous=None):
    lines = [previous, ""] if previous else []
    lines.append("The user asked for:")
    lines += [f"- {request}" for request in requests(messages)] or ["- nothing"]
    files = touched_files(messages)
    if files:
        lines += ["", "Files that were read or changed:"]
        lines += [f"- {path}" for path in files]
    return "\n".join(lines), {"files": files}


def before_tree(event):
    """A branch is left. Only if the user wants a summary is there something to do."""
    preparation = event["preparation"]
    if not preparation["userWantsSummary"]:
        return None
    entries = preparation["entriesToSummarize"]
    messages = [entry["message"] for entry in entries if entry["type"] == "message"]
    summary, details = summary_of(messages)
    return {"summary": {"summary": summary, "details": details}}


def before_compact(event):
    """The context is compacted. What is kept, and from where, stays as pitree prepared it."""
    preparation = event["preparation"]
    messages = preparation["messagesToSummarize"] + preparation["turnPrefixMessages"]
    summary, details = summary_of(messages, preparation.get("previousSummary"))
    return {"compaction": {"summary": summary, "details": details}}


HANDLERS = {"session_before_tree": before_tree, "session_before_compact": before_compact}


def say(line):
    print(json.dumps(line), flush=True)


def main():
    hello = json.loads(sys.stdin.readline())
    if hello["protocol"] != PROTOCOL:
        sys.exit(f"this extension speaks protocol {PROTOCOL}, not {hello['protocol']}")
    say({"type": "hello", "protocol": PROTOCOL, "events": list(HANDLERS)})
    for line in sys.stdin:
        message = json.loads(line)
        event = message["event"]
        say({"type": "reply", "id": message["id"], "result": HANDLERS[event["type"]](event)})


if __name__ == "__main__":
    main()
