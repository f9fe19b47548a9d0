"""Pi sessions for lora_forge.

The same two functions as the extractor of Claude's sessions:

    discover_sessions(base_dir) -> list[Path]
    extract_session(path) -> ExtractedSession | None

`discover_sessions` asks the documented `session-index.sqlite`, which Pi's Rust port and
`pitree index --shared` write, and looks into the folders only where there is none.
`extract_session` lets pitree read the session (`pitree extract --format lora-forge`): branches,
compactions, tool calls without ids and secrets are its business, not this file's. Many sessions
are faster in one run of pitree; `load_sessions` reads the file that it leaves.

Needs nothing but Python 3.9 and `pitree` in the PATH, or its path in the variable PITREE.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Iterator

try:  # inside lora_forge its own classes are used
    from data.extract.sessions import ExtractedSession, Turn
except ImportError:

    @dataclass
    class Turn:
        """What was said or done in one step."""

        role: str
        content: str
        tool_calls: list[dict[str, Any]] = field(default_factory=list)
        tool_results: list[dict[str, Any]] = field(default_factory=list)
        timestamp: str = ""
        uuid: str = ""

    @dataclass
    class ExtractedSession:
        """A session, or one branch of it."""

        session_id: str
        source_path: str
        cwd: str = ""
        turns: list[Turn] = field(default_factory=list)
        runtime_type: str = "unknown"
        mcp_servers: list[str] = field(default_factory=list)
        metadata: dict[str, Any] = field(default_factory=dict)


INDEX_NAME = "session-index.sqlite"
DEFAULT_BASE_DIR = Path.home() / ".pi" / "agent" / "sessions"

# One key for all sessions, so that a secret has the same placeholder in each of them.
_STATE_DIR = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
DEFAULT_KEY = _STATE_DIR / "pitree" / "keys" / "lora_forge.key"


class ExtractionError(Exception):
    """pitree could not read a session."""


def discover_sessions(base_dir: str | os.PathLike[str] = DEFAULT_BASE_DIR) -> list[Path]:
    """The session files below a folder: in the order of the index, which is the oldest first;
    without an index in the order of their paths."""
    base = Path(base_dir).expanduser()
    indexed = _indexed_sessions(base / INDEX_NAME)
    if indexed is None:
        return sorted(path for path in base.rglob("*.jsonl") if _is_session(path, base))
    return [path for path in indexed if path.is_file()]


def extract_session(
    path: str | os.PathLike[str],
    *,
    tool_text: str = "none",
    redact: bool = True,
    key: str | os.PathLike[str] = DEFAULT_KEY,
) -> ExtractedSession | None:
    """The active branch of a session, or None if nothing was said in it.

    Raises ExtractionError for a file that is no session, or that pitree leaves out.
    `tool_text="tagged"` repeats calls and results in the text, where the later steps of
    lora_forge look for them. `key` is the file of the key for placeholders of secrets; it is made
    if it is missing, and must not be handed out.
    """
    if not Path(path).is_file():
        raise ExtractionError(f"{os.fspath(path)}: there is no such file")
    command = [os.environ.get("PITREE", "pitree"), "extract", "--format", "lora-forge"]
    command += ["--tool-text", tool_text, "--out", "-"]
    if redact:
        Path(key).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        command += ["--key", os.fspath(key)]
    else:
        command += ["--no-redact"]
    done = subprocess.run(command + ["--", os.fspath(path)], capture_output=True, check=False)
    if done.returncode != 0:
        problem = done.stderr.decode("utf-8", "replace").strip()
        raise ExtractionError(f"{os.fspath(path)}: {problem}")
    # Only a line feed ends a line of JSON; what else Python takes for the end of one may be text.
    line = done.stdout.decode("utf-8").partition("\n")[0]
    return session_from_json(json.loads(line)) if line else None


def load_sessions(file: str | os.PathLike[str]) -> Iterator[ExtractedSession]:
    """The sessions of a file that `pitree extract --format lora-forge` wrote."""
    with open(file, encoding="utf-8", newline="\n") as lines:
        for line in lines:
            yield session_from_json(json.loads(line))


def session_from_json(row: dict[str, Any]) -> ExtractedSession:
    """A session from a line of pitree's."""
    turns = [_known(Turn, turn) for turn in row["turns"]]
    return _known(ExtractedSession, {**row, "turns": turns})


def _known(kind: type, members: dict[str, Any]) -> Any:
    names = {member.name for member in fields(kind)}
    return kind(**{name: value for name, value in members.items() if name in names})


def _indexed_sessions(index: Path) -> list[Path] | None:
    """The files that the index names; None if there is no index that can be read."""
    if not index.is_file():
        return None
    try:
        database = sqlite3.connect(f"{index.absolute().as_uri()}?mode=ro", uri=True)
        try:
            rows = database.execute("SELECT path FROM sessions ORDER BY timestamp, path").fetchall()
        finally:
            database.close()
    except sqlite3.Error:
        return None
    return [index.parent / path for (path,) in rows]


def _is_session(path: Path, base: Path) -> bool:
    """Whether a file is a session by its place: not a record of a sub-agent."""
    return "subagent-artifacts" not in path.relative_to(base).parts and path.is_file()
