//! What the tables hold. The page `docs/tables.md` is made from this list.

use std::fmt;

use pitree_format::named_enum;

named_enum! {
    /// A table, in the order in which they are written, with what a row of it is.
    pub enum Table {
        Sessions = "sessions": "One row for each session file.",
        Entries = "entries":
            "One row for each entry of each file, on all branches, whichever were chosen.",
        ToolCalls = "tool_calls": "One row for each tool call of each reply, on all branches.",
        Samples = "samples": "One row for each training sample.",
        Redactions = "redactions":
            "One row for each rule that replaced something in a text, with how often. What was \
             there is nowhere in the tables.",
        Spend = "spend":
            "One row for each usage that `pitree cost` counts: none twice, although forks copy \
             entries and sub-agents are told in several places.",
    }
}

/// What a column holds. Every column may be empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text.
    Text,
    /// A whole number of 64 bits.
    Int,
    /// Yes or no.
    Bool,
    /// A moment in milliseconds, UTC.
    Time,
    /// US dollars with twelve decimals, so that sums are exact.
    Money,
    /// JSON of any shape.
    Json,
    /// A list of texts.
    Texts,
    /// A list of yes or no.
    Bools,
    /// A list of JSON values.
    Jsons,
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// What it means.
    pub about: &'static str,
}

impl Table {
    /// Its columns in order.
    pub fn columns(self) -> &'static [Column] {
        match self {
            Self::Sessions => SESSIONS,
            Self::Entries => ENTRIES,
            Self::ToolCalls => TOOL_CALLS,
            Self::Samples => SAMPLES,
            Self::Redactions => REDACTIONS,
            Self::Spend => SPEND,
        }
    }

    /// The place of a column.
    pub(crate) fn place(self, name: &str) -> Option<usize> {
        self.columns().iter().position(|column| column.name == name)
    }
}

impl Kind {
    /// The name of its type in SQL.
    pub fn sql_name(self) -> &'static str {
        match self {
            Self::Text => "VARCHAR",
            Self::Int => "BIGINT",
            Self::Bool => "BOOLEAN",
            Self::Time => "TIMESTAMP WITH TIME ZONE",
            Self::Money => "DECIMAL(18,12)",
            Self::Json => "JSON",
            Self::Texts => "VARCHAR[]",
            Self::Bools => "BOOLEAN[]",
            Self::Jsons => "JSON[]",
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

const fn column(name: &'static str, kind: Kind, about: &'static str) -> Column {
    Column { name, kind, about }
}

const SESSION_ID: Column = column("session_id", Kind::Text, "The id in the header.");
const FILE_ID: Column =
    column("file_id", Kind::Text, "The file: unique, also where two files have the same session.");
const ENTRY_ID: Column =
    column("entry_id", Kind::Text, "The entry; made up where the line has no id.");

const SESSIONS: &[Column] = &[
    SESSION_ID,
    FILE_ID,
    column("path", Kind::Text, "Where the file was found, as it may be shown."),
    column("folder", Kind::Text, "The name of its folder."),
    column(
        "file_blake3",
        Kind::Text,
        "The BLAKE3 hash of the file; keyed if redaction is on, so that its content cannot be guessed.",
    ),
    column("bytes", Kind::Int, "Its size."),
    column("version", Kind::Int, "The version of its format."),
    column("cwd", Kind::Text, "The working directory, as it may be shown."),
    column("created_at", Kind::Time, "When it began."),
    column("last_at", Kind::Time, "The time of the newest entry."),
    column("name", Kind::Text, "Its name."),
    column("parent_session_id", Kind::Text, "The session that sent it out or was forked."),
    column(
        "family_id",
        Kind::Text,
        "The session that all its forks and sub-agents come from, as far as it is known.",
    ),
    column("gt_role", Kind::Text, "The role in a Gas Town."),
    column("gt_rig", Kind::Text, "The rig."),
    column("gt_name", Kind::Text, "The name of the agent."),
    column(
        "role_source",
        Kind::Text,
        "How it was detected: prime, beacon, events, cwd, inherited.",
    ),
    column("role_confidence", Kind::Text, "How sure it is: high or low."),
    column("role_conflict", Kind::Bool, "Whether another sign says otherwise."),
    column("town_root", Kind::Text, "The folder of the town, if it is known."),
    column("beacon_topic", Kind::Text, "Why the agent was started, by the beacon."),
    column("beacon_sender", Kind::Text, "Who started it, by the beacon."),
    column("mol_id", Kind::Text, "The work that it was started for, by the beacon."),
    column("is_subagent", Kind::Bool, "Whether it is the session of a sub-agent."),
    column("outcome", Kind::Json, "What came of it, from a file of the user's."),
    column("n_entries", Kind::Int, "Entries."),
    column("n_leaves", Kind::Int, "Ends of the tree."),
    column("n_user", Kind::Int, "Messages of the user."),
    column("n_assistant", Kind::Int, "Replies."),
    column("n_tool_calls", Kind::Int, "Tool calls."),
    column("n_tool_errors", Kind::Int, "Results of tools that failed."),
    column("n_compactions", Kind::Int, "Compactions."),
    column("n_errors", Kind::Int, "Replies that ended with an error."),
    column("models", Kind::Texts, "The models that replied, as provider/model, first come first."),
    column("tok_in", Kind::Int, "Tokens sent that no cache held; all usages of the file."),
    column("tok_out", Kind::Int, "Tokens received, reasoning included."),
    column("tok_cache_read", Kind::Int, "Tokens read from a cache."),
    column("tok_cache_write", Kind::Int, "Tokens written to a cache."),
    column("cost_usd", Kind::Money, "What the file records, copies of other files included."),
    column(
        "counted_cost_usd",
        Kind::Money,
        "What `pitree cost` counts for the session; empty if that is not known.",
    ),
    column("active_leaf_id", Kind::Text, "The current leaf."),
    column("parse_errors", Kind::Int, "Lines that are neither an entry nor a header."),
];

const ENTRIES: &[Column] = &[
    SESSION_ID,
    FILE_ID,
    ENTRY_ID,
    column("parent_id", Kind::Text, "The entry before it."),
    column("seq", Kind::Int, "Its place among the entries of the file, from 0."),
    column("line", Kind::Int, "Its line in the file, from 1."),
    column("depth", Kind::Int, "How many entries are above it."),
    column("type", Kind::Text, "The type of the entry."),
    column("role", Kind::Text, "The role of its message."),
    column("custom_type", Kind::Text, "An extension's name for it."),
    column("ts", Kind::Time, "The time of the entry."),
    column("msg_ts", Kind::Time, "The time of its message."),
    column("provider", Kind::Text, "Who replied, or was chosen."),
    column("model", Kind::Text, "The model that replied, or was chosen."),
    column("api", Kind::Text, "The interface by which it was asked."),
    column("thinking_level", Kind::Text, "The thinking level of the reply, or the new one."),
    column("stop_reason", Kind::Text, "Why the reply ended."),
    column("error_message", Kind::Text, "Why it failed."),
    column("tok_in", Kind::Int, "Tokens sent that no cache held."),
    column("tok_out", Kind::Int, "Tokens received, reasoning included."),
    column("tok_cache_read", Kind::Int, "Tokens read from a cache."),
    column("tok_cache_write", Kind::Int, "Tokens written to a cache."),
    column("tok_reasoning", Kind::Int, "The part of `tok_out` that was reasoning."),
    column("tok_total", Kind::Int, "What the provider calls the total."),
    column("cost_in", Kind::Money, "Cost of `tok_in`."),
    column("cost_out", Kind::Money, "Cost of `tok_out`."),
    column("cost_cache_read", Kind::Money, "Cost of `tok_cache_read`."),
    column("cost_cache_write", Kind::Money, "Cost of `tok_cache_write`."),
    column("cost_total", Kind::Money, "All of it; empty where it is unknown."),
    column("counted", Kind::Bool, "Whether `pitree cost` counts this usage here: not for copies."),
    column("text_chars", Kind::Int, "Characters of `text`."),
    column("thinking_chars", Kind::Int, "Characters of reasoning."),
    column("tokens_est", Kind::Int, "Tokens of the message as Pi estimates them."),
    column("on_active_path", Kind::Bool, "Whether it is on the current path."),
    column("n_children", Kind::Int, "How many entries follow it directly."),
    column("content", Kind::Json, "The content of its message."),
    column("more", Kind::Json, "All other members of the entry."),
    column("text", Kind::Text, "What it says: text of a message, summary, command and output."),
];

const TOOL_CALLS: &[Column] = &[
    SESSION_ID,
    FILE_ID,
    ENTRY_ID,
    column("call_idx", Kind::Int, "Its place among the calls of the reply, from 0."),
    column("call_id", Kind::Text, "The id by which the result refers to it."),
    column(
        "call_id_synth",
        Kind::Bool,
        "Whether the id was generated, because it was missing or repeated on the branch.",
    ),
    column("name", Kind::Text, "The tool."),
    column("namespace", Kind::Text, "The tool's namespace."),
    column("arguments", Kind::Json, "What it was given."),
    column("on_active_path", Kind::Bool, "Whether the reply is on the current path."),
    column("ts", Kind::Time, "When it was called."),
    column("result_entry_id", Kind::Text, "The entry of the result; on the active path if any is."),
    column("is_error", Kind::Bool, "Whether the tool failed."),
    column("result_chars", Kind::Int, "Characters of the result."),
    column("result_truncated", Kind::Bool, "Whether the tool says that the result was cut."),
    column("duration_ms", Kind::Int, "Time between the messages of the call and of the result."),
    column("nested_calls", Kind::Int, "Calls that the tool made in turn."),
    column("subagent_runs", Kind::Int, "Sub-agents that it sent out."),
    column(
        "subagent_session_id",
        Kind::Texts,
        "The sessions of these sub-agents, for those that left a session file.",
    ),
];

const SAMPLES: &[Column] = &[
    column("sample_id", Kind::Text, "The sample; unique."),
    SESSION_ID,
    FILE_ID,
    column("leaf_id", Kind::Text, "The last entry of the branch."),
    column("kind", Kind::Text, "`path`, `turn` or `request`."),
    column("segment", Kind::Int, "The part of the branch between two compactions, from 0."),
    column("n_messages", Kind::Int, "Messages."),
    column("n_target_turns", Kind::Int, "Replies to be learned."),
    column(
        "tokens",
        Kind::Int,
        "Tokens: exact if they were counted, else a quarter of the characters.",
    ),
    column("split", Kind::Text, "`train` or `validation`."),
    column("dedupe_cluster", Kind::Text, "Equal for samples that are alike."),
    column("messages", Kind::Jsons, "The conversation, as the `chat` format writes it."),
    column("trained", Kind::Bools, "For each message whether it is to be learned."),
    column("tools", Kind::Json, "The tools that were offered."),
    column("metadata", Kind::Json, "Where it comes from."),
];

const REDACTIONS: &[Column] = &[
    SESSION_ID,
    FILE_ID,
    ENTRY_ID,
    column("line", Kind::Int, "The line in the file, from 1."),
    column("json_path", Kind::Text, "The text in the line, such as `message.content[0].text`."),
    column("rule_id", Kind::Text, "The rule."),
    column("hmac8", Kind::Text, "The digits of the placeholder: equal for equal secrets."),
    column("count", Kind::Int, "How often it was replaced."),
];

const SPEND: &[Column] = &[
    SESSION_ID,
    FILE_ID,
    column("entry_id", Kind::Text, "The entry; empty where the spend belongs to none."),
    column("ts", Kind::Time, "When it was spent."),
    column("part", Kind::Text, "What for, as `pitree cost` names it."),
    column("provider", Kind::Text, "Who was paid."),
    column("model", Kind::Text, "The model."),
    column("tok_in", Kind::Int, "Tokens sent that no cache held."),
    column("tok_out", Kind::Int, "Tokens received, reasoning included."),
    column("tok_cache_read", Kind::Int, "Tokens read from a cache."),
    column("tok_cache_write", Kind::Int, "Tokens written to a cache."),
    column("cost_usd", Kind::Money, "Dollars; empty where none were recorded."),
];
