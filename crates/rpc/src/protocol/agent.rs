//! The commands about models, summaries and an attached agent.

use super::shape::{Member, Shape, needed, optional};
use super::shapes::{ENTRY, MODEL};
use super::{Command, Origin, Turn};
use crate::commands::{models, modes, summaries};

/// A message for the agent.
const SAID: &[Member] =
    &[needed("message", Shape::Text, ""), optional("images", Shape::List(&Shape::Any), "")];

const LEVEL: Shape = Shape::Words(&["off", "minimal", "low", "medium", "high", "xhigh", "max"]);
const DISPOSITION: Shape = Shape::Object(&[needed(
    "disposition",
    Shape::Words(&["started", "queued", "handled"]),
    "what became of the message",
)]);
const TEXTS: Shape = Shape::List(&Shape::Text);
const LEAF_ID: Shape = Shape::Either(&[Shape::Text, Shape::Null]);

pub(super) static COMMANDS: [Command; 15] = [
    Command {
        name: "get_available_models",
        about: "The models that have a key, in Pi's order.",
        origin: Origin::Pi,
        takes: &[],
        answers: Some(Shape::Object(&[needed("models", Shape::List(&Shape::Named(&MODEL)), "")])),
        turn: Turn::Read,
        run: models::get_available_models,
    },
    Command {
        name: "set_model",
        about: "Selects a model, as an entry of the session.",
        origin: Origin::Pi,
        takes: &[needed("provider", Shape::Text, ""), needed("modelId", Shape::Text, "")],
        answers: Some(Shape::Named(&MODEL)),
        turn: Turn::Change,
        run: models::set_model,
    },
    Command {
        name: "cycle_model",
        about: "Selects the next model.",
        origin: Origin::Pi,
        takes: &[],
        answers: Some(Shape::Either(&[
            Shape::Object(&[
                needed("model", Shape::Named(&MODEL), ""),
                needed("thinkingLevel", LEVEL, ""),
                needed("isScoped", Shape::Flag, "always false: pitree has no scoped models"),
            ]),
            Shape::Null,
        ])),
        turn: Turn::Change,
        run: models::cycle_model,
    },
    Command {
        name: "get_available_thinking_levels",
        about: "The thinking levels of the model.",
        origin: Origin::Pi,
        takes: &[],
        answers: Some(Shape::Object(&[needed("levels", Shape::List(&LEVEL), "")])),
        turn: Turn::Read,
        run: models::get_available_thinking_levels,
    },
    Command {
        name: "set_thinking_level",
        about: "Selects a thinking level, or the nearest one that the model has, as an entry.",
        origin: Origin::Pi,
        takes: &[needed("level", LEVEL, "")],
        answers: None,
        turn: Turn::Change,
        run: models::set_thinking_level,
    },
    Command {
        name: "cycle_thinking_level",
        about: "Selects the next thinking level.",
        origin: Origin::Pi,
        takes: &[],
        answers: Some(Shape::Either(&[Shape::Object(&[needed("level", LEVEL, "")]), Shape::Null])),
        turn: Turn::Change,
        run: models::cycle_thinking_level,
    },
    Command {
        name: "compact",
        about: "Summarizes the older part of the conversation and appends a compaction.",
        origin: Origin::Pi,
        takes: &[optional("customInstructions", Shape::Text, "what the summary should focus on")],
        answers: Some(Shape::Object(&[
            needed("summary", Shape::Text, ""),
            needed("firstKeptEntryId", LEAF_ID, "null: nothing is kept"),
            needed("tokensBefore", Shape::Number, ""),
            needed("estimatedTokensAfter", Shape::Number, ""),
            optional("usage", Shape::Any, "what the summary cost"),
            optional("details", Shape::Any, "files read and changed"),
        ])),
        turn: Turn::Change,
        run: summaries::compact,
    },
    Command {
        name: "navigate_tree",
        about: "Moves to another entry; to the parent of a user message, whose text comes back. \
                Without a summary and a label nothing is written, as in Pi's /tree.",
        origin: Origin::Pitree,
        takes: &[
            needed("entryId", Shape::Text, ""),
            optional("summarize", Shape::Flag, "summarize the abandoned branch"),
            optional("customInstructions", Shape::Text, "what the summary should focus on"),
            optional("replaceInstructions", Shape::Flag, "use only these instructions"),
            optional("label", Shape::Text, "for the summary, or for the entry"),
        ],
        answers: Some(Shape::Object(&[
            optional("editorText", Shape::Text, "the message, to edit and resend"),
            needed("cancelled", Shape::Flag, ""),
            optional("aborted", Shape::Flag, "by `abort`, while the summary was written"),
            optional("summaryEntry", Shape::Named(&ENTRY), ""),
            needed("leafId", LEAF_ID, "the current leaf"),
        ])),
        turn: Turn::Change,
        run: summaries::navigate_tree,
    },
    Command {
        name: "abort",
        about: "Stops a summary that is being written, or an attached agent.",
        origin: Origin::Pi,
        takes: &[],
        answers: None,
        turn: Turn::Stop,
        run: summaries::abort,
    },
    Command {
        name: "prompt",
        about: "Says something to an attached agent; needs `--agent`.",
        origin: Origin::Pi,
        takes: &[
            needed("message", Shape::Text, ""),
            optional("images", Shape::List(&Shape::Any), ""),
            optional(
                "streamingBehavior",
                Shape::Words(&["steer", "followUp"]),
                "while the agent is busy",
            ),
        ],
        answers: Some(DISPOSITION),
        turn: Turn::Message,
        run: modes::needs_agent,
    },
    Command {
        name: "steer",
        about: "Says something to an attached agent while it is busy; needs `--agent`.",
        origin: Origin::Pi,
        takes: SAID,
        answers: Some(DISPOSITION),
        turn: Turn::Message,
        run: modes::needs_agent,
    },
    Command {
        name: "follow_up",
        about: "Says something to an attached agent for when it is done; needs `--agent`.",
        origin: Origin::Pi,
        takes: SAID,
        answers: Some(DISPOSITION),
        turn: Turn::Message,
        run: modes::needs_agent,
    },
    Command {
        name: "clear_queue",
        about: "Empties the queues of an attached agent.",
        origin: Origin::Pi,
        takes: &[],
        answers: Some(Shape::Object(&[
            needed("steering", TEXTS, ""),
            needed("followUp", TEXTS, ""),
        ])),
        turn: Turn::AtOnce,
        run: modes::clear_queue,
    },
    Command {
        name: "abort_retry",
        about: "Stops an attached agent from trying again.",
        origin: Origin::Pi,
        takes: &[],
        answers: None,
        turn: Turn::AtOnce,
        run: modes::abort_retry,
    },
    Command {
        name: "get_commands",
        about: "The slash commands of an attached agent; none without one.",
        origin: Origin::Pi,
        takes: &[],
        answers: Some(Shape::Object(&[needed("commands", Shape::List(&Shape::Any), "")])),
        turn: Turn::Read,
        run: modes::get_commands,
    },
];
