"""Compares the trajectories in a folder with those of Harbor's own converter for Pi.

The input names the session files, one a line. Both sides are of the active path. Prints `null`
where Harbor is not installed, else what was compared and every difference.

Harbor leaves out system prompts and shell commands of the user, has steps for summaries, and keeps
replies that failed. None of that is compared.
"""

import importlib.util
import json
import logging
import sys
import tempfile
from pathlib import Path

if importlib.util.find_spec("harbor") is None:
    print("null")
    sys.exit()

from harbor.agents.installed.pi import Pi  # noqa: E402
from harbor.utils.trajectory_validator import TrajectoryValidator  # noqa: E402


def read_events(path):
    events = []
    for number, line in enumerate(path.read_text(errors="replace").split("\n"), start=1):
        try:
            event = json.loads(line)
        except json.JSONDecodeError:
            continue
        if isinstance(event, dict):
            events.append((number, event))
    return events


def text(content):
    if isinstance(content, list):
        content = "\n".join(part.get("text") or "[image]" for part in content)
    return content.strip()


def harbors(agent, events):
    """The replies and the user's messages of Harbor, by the ids of their entries."""
    trajectory = agent._convert_session_events_to_trajectory(agent._active_session_events(events))
    steps = trajectory.to_json_dict()["steps"] if trajectory else []
    replies, said = {}, {}
    for step in steps:
        extra = step["extra"]
        if "pi_event_type" in extra:
            continue
        if step["source"] == "user":
            said[extra["pi_event_id"]] = text(step["message"])
        elif extra.get("stop_reason") not in ("error", "aborted"):
            replies[extra["pi_event_id"]] = step
    return replies, said


def told(step):
    """What is compared of a reply."""
    calls = step.get("tool_calls") or []
    metrics = dict(step.get("metrics") or {})
    extra = metrics.pop("extra", {})
    metrics["cache_write_tokens"] = extra.get("cache_write_tokens")
    return {
        "message": text(step["message"]),
        "reasoning": (step.get("reasoning_content") or "").strip(),
        "calls": [(call["tool_call_id"], call["function_name"], call["arguments"]) for call in calls],
        "metrics": metrics,
    }


def results(step):
    found = (step.get("observation") or {}).get("results", [])
    return {
        result["source_call_id"]: (text(result.get("content") or ""), result["extra"]["is_error"])
        for result in found
    }


def is_empty(reply):
    return not (reply["message"] or reply["reasoning"] or reply["calls"])


def compare(ours, replies, said):
    differences = []
    seen = []
    steps = [step for step in ours["steps"] if step.get("extra", {}).get("pi_event_id")]
    for step in steps:
        entry = step["extra"]["pi_event_id"]
        if step["source"] == "user" and entry in said:
            seen.append(entry)
            if text(step["message"]) != said[entry]:
                differences.append([entry, "user", step["message"], said[entry]])
        if step["source"] != "agent":
            continue
        if entry not in replies:
            differences.append([entry, "only ours"])
            continue
        seen.append(entry)
        mine, other = told(step), told(replies[entry])
        if mine != other:
            differences.append([entry, mine, other])
        answered = results(step)
        for call, result in results(replies[entry]).items():
            if result[0] and answered.get(call) != result:
                differences.append([entry, call, answered.get(call), result])
    last = seen[-1] if seen else None
    expected = []
    for entry in [*said, *replies]:
        wanted = said.get(entry) or (entry in replies and not is_empty(told(replies[entry])))
        if wanted:
            expected.append(entry)
    return differences, seen, expected, last


def main():
    logging.disable(logging.CRITICAL)
    agent = Pi(logs_dir=Path(tempfile.mkdtemp()))
    written = {}
    for path in Path(sys.argv[1]).glob("data/*.json"):
        validator = TrajectoryValidator()
        assert validator.validate(path), (path, validator.errors)
        trajectory = json.loads(path.read_text())
        written[trajectory["session_id"]] = trajectory
    compared, problems = 0, []
    for name in sys.stdin.read().split("\n"):
        events = read_events(Path(name))
        session = next(event["id"] for _, event in events if event.get("type") == "session")
        if session not in written:
            continue
        replies, said = harbors(agent, events)
        differences, seen, expected, last = compare(written[session], replies, said)
        problems += [[name, *difference] for difference in differences]
        missing = [entry for entry in expected if entry in replies and entry not in seen]
        if missing:
            problems.append([name, "only Harbor's", missing])
        compared += len(seen)
        totals = agent._accounting_metrics(events, 0)
        totals += filter(None, (
            agent._metrics_from_usage(event.get("usage"))
            for _, event in events if event.get("type") == "usage"
        ))
        metrics = written[session]["final_metrics"]
        for ours, theirs in [
            ("total_prompt_tokens", sum(total.prompt_tokens for total in totals)),
            ("total_completion_tokens", sum(total.completion_tokens for total in totals)),
            ("total_cached_tokens", sum(total.cached_tokens for total in totals)),
        ]:
            if metrics[ours] != theirs:
                problems.append([name, ours, metrics[ours], theirs])
        cost = sum(total.cost_usd or 0 for total in totals)
        if abs(metrics.get("total_cost_usd", 0) - cost) > 1e-9:
            problems.append([name, "cost", metrics.get("total_cost_usd"), cost])
    json.dump({"compared": compared, "problems": problems}, sys.stdout)


main()
