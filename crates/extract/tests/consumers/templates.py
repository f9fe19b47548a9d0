"""What a model is to learn of a reply, written down for six chat templates by hand.

Each function gets the messages of a row as they are meant and the place of a reply, and gives the
text that the template puts between its generation marks.
"""

import json


def as_json(value):
    return json.dumps(value, ensure_ascii=False)


def qwen2_5(messages, at):
    reply = messages[at]
    if not reply["calls"]:
        return "\n" + reply["text"] + "<|im_end|>\n"
    text = "\n" + reply["text"] if reply["text"] else ""
    for call in reply["calls"]:
        text += f'\n<tool_call>\n{{"name": "{call["name"]}", "arguments": '
        text += as_json(call["arguments"]) + "}\n</tool_call>"
    return text + "<|im_end|>\n"


def qwen3(messages, at):
    reply = messages[at]
    text = "<think>\n" + (reply["reasoning"] or "").strip("\n") + "\n</think>\n\n"
    text += reply["text"].lstrip("\n")
    for number, call in enumerate(reply["calls"]):
        text += "\n" if number or reply["text"] else ""
        text += f'<tool_call>\n{{"name": "{call["name"]}", "arguments": '
        text += as_json(call["arguments"]) + "}\n</tool_call>"
    return text + "<|im_end|>\n"


def glm4moe(messages, at):
    reply = messages[at]
    users = (place for place, message in enumerate(messages) if message["role"] == "user")
    last_user = max(users, default=-1)
    thought = (reply["reasoning"] or "").strip() if at > last_user else ""
    text = f"\n<think>{thought}</think>"
    if reply["text"].strip():
        text += "\n" + reply["text"].strip()
    for call in reply["calls"]:
        text += "\n<tool_call>" + call["name"] + "\n"
        for name, value in call["arguments"].items():
            value = value if isinstance(value, str) else as_json(value)
            text += f"<arg_key>{name}</arg_key>\n<arg_value>{value}</arg_value>\n"
        text += "</tool_call>"
    return text + ("<|observation|>" if reply["calls"] else "<|user|>")


def lfm2_v2(messages, at):
    def shown(value):
        if isinstance(value, str):
            for plain, escaped in [("\\", "\\\\"), ("'", "\\'"), ("\n", "\\n"), ("\r", "\\r")]:
                value = value.replace(plain, escaped)
            return f"'{value}'"
        return as_json(value) if isinstance(value, (dict, list)) else str(value)

    reply = messages[at]
    calls = []
    for call in reply["calls"]:
        given = ", ".join(f"{name}={shown(value)}" for name, value in call["arguments"].items())
        calls.append(f"{call['name']}({given})")
    called = f"<|tool_call_start|>[{', '.join(calls)}]<|tool_call_end|>" if calls else ""
    return reply["text"] + called + "<|im_end|>\n"


def llama3(messages, at):
    """Has no calls: only what is said."""
    return messages[at]["text"].strip() + "<|eot_id|>"


def gptoss(messages, at):
    """Has one call in a message, and its own way with thoughts before the last answer."""
    reply = messages[at]
    if not reply["calls"]:
        start, end = "<|start|>assistant<|channel|>", "<|end|>"
        last = at == len(messages) - 1
        thought = f"{start}analysis<|message|>{reply['reasoning']}{end}"
        text = thought if last and reply["reasoning"] else ""
        return text + f"{start}final<|message|>{reply['text']}" + ("<|return|>" if last else end)
    answers = (m for m in messages[at + 1 :] if m["role"] == "assistant" and not m["calls"])
    thought = reply["text"] or reply["reasoning"]  # never both
    text = ""
    if thought and next(answers, None) is None:
        text = f"<|start|>assistant<|channel|>analysis<|message|>{thought}<|end|>"
    call = reply["calls"][0]
    text += f"<|start|>assistant to=functions.{call['name']}<|channel|>commentary json<|message|>"
    return text + as_json(call["arguments"]) + "<|call|>"

