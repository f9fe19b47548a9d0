//! The commands that only read.

use super::shape::{Shape, needed, optional};
use super::shapes::{ENTRY, MESSAGE, MODEL, TREE_NODE};
use super::{Command, Origin, Turn};
use crate::commands::{context, entries, state, stats};

const LEAF_ID: Shape = Shape::Either(&[Shape::Text, Shape::Null]);
const QUEUE_MODE: Shape = Shape::Words(&["all", "one-at-a-time"]);

pub(super) static COMMANDS: [Command; 11] = [
    Command {
        name: "get_state",
        about: "The state of the session: model, thinking level, file, name, counts.",
        origin: Origin::Pi,
        takes: &[],
        answers: Some(Shape::Object(&[
            optional("model", Shape::Named(&MODEL), "none before one is chosen"),
            needed("thinkingLevel", Shape::Text, ""),
            needed("isStreaming", Shape::Flag, "an attached agent is busy"),
            needed("isCompacting", Shape::Flag, "a summary is being written"),
            needed("steeringMode", QUEUE_MODE, ""),
            needed("followUpMode", QUEUE_MODE, ""),
            optional("sessionFile", Shape::Text, "none for a session in memory"),
            needed("sessionId", Shape::Text, ""),
            optional("sessionName", Shape::Text, ""),
            needed("autoCompactionEnabled", Shape::Flag, ""),
            needed("messageCount", Shape::Count, "messages of the context"),
            needed("pendingMessageCount", Shape::Count, "messages that wait in the agent's queues"),
        ])),
        turn: Turn::QuickRead,
        run: state::get_state,
    },
    Command {
        name: "get_messages",
        about: "The messages of the context: the active branch, compacted and edited.",
        origin: Origin::Pi,
        takes: &[],
        answers: Some(Shape::Object(&[needed(
            "messages",
            Shape::List(&Shape::Named(&MESSAGE)),
            "",
        )])),
        turn: Turn::Read,
        run: context::get_messages,
    },
    Command {
        name: "get_entries",
        about: "The entries of all branches in file order. `offset` and `limit` are additions to \
                Pi: they cut a window out of what `since` leaves.",
        origin: Origin::Pi,
        takes: &[
            optional("since", Shape::Text, "only entries after the one with this id"),
            optional("offset", Shape::Count, "leave out as many at the beginning"),
            optional("limit", Shape::Count, "at most as many"),
        ],
        answers: Some(Shape::Object(&[
            needed("entries", Shape::List(&Shape::Named(&ENTRY)), ""),
            needed("leafId", LEAF_ID, "the current leaf"),
            optional("total", Shape::Count, "without the window; only with `offset` or `limit`"),
        ])),
        turn: Turn::Read,
        run: entries::get_entries,
    },
    Command {
        name: "get_tree",
        about: "The entries as a tree. All members of the request are additions to Pi.",
        origin: Origin::Pi,
        takes: &[
            optional("entryId", Shape::Text, "begin with the children of this entry"),
            optional("offset", Shape::Count, "leave out as many nodes at the top"),
            optional("limit", Shape::Count, "at most as many nodes at the top"),
            optional("depth", Shape::Count, "at most as many levels; 1 is the top alone"),
        ],
        answers: Some(Shape::Object(&[
            needed("tree", Shape::List(&Shape::Named(&TREE_NODE)), "roots in file order"),
            needed("leafId", LEAF_ID, "the current leaf"),
            optional("total", Shape::Count, "nodes at the top; only with a window"),
        ])),
        turn: Turn::LongRead,
        run: entries::get_tree,
    },
    Command {
        name: "get_fork_messages",
        about: "The user messages of all branches, in file order: where one can fork.",
        origin: Origin::Pi,
        takes: &[],
        answers: Some(Shape::Object(&[needed(
            "messages",
            Shape::List(&Shape::Object(&[
                needed("entryId", Shape::Text, ""),
                needed("text", Shape::Text, ""),
            ])),
            "",
        )])),
        turn: Turn::Read,
        run: entries::get_fork_messages,
    },
    Command {
        name: "get_session_stats",
        about: "Counts, tokens and cost of all branches, and how full the context is.",
        origin: Origin::Pi,
        takes: &[],
        answers: Some(Shape::Object(&[
            optional("sessionFile", Shape::Text, ""),
            needed("sessionId", Shape::Text, ""),
            needed("userMessages", Shape::Count, ""),
            needed("assistantMessages", Shape::Count, ""),
            needed("toolCalls", Shape::Count, ""),
            needed("toolResults", Shape::Count, ""),
            needed("totalMessages", Shape::Count, ""),
            needed(
                "tokens",
                Shape::Object(&[
                    needed("input", Shape::Number, ""),
                    needed("output", Shape::Number, ""),
                    needed("cacheRead", Shape::Number, ""),
                    needed("cacheWrite", Shape::Number, ""),
                    needed("total", Shape::Number, "the sum of the four"),
                ]),
                "",
            ),
            needed("cost", Shape::Number, "dollars"),
            optional(
                "contextUsage",
                Shape::Object(&[
                    needed("tokens", Shape::Either(&[Shape::Number, Shape::Null]), ""),
                    needed("contextWindow", Shape::Number, ""),
                    needed("percent", Shape::Either(&[Shape::Number, Shape::Null]), ""),
                ]),
                "none if the model's window is unknown; null after a compaction until the next \
                 answer",
            ),
        ])),
        turn: Turn::Read,
        run: stats::get_session_stats,
    },
    Command {
        name: "get_last_assistant_text",
        about: "The text of the last answer in the context.",
        origin: Origin::Pi,
        takes: &[],
        answers: Some(Shape::Object(&[optional("text", Shape::Text, "none if there is none")])),
        turn: Turn::Read,
        run: context::get_last_assistant_text,
    },
    Command {
        name: "get_branch",
        about: "The way from the root to an entry, both included.",
        origin: Origin::Pitree,
        takes: &[
            optional("entryId", Shape::Text, "the end of the way; the leaf if left out"),
            optional("offset", Shape::Count, "leave out as many at the beginning"),
            optional("limit", Shape::Count, "at most as many"),
        ],
        answers: Some(Shape::Object(&[
            needed("entries", Shape::List(&Shape::Named(&ENTRY)), "root first"),
            needed("leafId", LEAF_ID, "the current leaf"),
            optional("total", Shape::Count, "without the window; only with `offset` or `limit`"),
        ])),
        turn: Turn::Read,
        run: entries::get_branch,
    },
    Command {
        name: "get_children",
        about: "The entries directly below an entry, or the roots.",
        origin: Origin::Pitree,
        takes: &[
            optional("entryId", Shape::Text, "the roots if left out"),
            optional("offset", Shape::Count, "leave out as many at the beginning"),
            optional("limit", Shape::Count, "at most as many"),
        ],
        answers: Some(Shape::Object(&[
            needed("entries", Shape::List(&Shape::Named(&ENTRY)), "in file order"),
            needed("leafId", LEAF_ID, "the current leaf"),
            optional("total", Shape::Count, "without the window; only with `offset` or `limit`"),
        ])),
        turn: Turn::Read,
        run: entries::get_children,
    },
    Command {
        name: "get_context",
        about: "The model's context at an entry, with model and thinking level.",
        origin: Origin::Pitree,
        takes: &[
            optional("entryId", Shape::Text, "the entry to build it at; default: the leaf"),
            optional("llm", Shape::Flag, "summaries and shell commands as user messages"),
        ],
        answers: Some(Shape::Object(&[
            needed("messages", Shape::List(&Shape::Named(&MESSAGE)), ""),
            needed("thinkingLevel", Shape::Text, ""),
            needed("model", Shape::Any, "`{provider, modelId}` or null"),
        ])),
        turn: Turn::Read,
        run: context::get_context,
    },
    Command {
        name: "get_labels",
        about: "The current labels.",
        origin: Origin::Pitree,
        takes: &[],
        answers: Some(Shape::Object(&[needed(
            "labels",
            Shape::List(&Shape::Object(&[
                needed("entryId", Shape::Text, ""),
                needed("label", Shape::Text, ""),
                optional("timestamp", Shape::Text, "when it was set"),
            ])),
            "",
        )])),
        turn: Turn::Read,
        run: entries::get_labels,
    },
];
