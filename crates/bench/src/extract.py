"""A plain extractor to compare with: chat lines of every active branch, secrets replaced.

It applies the same steps as `pitree extract --format chat` in the way one writes them in Python:
orjson reads and prints, `re` looks for secrets with the forms of pitree's own table, first in every
text of a session and then once more in every finished line. One process for each processor.

Usage: extract.py SESSIONS OUT TABLE
"""

import hashlib
import hmac
import multiprocessing
import os
import re
import sys

import orjson

KEY = bytes(32)


class Rules:
    """The forms of the table: words that call a rule, and the rule's regular expression."""

    def __init__(self, table):
        self.rules = []
        kind = None
        for line in open(table, encoding="utf-8"):
            line = line.rstrip("\n")
            if line.startswith("["):
                kind = line.strip("[]")
            elif line and not line.startswith("#"):
                name, words, form, *_ = re.split(r"\s{2,}", line)
                words = words.split(",")
                spelled = "|".join(re.escape(word) for word in words)
                if kind == "token":
                    form = rf"\b(?:{spelled})(?:{form})"
                elif kind == "near":
                    form = rf"(?i)(?:{spelled})[\w-]*\s*[=:]\s*[\"']?(?:{form})"
                self.rules.append((name, [word.lower() for word in words], form))
        self.compiled = {}
        words = sorted({word for _, words, _ in self.rules for word in words})
        # One pass for all words is faster than one for each.
        self.any_word = re.compile("|".join(re.escape(word) for word in words))
        self.by_word = {}
        for at, (_, words, _) in enumerate(self.rules):
            for word in words:
                self.by_word.setdefault(word, []).append(at)

    def redact(self, text):
        found = {rule for word in set(self.any_word.findall(text.lower())) for rule in self.by_word[word]}
        for at in sorted(found):
            name, _, form = self.rules[at]
            pattern = self.compiled.get(at)
            if pattern is None:
                pattern = self.compiled[at] = re.compile(form)
            text = pattern.sub(lambda match: placeholder(name, match.group()), text)
        return text


def placeholder(name, secret):
    if secret.startswith("[REDACTED:"):
        return secret
    return f"[REDACTED:{name}:{hmac.new(KEY, secret.encode(), hashlib.sha256).hexdigest()[:8]}]"


def walk(value, change):
    if isinstance(value, str):
        return change(value)
    if isinstance(value, list):
        return [walk(item, change) for item in value]
    if isinstance(value, dict):
        return {change(name): walk(item, change) for name, item in value.items()}
    return value


def content_text(content):
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content or [] if block.get("type") == "text")


def messages_of(path):
    """The chat messages of a branch, as Pi would send them."""
    messages = []
    for entry in path:
        if entry["type"] != "message":
            continue
        message = entry["message"]
        role = message["role"]
        if role == "user":
            messages.append({"role": "user", "content": content_text(message["content"])})
        elif role == "assistant":
            blocks = message["content"]
            reply = {"role": "assistant", "content": content_text(blocks)}
            thoughts = [block["thinking"] for block in blocks if block["type"] == "thinking"]
            if thoughts:
                reply["reasoning_content"] = "\n".join(thoughts)
            calls = [block for block in blocks if block["type"] == "toolCall"]
            if calls:
                reply["tool_calls"] = [
                    {
                        "id": call["id"],
                        "type": "function",
                        "function": {"name": call["name"], "arguments": call["arguments"]},
                    }
                    for call in calls
                ]
            messages.append(reply)
        elif role == "toolResult":
            text = content_text(message["content"])
            if len(text) > 16000:
                digest = hashlib.blake2b(text.encode()).hexdigest()[:16]
                text = f"{text[:8000]}\n[{len(text) - 16000} left out, {digest}]\n{text[-8000:]}"
            messages.append(
                {
                    "role": "tool",
                    "tool_call_id": message["toolCallId"],
                    "name": message["toolName"],
                    "content": text,
                }
            )
    return messages


def extract(path):
    entries, header, last = {}, None, None
    with open(path, "rb") as file:
        for line in file:
            try:
                entry = walk(orjson.loads(line), RULES.redact)
            except orjson.JSONDecodeError:
                continue
            if entry.get("type") == "session":
                header = header or entry
            elif "id" in entry:
                entries[entry["id"]] = entry
                last = entry["id"]
    branch = []
    while last in entries:
        entry = entries.pop(last)
        branch.append(entry)
        last = entry.get("parentId")
    branch.reverse()
    messages = messages_of(branch)
    while messages and messages[-1]["role"] != "assistant":
        messages.pop()
    if not messages or header is None:
        return b""
    row = {"messages": messages, "metadata": {"session_id": header["id"], "cwd": header["cwd"]}}
    line = orjson.dumps(row)
    # The second scan, over what is about to be written.
    clean = True

    def look(text):
        nonlocal clean
        clean = clean and RULES.redact(text) == text
        return text

    walk(orjson.loads(line), look)
    return line + b"\n" if clean else b""


def main():
    sessions, out, _ = sys.argv[1:]
    paths = sorted(
        os.path.join(folder, name)
        for folder, _, names in os.walk(sessions)
        for name in names
        if name.endswith(".jsonl")
    )
    with multiprocessing.Pool() as pool, open(out, "wb") as file:
        for line in pool.imap(extract, paths, chunksize=4):
            file.write(line)


RULES = Rules(sys.argv[3])

if __name__ == "__main__":
    main()
