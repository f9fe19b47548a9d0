"""Pi sessions for lora_forge.

The same two functions as lora_forge's extractor of Claude's sessions:

    discover_sessions(base_dir) -> list[Path]
    extract_session(path) -> ExtractedSession | None

To use it, put this file next to `data/extract/sessions.py` and change one line of
`data/pipeline.py`:

    from data.extract.pir_sessions import ExtractedSession, discover_sessions, extract_session

`discover_sessions` reads the documented `session-index.sqlite`, which Pi's Rust port and
`pitree index --shared` write, and looks into the folders for what the index does not list.
`extract_session` has pitree read the session (`pitree extract --format lora-forge`): branches,
compactions, tool calls without ids and secrets are its business, not this file's. Many sessions
are faster in one run of pitree; `load_sessions` reads the file that it writes.

Needs nothing but Python 3.9 and `pitree` on the PATH, or its path in the variable PITREE. Where
the Python package `pitree` is installed and PITREE is not set, it is asked within this process.
"""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import subprocess
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Iterator

try:
    import pitree
except ImportError:
    pitree = None

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


logger = logging.getLogger(__name__)

INDEX_NAME = "session-index.sqlite"

# Where lora_forge looks unless told otherwise. Pi never keeps sessions there.
CLAUDE_DIR = Path.home() / ".claude" / "projects"

# One key for all sessions, so that a secret has the same placeholder in each of them.
_STATE_DIR = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
DEFAULT_KEY = _STATE_DIR / "pitree" / "keys" / "lora_forge.key"

# An index that takes longer is not an index: a few thousand rows need a fraction of this.
_MOST_INDEX_STEPS = 50_000_000

_NOTHING_CHOSEN, _BAD_DATA = 1, 3


class ExtractionError(Exception):
    """pitree could not be run, or could not write."""


def default_base_dir() -> Path:
    """Where Pi keeps its sessions: PI_SESSIONS_DIR, or `sessions` in PI_CODING_AGENT_DIR, or
    `~/.pi/agent/sessions`."""
    sessions = os.environ.get("PI_SESSIONS_DIR")
    if sessions:
        return Path(sessions).expanduser()
    agent = os.environ.get("PI_CODING_AGENT_DIR")
    return (Path(agent).expanduser() if agent else Path.home() / ".pi" / "agent") / "sessions"


def discover_sessions(base_dir: str | os.PathLike[str] | None = None) -> list[Path]:
    """The session files below a folder: those of the index in its order, the oldest first, then
    those that it does not list, by path.

    Without a folder, or with lora_forge's default (Claude's projects), it is Pi's own.
    """
    base = Path(base_dir).expanduser() if base_dir is not None else CLAUDE_DIR
    if base == CLAUDE_DIR:
        base = default_base_dir()
    # A row of an index is a hint of another program: only what lies below the folder counts.
    found = sorted(path for path in base.rglob("*.jsonl") if _may_be_session(path, base))
    known = {path.resolve(): path for path in found}
    indexed = [known.pop(path.resolve(), None) for path in _indexed_sessions(base / INDEX_NAME)]
    return [path for path in indexed if path] + [path for path in found if path.resolve() in known]


def extract_session(
    path: str | os.PathLike[str],
    *,
    tool_text: str = "tagged",
    redact: bool = True,
    key: str | os.PathLike[str] = DEFAULT_KEY,
) -> ExtractedSession | None:
    """The active branch of a session. None, and a warning in the log, for a file that is not a
    session, in which nothing was said, or that pitree leaves out.

    `tool_text="tagged"` has calls and results in the text, where the later steps of lora_forge
    look for them; `"none"` has them in their own members only. `key` is the file of the key for
    placeholders of secrets; it is made if it is missing, and must not be handed out.

    Raises FileNotFoundError if the file does not exist, and ExtractionError if pitree cannot run.
    """
    if not Path(path).is_file():
        raise FileNotFoundError(f"{os.fspath(path)}: the file does not exist")
    if redact:
        Path(key).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if pitree is not None and not os.environ.get("PITREE"):
        secrets = {"key": os.fspath(key)} if redact else {"no_redact": True}
        return _with_package(path, tool_text=tool_text, **secrets)
    command = [os.environ.get("PITREE", "pitree"), "extract", "--format", "lora-forge"]
    command += ["--tool-text", tool_text, "--output", "-"]
    command += ["--key", os.fspath(key)] if redact else ["--no-redact"]
    try:
        done = subprocess.run(command + ["--", os.fspath(path)], capture_output=True, check=False)
    except OSError as error:
        raise ExtractionError(f"{command[0]} cannot be run: {error}") from error
    said = done.stderr.decode("utf-8", "replace").strip()
    is_left_out = done.returncode == _BAD_DATA and "left out: " in said and "error: " not in said
    if done.returncode == _NOTHING_CHOSEN or is_left_out:
        logger.warning("%s is left out: %s", os.fspath(path), said)
        return None
    if done.returncode != 0:
        raise ExtractionError(f"{os.fspath(path)}: {said}")
    # Only a line feed ends a line of JSON; what else Python takes for the end of one may be text.
    line = done.stdout.decode("utf-8").partition("\n")[0]
    return session_from_json(json.loads(line)) if line else None


def _with_package(path: str | os.PathLike[str], **options: Any) -> ExtractedSession | None:
    """The same by the Python package; what it leaves out it says in its own log."""
    try:
        with pitree.iter_samples(sessions=[Path(path)], format="lora-forge", **options) as rows:
            row = next(rows, None)
    except pitree.BadData as error:
        logger.warning("%s is left out: %s", os.fspath(path), error)
        return None
    except pitree.PitreeError as error:
        raise ExtractionError(f"{os.fspath(path)}: {error}") from error
    return session_from_json(row) if row else None


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


def _indexed_sessions(index: Path) -> list[Path]:
    """The files that the index names; none if there is no index that can be read."""
    if not index.is_file():
        return []
    try:
        database = sqlite3.connect(f"{index.absolute().as_uri()}?mode=ro", uri=True)
        try:
            # Anybody may have written it: a view could run for ever.
            database.set_progress_handler(lambda: 1, _MOST_INDEX_STEPS)
            database.execute("PRAGMA trusted_schema = OFF")
            is_table = "SELECT 1 FROM sqlite_master WHERE name = 'sessions' AND type = 'table'"
            if database.execute(is_table).fetchone() is None:
                return []
            rows = database.execute("SELECT path FROM sessions ORDER BY timestamp, path").fetchall()
        finally:
            database.close()
    except sqlite3.Error:
        return []
    return [index.parent / path for (path,) in rows if isinstance(path, str) and "\0" not in path]


def _may_be_session(path: Path, base: Path) -> bool:
    """Whether a file is a session by its place: not a record of a sub-agent."""
    return "subagent-artifacts" not in path.relative_to(base).parts and path.is_file()
