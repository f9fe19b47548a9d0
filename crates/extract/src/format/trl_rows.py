def trl_rows(batch):
    """TRL's prompt and completion, so that a reply with "train": false is only context."""
    rows = {"prompt": [], "completion": [], "tools": []}
    for messages, tools in zip(batch["messages"], batch["tools"]):
        begin = None
        for at, message in enumerate(messages + [{"role": "assistant", "train": False}]):
            if message["role"] != "assistant":
                continue
            if message.get("train") is not False:
                begin, end = at if begin is None else begin, at + 1
            elif begin is not None:
                rows["prompt"].append(messages[:begin])
                rows["completion"].append(messages[begin:end])
                rows["tools"].append(tools)
                begin = None
    return rows
