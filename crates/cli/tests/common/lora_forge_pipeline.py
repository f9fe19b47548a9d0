"""Runs lora_forge's own pipeline, validators and tests with pitree's extractor in place.

    python3 lora_forge_pipeline.py FORGE EXTRACTOR SESSIONS WORK

FORGE is a copy of lora_forge, EXTRACTOR the folder with pir_sessions.py, SESSIONS a folder of Pi
sessions, and WORK an empty folder. Prints what was seen as JSON.
"""

import importlib.util
import json
import shutil
import subprocess
import sys
import unittest.mock
from pathlib import Path

OLD = "from data.extract.sessions import ExtractedSession, discover_sessions, extract_session"
NEW = OLD.replace("data.extract.sessions", "data.extract.pir_sessions")


def wired(forge: Path, extractor: Path, work: Path) -> Path:
    """A copy of lora_forge with the extractor and the one line that calls it."""
    copy = work / "forge"
    shutil.copytree(forge, copy)
    shutil.copy(extractor / "pir_sessions.py", copy / "data" / "extract")
    pipeline = copy / "data" / "pipeline.py"
    text = pipeline.read_text()
    assert text.count(OLD) == 1, "lora_forge's pipeline imports its extractor in another way"
    pipeline.write_text(text.replace(OLD, NEW))
    return copy


def claude_records(session: Path) -> list:
    """A Pi session without branches as Claude would have written it."""
    records, results = [], []

    def user(entry, content):
        records.append({"type": "user", "uuid": entry["id"], "sessionId": "s",
                        "timestamp": entry["timestamp"], "message": {"content": content}})

    for line in session.read_text().strip("\n").split("\n")[1:]:
        entry = json.loads(line)
        message = entry.get("message", {})
        if message.get("role") == "toolResult":
            text = "\n".join(block["text"] for block in message["content"])
            results.append((entry, {"type": "tool_result", "content": text,
                                    "tool_use_id": message["toolCallId"],
                                    "is_error": message["isError"]}))
            continue
        if results:
            user(results[-1][0], [result for _, result in results])
            results = []
        if message.get("role") == "user":
            user(entry, message["content"])
        elif message.get("role") == "assistant":
            blocks = [{"type": "tool_use", "id": block["id"], "name": block["name"],
                       "input": block["arguments"]} if block["type"] == "toolCall" else block
                      for block in message["content"]]
            records.append({"type": "assistant", "uuid": entry["id"], "requestId": entry["id"],
                            "timestamp": entry["timestamp"], "message": {"content": blocks}})
    return records


def as_own(turn) -> dict:
    """The members of a turn that lora_forge's own extractor has too."""
    calls = [{name: call[name] for name in ("id", "name", "input", "source", "mcp_server")}
             for call in turn.tool_calls]
    results = [{name: result[name] for name in ("tool_use_id", "content", "is_error")}
               for result in turn.tool_results]
    return {"role": turn.role, "content": turn.content, "calls": calls, "results": results,
            "timestamp": turn.timestamp, "uuid": turn.uuid}


def main() -> None:
    forge, extractor, sessions, work = (Path(word).absolute() for word in sys.argv[1:])
    copy = wired(forge, extractor, work)
    sys.path.insert(0, str(copy))
    # It is only there to ask a server for telemetry, of which there is none.
    sys.modules["requests"] = unittest.mock.MagicMock()
    sys.modules["requests"].Session.side_effect = lambda: unittest.mock.MagicMock(
        get=unittest.mock.Mock(side_effect=OSError("no server")))
    from data import pipeline
    from data.extract import pir_sessions, sessions as own
    from data.validate import schema

    stats = pipeline.run_pipeline(sessions, work / "out")
    raw = [json.loads(line) for line in (work / "out" / "raw_sessions.jsonl").open()]
    valid = [schema.validate_file(work / "out" / name)
             for name in ("gastown_train.jsonl", "gastown_val.jsonl")]
    equal, different = 0, []
    for path in sorted(sessions.glob("*/plain-*.jsonl")):
        claude = work / "claude.jsonl"
        claude.write_text("".join(json.dumps(line) + "\n" for line in claude_records(path)))
        expected = own.extract_session(claude)
        got = pir_sessions.extract_session(path, redact=False)
        ours, theirs = ([as_own(turn) for turn in it.turns] for it in (got, expected))
        different += [[a, b] for a, b in zip(ours, theirs) if a != b]
        equal += sum(a == b for a, b in zip(ours, theirs))
        if len(ours) != len(theirs):
            different.append([len(ours), len(theirs)])
    tests = None
    if importlib.util.find_spec("pytest") is not None:
        run = [sys.executable, "-m", "pytest", "-q", "data", "-p", "no:cacheprovider"]
        tests = subprocess.run(run, cwd=copy, capture_output=True, text=True, check=False)
        tests = [tests.returncode, tests.stdout[-2000:]]
    stats = {name: value for name, value in stats.items() if isinstance(value, (int, dict))}
    json.dump({"stats": stats, "roles": [it["metadata"]["role"] for it in raw],
               "samples": sum(total for total, _, _ in valid),
               "valid": sum(good for _, good, _ in valid),
               "errors": [error for _, _, errors in valid for error in errors],
               "equal": equal, "different": different, "tests": tests}, sys.stdout)


main()
