"""Reads the trajectories in a folder with the models of ATIF. Every one of them must be valid.

Prints what they hold, for the test to look at: steps, sub-agents, and sums.
"""

import json
import sys
from pathlib import Path

from atif import Trajectory


def told(trajectory):
    steps = trajectory.steps
    metrics = trajectory.final_metrics
    return {
        "id": trajectory.trajectory_id,
        "sources": [step.source for step in steps],
        "copied": [bool(step.is_copied_context) for step in steps],
        "calls": sum(len(step.tool_calls or []) for step in steps),
        "results": sum(len(step.observation.results) for step in steps if step.observation),
        "references": [
            reference.trajectory_id
            for step in steps
            if step.observation
            for result in step.observation.results
            for reference in result.subagent_trajectory_ref or []
        ],
        "cost": metrics.total_cost_usd if metrics else None,
        "prompt_tokens": metrics.total_prompt_tokens if metrics else None,
        "images": trajectory.has_multimodal_content()
        if hasattr(trajectory, "has_multimodal_content")
        else None,
        "children": [told(child) for child in trajectory.subagent_trajectories or []],
    }


answer = []
for path in sorted(Path(sys.argv[1]).glob("data/*.json")):
    trajectory = Trajectory.model_validate_json(path.read_bytes())
    assert trajectory.schema_version == "ATIF-v1.8", path
    answer.append(told(trajectory))
json.dump(answer, sys.stdout)
