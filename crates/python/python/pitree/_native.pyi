# Made by `tests/make_stubs.py` from the definitions of the command line. Do not edit.
import builtins as _builtins
import datetime
import os
from collections.abc import Iterable, Iterator
from typing import Any, Literal, TypeAlias, final, overload

__all__ = [
    "Samples",
    "Session",
    "Table",
    "__version__",
    "assemble_shard",
    "check",
    "cost",
    "error_kinds",
    "extract",
    "iter_samples",
    "list",
    "load_json",
    "map_shard",
    "open",
    "plan",
    "plan_words",
    "publish",
    "reduce",
    "run_command",
    "search",
    "stats",
    "table",
    "table_columns",
    "verb_options",
]

__version__: str

# An object of JSON, as `--json` of the command gives it.
_Json: TypeAlias = dict[str, Any]
_Path: TypeAlias = str | os.PathLike[str]
_Value: TypeAlias = str | int | float | os.PathLike[str] | datetime.date
_Values: TypeAlias = _Value | Iterable[_Value]

def list(
    *,
    scope: Literal["dir", "repo", "all"] | None = ...,
    sort: Literal["recent", "threaded", "cost", "size", "messages"] | None = ...,
    limit: _Value | None = ...,
    since: _Value | None = ...,
    until: _Value | None = ...,
    name: _Value | None = ...,
    model: _Value | None = ...,
    cwd: _Value | None = ...,
    role: _Value | None = ...,
    role_rules: _Value | None = ...,
    town: _Values | None = ...,
    has: Literal["compaction", "branch", "fork", "subagent", "error", "failure"] | Iterable[Literal["compaction", "branch", "fork", "subagent", "error", "failure"]] | None = ...,
    without: Literal["compaction", "branch", "fork", "subagent", "error", "failure"] | Iterable[Literal["compaction", "branch", "fork", "subagent", "error", "failure"]] | None = ...,
    text: bool = ...,
    session_dir: _Values | None = ...,
    sessions_root: _Values | None = ...,
    no_index: bool = ...,
    no_extensions: bool = ...,
) -> _builtins.list[_Json]: ...
def search(
    query: str,
    *,
    scope: Literal["dir", "repo", "all"] | None = ...,
    in_: Literal["all", "conversation"] | None = ...,
    limit: _Value | None = ...,
    context: _Value | None = ...,
    session_dir: _Values | None = ...,
    sessions_root: _Values | None = ...,
    no_index: bool = ...,
    no_extensions: bool = ...,
) -> _Json: ...
def cost(
    *,
    by: Literal["day", "week", "month", "model", "provider", "project", "role", "session", "family"] | None = ...,
    scope: Literal["dir", "repo", "all"] | None = ...,
    since: _Value | None = ...,
    until: _Value | None = ...,
    utc_offset: _Value | None = ...,
    models: bool = ...,
    budget: _Value | None = ...,
    explain: bool = ...,
    role_rules: _Value | None = ...,
    town: _Values | None = ...,
    session_dir: _Values | None = ...,
    sessions_root: _Values | None = ...,
    no_index: bool = ...,
    no_extensions: bool = ...,
) -> _Json: ...
def stats(
    *,
    scope: Literal["dir", "repo", "all"] | None = ...,
    cwd: _Value | None = ...,
    since: _Value | None = ...,
    until: _Value | None = ...,
    utc_offset: _Value | None = ...,
    top: _Value | None = ...,
    session_dir: _Values | None = ...,
    sessions_root: _Values | None = ...,
    no_index: bool = ...,
    no_extensions: bool = ...,
) -> _Json: ...
def check(
    session: _Path,
    *,
    details: bool = ...,
    session_dir: _Values | None = ...,
    sessions_root: _Values | None = ...,
    no_index: bool = ...,
    no_extensions: bool = ...,
) -> _Json: ...
def extract(
    output: _Path,
    *,
    sessions: _Values | None = ...,
    format: Literal["lora-forge", "chat", "openai", "sharegpt", "axolotl", "llama-factory", "ms-swift", "atif", "hf-traces", "preference", "parquet"] | None = ...,
    force: bool = ...,
    max_output: _Value | None = ...,
    shards: _Value | None = ...,
    shard_bytes: _Value | None = ...,
    compress: Literal["zst"] | None = ...,
    scope: Literal["dir", "repo", "all"] | None = ...,
    shared_index: bool = ...,
    since: _Value | None = ...,
    until: _Value | None = ...,
    name: _Value | None = ...,
    model: _Value | None = ...,
    cwd: _Value | None = ...,
    role: _Value | None = ...,
    role_rules: _Value | None = ...,
    town: _Values | None = ...,
    has: Literal["compaction", "branch", "fork", "subagent", "error", "failure"] | Iterable[Literal["compaction", "branch", "fork", "subagent", "error", "failure"]] | None = ...,
    without: Literal["compaction", "branch", "fork", "subagent", "error", "failure"] | Iterable[Literal["compaction", "branch", "fork", "subagent", "error", "failure"]] | None = ...,
    outcomes: _Value | None = ...,
    outcome: _Values | None = ...,
    min_outcome: _Value | None = ...,
    branches: Literal["active", "leaves", "all"] | None = ...,
    context: Literal["as-sent", "raw"] | None = ...,
    unit: Literal["path", "turn", "request"] | None = ...,
    reasoning: Literal["keep", "drop", "inline", "split"] | None = ...,
    tool_text: Literal["none", "tagged"] | None = ...,
    max_tool_chars: _Value | None = ...,
    redact: bool = ...,
    redact_likely: bool = ...,
    no_redact: bool = ...,
    redaction_log: _Value | None = ...,
    keep_home_paths: bool = ...,
    key: _Value | None = ...,
    env_file: _Values | None = ...,
    pseudonyms: bool = ...,
    split: _Value | None = ...,
    dedupe: Literal["off", "exact", "mark", "drop"] | None = ...,
    max_tokens: _Value | None = ...,
    drop_noise: Literal["all", "heartbeat", "gateway-error", "evicted-result", "system-reminder", "ansi-codes", "replacement-character"] | Iterable[Literal["all", "heartbeat", "gateway-error", "evicted-result", "system-reminder", "ansi-codes", "replacement-character"]] | None = ...,
    count_tokens: bool = ...,
    tokenizer: _Value | None = ...,
    mask_altered: bool = ...,
    max_similar: _Value | None = ...,
    jobs: _Value | None = ...,
    session_dir: _Values | None = ...,
    sessions_root: _Values | None = ...,
    no_index: bool = ...,
    no_extensions: bool = ...,
) -> _Json: ...
def iter_samples(
    *,
    sessions: _Values | None = ...,
    format: Literal["lora-forge", "chat", "openai", "sharegpt", "axolotl", "llama-factory", "ms-swift", "atif", "hf-traces", "preference", "parquet"] | None = ...,
    force: bool = ...,
    max_output: _Value | None = ...,
    shards: _Value | None = ...,
    shard_bytes: _Value | None = ...,
    compress: Literal["zst"] | None = ...,
    scope: Literal["dir", "repo", "all"] | None = ...,
    shared_index: bool = ...,
    since: _Value | None = ...,
    until: _Value | None = ...,
    name: _Value | None = ...,
    model: _Value | None = ...,
    cwd: _Value | None = ...,
    role: _Value | None = ...,
    role_rules: _Value | None = ...,
    town: _Values | None = ...,
    has: Literal["compaction", "branch", "fork", "subagent", "error", "failure"] | Iterable[Literal["compaction", "branch", "fork", "subagent", "error", "failure"]] | None = ...,
    without: Literal["compaction", "branch", "fork", "subagent", "error", "failure"] | Iterable[Literal["compaction", "branch", "fork", "subagent", "error", "failure"]] | None = ...,
    outcomes: _Value | None = ...,
    outcome: _Values | None = ...,
    min_outcome: _Value | None = ...,
    branches: Literal["active", "leaves", "all"] | None = ...,
    context: Literal["as-sent", "raw"] | None = ...,
    unit: Literal["path", "turn", "request"] | None = ...,
    reasoning: Literal["keep", "drop", "inline", "split"] | None = ...,
    tool_text: Literal["none", "tagged"] | None = ...,
    max_tool_chars: _Value | None = ...,
    redact: bool = ...,
    redact_likely: bool = ...,
    no_redact: bool = ...,
    redaction_log: _Value | None = ...,
    keep_home_paths: bool = ...,
    key: _Value | None = ...,
    env_file: _Values | None = ...,
    pseudonyms: bool = ...,
    split: _Value | None = ...,
    dedupe: Literal["off", "exact", "mark", "drop"] | None = ...,
    max_tokens: _Value | None = ...,
    drop_noise: Literal["all", "heartbeat", "gateway-error", "evicted-result", "system-reminder", "ansi-codes", "replacement-character"] | Iterable[Literal["all", "heartbeat", "gateway-error", "evicted-result", "system-reminder", "ansi-codes", "replacement-character"]] | None = ...,
    count_tokens: bool = ...,
    tokenizer: _Value | None = ...,
    mask_altered: bool = ...,
    max_similar: _Value | None = ...,
    jobs: _Value | None = ...,
    session_dir: _Values | None = ...,
    sessions_root: _Values | None = ...,
    no_index: bool = ...,
    no_extensions: bool = ...,
) -> Samples: ...
def table(
    table: Literal["sessions",
    "entries",
    "tool_calls",
    "redactions",
    "spend"],
    /,
    *,
    sessions: _Values | None = ...,
    force: bool = ...,
    max_output: _Value | None = ...,
    shards: _Value | None = ...,
    shard_bytes: _Value | None = ...,
    compress: Literal["zst"] | None = ...,
    scope: Literal["dir", "repo", "all"] | None = ...,
    shared_index: bool = ...,
    since: _Value | None = ...,
    until: _Value | None = ...,
    name: _Value | None = ...,
    model: _Value | None = ...,
    cwd: _Value | None = ...,
    role: _Value | None = ...,
    role_rules: _Value | None = ...,
    town: _Values | None = ...,
    has: Literal["compaction", "branch", "fork", "subagent", "error", "failure"] | Iterable[Literal["compaction", "branch", "fork", "subagent", "error", "failure"]] | None = ...,
    without: Literal["compaction", "branch", "fork", "subagent", "error", "failure"] | Iterable[Literal["compaction", "branch", "fork", "subagent", "error", "failure"]] | None = ...,
    outcomes: _Value | None = ...,
    outcome: _Values | None = ...,
    min_outcome: _Value | None = ...,
    branches: Literal["active", "leaves", "all"] | None = ...,
    context: Literal["as-sent", "raw"] | None = ...,
    unit: Literal["path", "turn", "request"] | None = ...,
    reasoning: Literal["keep", "drop", "inline", "split"] | None = ...,
    tool_text: Literal["none", "tagged"] | None = ...,
    max_tool_chars: _Value | None = ...,
    redact: bool = ...,
    redact_likely: bool = ...,
    no_redact: bool = ...,
    redaction_log: _Value | None = ...,
    keep_home_paths: bool = ...,
    key: _Value | None = ...,
    env_file: _Values | None = ...,
    pseudonyms: bool = ...,
    split: _Value | None = ...,
    dedupe: Literal["off", "exact", "mark", "drop"] | None = ...,
    max_tokens: _Value | None = ...,
    drop_noise: Literal["all", "heartbeat", "gateway-error", "evicted-result", "system-reminder", "ansi-codes", "replacement-character"] | Iterable[Literal["all", "heartbeat", "gateway-error", "evicted-result", "system-reminder", "ansi-codes", "replacement-character"]] | None = ...,
    count_tokens: bool = ...,
    tokenizer: _Value | None = ...,
    mask_altered: bool = ...,
    max_similar: _Value | None = ...,
    jobs: _Value | None = ...,
    session_dir: _Values | None = ...,
    sessions_root: _Values | None = ...,
    no_index: bool = ...,
    no_extensions: bool = ...,
) -> Table: ...
def plan(
    work: _Path,
    output: _Path,
    *,
    map_shards: int | None = None,
    sessions: _Values | None = ...,
    format: Literal["lora-forge", "chat", "openai", "sharegpt", "axolotl", "llama-factory", "ms-swift", "atif", "hf-traces", "preference", "parquet"] | None = ...,
    force: bool = ...,
    max_output: _Value | None = ...,
    shards: _Value | None = ...,
    shard_bytes: _Value | None = ...,
    compress: Literal["zst"] | None = ...,
    scope: Literal["dir", "repo", "all"] | None = ...,
    shared_index: bool = ...,
    since: _Value | None = ...,
    until: _Value | None = ...,
    name: _Value | None = ...,
    model: _Value | None = ...,
    cwd: _Value | None = ...,
    role: _Value | None = ...,
    role_rules: _Value | None = ...,
    town: _Values | None = ...,
    has: Literal["compaction", "branch", "fork", "subagent", "error", "failure"] | Iterable[Literal["compaction", "branch", "fork", "subagent", "error", "failure"]] | None = ...,
    without: Literal["compaction", "branch", "fork", "subagent", "error", "failure"] | Iterable[Literal["compaction", "branch", "fork", "subagent", "error", "failure"]] | None = ...,
    outcomes: _Value | None = ...,
    outcome: _Values | None = ...,
    min_outcome: _Value | None = ...,
    branches: Literal["active", "leaves", "all"] | None = ...,
    context: Literal["as-sent", "raw"] | None = ...,
    unit: Literal["path", "turn", "request"] | None = ...,
    reasoning: Literal["keep", "drop", "inline", "split"] | None = ...,
    tool_text: Literal["none", "tagged"] | None = ...,
    max_tool_chars: _Value | None = ...,
    redact: bool = ...,
    redact_likely: bool = ...,
    no_redact: bool = ...,
    redaction_log: _Value | None = ...,
    keep_home_paths: bool = ...,
    key: _Value | None = ...,
    env_file: _Values | None = ...,
    pseudonyms: bool = ...,
    split: _Value | None = ...,
    dedupe: Literal["off", "exact", "mark", "drop"] | None = ...,
    max_tokens: _Value | None = ...,
    drop_noise: Literal["all", "heartbeat", "gateway-error", "evicted-result", "system-reminder", "ansi-codes", "replacement-character"] | Iterable[Literal["all", "heartbeat", "gateway-error", "evicted-result", "system-reminder", "ansi-codes", "replacement-character"]] | None = ...,
    count_tokens: bool = ...,
    tokenizer: _Value | None = ...,
    mask_altered: bool = ...,
    max_similar: _Value | None = ...,
    jobs: _Value | None = ...,
    session_dir: _Values | None = ...,
    sessions_root: _Values | None = ...,
    no_index: bool = ...,
    no_extensions: bool = ...,
) -> _Json: ...
def map_shard(work: _Path, round: _Json, shard: int) -> _Json: ...
def reduce(work: _Path, round: _Json) -> _Json: ...
def assemble_shard(work: _Path, decided: _Json, shard: int) -> _Json: ...
def publish(work: _Path, decided: _Json, output: _Path, *, force: bool = False, redaction_log: _Path | None = None) -> _Json: ...
def table_columns(name: str) -> _builtins.list[tuple[str, str, str]]: ...
def open(
    session: _Path,
    *,
    lenient: bool = ...,
    session_dir: _Values | None = ...,
    sessions_root: _Values | None = ...,
    no_index: bool = ...,
    no_extensions: bool = ...,
) -> Session: ...
@final
class Session:
    @property
    def path(self) -> str: ...
    @property
    def id(self) -> str: ...
    @property
    def cwd(self) -> str: ...
    @property
    def header(self) -> _Json: ...
    @property
    def leaf_id(self) -> str | None: ...
    @property
    def name(self) -> str | None: ...
    @property
    def labels(self) -> dict[str, str]: ...
    @property
    def draft(self) -> str | None: ...
    def __fspath__(self) -> str: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[_Json]: ...
    @overload
    def __getitem__(self, index: int, /) -> _Json: ...
    @overload
    def __getitem__(self, index: slice, /) -> _builtins.list[_Json]: ...
    def entry(self, id: str) -> _Json: ...
    def entries(
        self,
        *,
        after: _Value | None = ...,
        last: _Value | None = ...,
        no_extensions: bool = ...,
    ) -> _builtins.list[_Json]: ...
    def branch(self, entry: str | None = None) -> _builtins.list[_Json]: ...
    def tree(
        self,
        *,
        filter: Literal["default", "no-tools", "user-only", "labeled-only", "all"] | None = ...,
        branch_points: bool = ...,
        nested: bool = ...,
        no_extensions: bool = ...,
    ) -> _Json: ...
    def context(
        self,
        *,
        at: _Value | None = ...,
        llm: bool = ...,
        no_extensions: bool = ...,
    ) -> Any: ...
    def show(
        self,
        *,
        lenient: bool = ...,
        mode: Literal["overview", "conversation", "full", "tools", "costs", "subagents"] | None = ...,
        offset: _Value | None = ...,
        limit: _Value | None = ...,
        last: _Value | None = ...,
        max_content: _Value | None = ...,
        no_extensions: bool = ...,
    ) -> Any: ...
    def cost(self) -> _Json: ...
    def samples(
        self,
        *,
        format: Literal["lora-forge", "chat", "openai", "sharegpt", "axolotl", "llama-factory", "ms-swift", "atif", "hf-traces", "preference", "parquet"] | None = ...,
        force: bool = ...,
        max_output: _Value | None = ...,
        shards: _Value | None = ...,
        shard_bytes: _Value | None = ...,
        compress: Literal["zst"] | None = ...,
        scope: Literal["dir", "repo", "all"] | None = ...,
        shared_index: bool = ...,
        since: _Value | None = ...,
        until: _Value | None = ...,
        name: _Value | None = ...,
        model: _Value | None = ...,
        cwd: _Value | None = ...,
        role: _Value | None = ...,
        role_rules: _Value | None = ...,
        town: _Values | None = ...,
        has: Literal["compaction", "branch", "fork", "subagent", "error", "failure"] | Iterable[Literal["compaction", "branch", "fork", "subagent", "error", "failure"]] | None = ...,
        without: Literal["compaction", "branch", "fork", "subagent", "error", "failure"] | Iterable[Literal["compaction", "branch", "fork", "subagent", "error", "failure"]] | None = ...,
        outcomes: _Value | None = ...,
        outcome: _Values | None = ...,
        min_outcome: _Value | None = ...,
        branches: Literal["active", "leaves", "all"] | None = ...,
        context: Literal["as-sent", "raw"] | None = ...,
        unit: Literal["path", "turn", "request"] | None = ...,
        reasoning: Literal["keep", "drop", "inline", "split"] | None = ...,
        tool_text: Literal["none", "tagged"] | None = ...,
        max_tool_chars: _Value | None = ...,
        redact: bool = ...,
        redact_likely: bool = ...,
        no_redact: bool = ...,
        redaction_log: _Value | None = ...,
        keep_home_paths: bool = ...,
        key: _Value | None = ...,
        env_file: _Values | None = ...,
        pseudonyms: bool = ...,
        split: _Value | None = ...,
        dedupe: Literal["off", "exact", "mark", "drop"] | None = ...,
        max_tokens: _Value | None = ...,
        drop_noise: Literal["all", "heartbeat", "gateway-error", "evicted-result", "system-reminder", "ansi-codes", "replacement-character"] | Iterable[Literal["all", "heartbeat", "gateway-error", "evicted-result", "system-reminder", "ansi-codes", "replacement-character"]] | None = ...,
        count_tokens: bool = ...,
        tokenizer: _Value | None = ...,
        mask_altered: bool = ...,
        max_similar: _Value | None = ...,
        jobs: _Value | None = ...,
        no_extensions: bool = ...,
    ) -> Samples: ...
    def append(
        self,
        what: str | _Json | Iterable[_Json],
        *,
        migrate: bool = ...,
        wait: _Value | None = ...,
        at: _Value | None = ...,
        no_extensions: bool = ...,
    ) -> _Json: ...
    def rename(
        self,
        name: str,
        *,
        migrate: bool = ...,
        wait: _Value | None = ...,
        no_extensions: bool = ...,
    ) -> _Json: ...
    def label(
        self,
        entry: str,
        label: str | None,
        *,
        migrate: bool = ...,
        wait: _Value | None = ...,
        no_extensions: bool = ...,
    ) -> _Json: ...
    def goto(
        self,
        entry: str,
        *,
        migrate: bool = ...,
        wait: _Value | None = ...,
        summary: _Value | None = ...,
        summarize: bool = ...,
        instructions: _Value | None = ...,
        replace_instructions: bool = ...,
        label: _Value | None = ...,
        summarizer_command: _Value | None = ...,
        summarizer_model: _Value | None = ...,
        summarizer_url: _Value | None = ...,
        summarizer_api: _Value | None = ...,
        summarizer_key: _Value | None = ...,
        summarizer_timeout: _Value | None = ...,
        context_window: _Value | None = ...,
        no_extensions: bool = ...,
    ) -> _Json: ...
    def fork_points(self) -> _builtins.list[_Json]: ...
    def fork(
        self,
        *,
        at: _Value | None = ...,
        whole: bool = ...,
        cwd: _Value | None = ...,
        dialect: Literal["pi", "port"] | None = ...,
        no_extensions: bool = ...,
    ) -> Session: ...
    def clone(
        self,
        *,
        at: _Value | None = ...,
        dialect: Literal["pi", "port"] | None = ...,
        no_extensions: bool = ...,
    ) -> Session: ...
    def refresh(self) -> int: ...

@final
class Samples(Iterator[_Json]):
    def __iter__(self) -> Samples: ...
    def __next__(self) -> _Json: ...
    def __enter__(self) -> Samples: ...
    def __exit__(self, *_error: object) -> None: ...
    def close(self) -> None: ...

@final
class Table:
    @property
    def name(self) -> str: ...
    @property
    def column_names(self) -> _builtins.list[str]: ...
    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

def plan_words(work: _Path, words: _builtins.list[str], map_shards: int | None = None) -> tuple[_Json, str, bool, str | None]: ...
def run_command(words: _builtins.list[str]) -> int: ...
def verb_options(verb: str) -> _builtins.list[_Json]: ...
def error_kinds() -> _builtins.list[tuple[str, str]]: ...
def load_json(text: bytes) -> Any: ...
