"""Compares the trajectories in a folder with those of Harbor's own converter for Pi.

The input names the session files, one a line. Both sides are of the active path. Prints how much
was compared, and every difference.

Harbor leaves out system prompts, shell commands of the user, and replies whose content is a plain
string; it has steps for summaries, keeps replies that failed, and adds what a tool has spent to the
reply that called it. It does not drop half surrogate pairs, as Pi does when it sends. None of that
is compared.
"""

import json
import logging
import re
import sys
import tempfile
from pathlib import Path

from harbor.agents.installed.pi import Pi
from harbor.utils.trajectory_validator import TrajectoryValidator

SURROGATES = re.compile("[\ud800-\udfff]")


def read_events(path):
    events = []
    text = path.read_text(encoding="utf-8-sig", errors="replace")
    for number, line in enumerate(text.split("\n"), start=1):
        try:
            event = json.loads(line)
        except json.JSONDecodeError:
            continue
        if isinstance(event, dict):
            events.append((number, event))
    return events


def text(content):
    if isinstance(content, list):
        content = "\n".join(part.get("text", "[image]") for part in content if part.get("text") != "")
    return SURROGATES.sub("", content).strip()


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


def is_odd(usage):
    """Whether a usage has numbers that nobody can mean. We count those as none or as very many."""
    if not isinstance(usage, dict):
        return usage is not None
    cost = usage.get("cost")
    cost = cost.get("total", 0) if isinstance(cost, dict) else cost or 0
    tokens = [usage.get(name, 0) for name in ("input", "output", "cacheRead", "cacheWrite")]
    plain = all(type(count) is int and 0 <= count <= 10**12 for count in tokens)
    return not (plain and type(cost) in (int, float) and 0 <= cost <= 10**6)


def usage_of(event):
    message = event.get("message")
    return message.get("usage") if isinstance(message, dict) else event.get("usage")


def told(step, odd):
    """What is compared of a reply."""
    calls = step.get("tool_calls") or []
    metrics = dict(step.get("metrics") or {}) if not odd else {}
    extra = metrics.pop("extra", {})
    metrics["cache_write_tokens"] = extra.get("cache_write_tokens")
    return {
        "message": text(step["message"]),
        "reasoning": (step.get("reasoning_content") or "").strip(),
        "calls": [(call["tool_call_id"], call["function_name"], whole(call["arguments"])) for call in calls],
        "metrics": metrics,
    }


def results(step):
    found = (step.get("observation") or {}).get("results", [])
    return {
        result["source_call_id"]: (text(result.get("content") or ""), result["extra"]["is_error"])
        for result in found
    }


def whole(value):
    """A value without half surrogate pairs."""
    return json.loads(SURROGATES.sub("", json.dumps(value, ensure_ascii=False)))


def is_empty(reply):
    return not (reply["message"] or reply["reasoning"] or reply["calls"])


def compare(ours, replies, said, odd, plain):
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
        if entry not in replies and entry not in plain:
            differences.append([entry, "only ours"])
        if entry not in replies:
            continue
        seen.append(entry)
        mine, other = told(step, entry in odd), told(replies[entry], entry in odd)
        if mine != other:
            differences.append([entry, mine, other])
        answered = results(step)
        for call, result in results(replies[entry]).items():
            if result[0] and answered.get(call) != result:
                differences.append([entry, call, answered.get(call), result])
    expected = []
    for entry in [*said, *replies]:
        wanted = said.get(entry) or (entry in replies and not is_empty(told(replies[entry], False)))
        if wanted:
            expected.append(entry)
    return differences, seen, expected


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
        headers = (event["id"] for _, event in events if event.get("type") == "session")
        session = next(headers, None)
        if session not in written:
            continue
        replies, said = harbors(agent, events)
        odd = {event.get("id") for _, event in events if is_odd(usage_of(event))}
        spending = {
            event["message"].get("toolCallId") for _, event in events
            if isinstance(event.get("message"), dict)
            and event["message"].get("role") == "toolResult" and "usage" in event["message"]
        }
        for entry, step in replies.items():
            calls = step.get("tool_calls") or []
            if any(call["tool_call_id"] in spending for call in calls):
                odd.add(entry)
        plain = {
            event.get("id") for _, event in events
            if isinstance(event.get("message"), dict)
            and isinstance(event["message"].get("content"), str)
        }
        replies = {entry: step for entry, step in replies.items() if entry not in plain}
        differences, seen, expected = compare(written[session], replies, said, odd, plain)
        problems += [[name, *difference] for difference in differences]
        # A reply that was cut off is not to be learned, so no sample ends with it.
        whole_replies = [
            entry for entry in expected
            if entry in replies and replies[entry]["extra"]["stop_reason"] != "length"
        ]
        missing = [entry for entry in whole_replies if entry not in seen]
        if missing:
            problems.append([name, "only Harbor's", missing])
        compared += len(seen)
        if any(is_odd(usage_of(event)) for _, event in events):
            continue
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
    shown = [repr(problem) for problem in problems]
    json.dump({"compared": compared, "problems": shown}, sys.stdout)


main()
