"""The sessions of the Pi coding agent, from Python.

The engine is the one of the command `pitree`, in Rust, in this process. Functions take the options
of the command by name (`--max-tool-chars 200` is `max_tool_chars=200`) and return what its `--json`
prints, as plain dicts, lists and strings:

>>> import pitree
>>> for session in pitree.list(scope="all"):
...     print(session["id"][:8], session.get("name"))
019cb2b8 Forecast with wind
019cadd3 Five-day forecast
>>> session = pitree.open("019cadd3")
>>> session.context()["messages"][-1]["role"]
'assistant'

While Rust works the interpreter is free for other threads, and Ctrl+C ends the work. What the
command says besides its answer goes to the logger `pitree`.
"""

from ._errors import (
    Ambiguous,
    BadData,
    Canceled,
    DamagedSession,
    EntryNotFound,
    FileError,
    NotASession,
    NotFound,
    PitreeError,
    Refused,
    SessionLocked,
    SessionNotFound,
    UsageError,
)
from ._native import (
    Samples,
    Session,
    Table,
    __version__,
    assemble_shard,
    check,
    cost,
    extract,
    iter_samples,
    list,
    map_shard,
    open,
    plan,
    publish,
    reduce,
    search,
    stats,
    table,
    table_columns,
)

__all__ = [
    "Ambiguous",
    "BadData",
    "Canceled",
    "DamagedSession",
    "EntryNotFound",
    "FileError",
    "NotASession",
    "NotFound",
    "PitreeError",
    "Refused",
    "Samples",
    "Session",
    "SessionLocked",
    "SessionNotFound",
    "Table",
    "UsageError",
    "__version__",
    "assemble_shard",
    "check",
    "cost",
    "extract",
    "iter_samples",
    "list",
    "map_shard",
    "open",
    "plan",
    "publish",
    "reduce",
    "search",
    "stats",
    "table",
    "table_columns",
]
