//! The commands that change the session, or how this process deals with it.

use super::shape::{Shape, needed, optional};
use super::{Command, Origin, Turn};
use crate::commands::{change, listen, modes};

const QUEUE_MODE: Shape = Shape::Words(&["all", "one-at-a-time"]);
const CANCELLED: Shape = Shape::Object(&[needed(
    "cancelled",
    Shape::Flag,
    "whether an extension or a client canceled it",
)]);

pub(super) static COMMANDS: [Command; 12] = [
    Command {
        name: "new_session",
        about: "Begins a new session in the same folder. Its file appears with the first message.",
        origin: Origin::Pi,
        takes: &[optional(
            "parentSession",
            Shape::Text,
            "the parent session to name in the header",
        )],
        answers: Some(CANCELLED),
        turn: Turn::Change,
        run: change::new_session,
    },
    Command {
        name: "switch_session",
        about: "Goes on with another session. A path without a file is a new session there.",
        origin: Origin::Pi,
        takes: &[needed("sessionPath", Shape::Text, "")],
        answers: Some(CANCELLED),
        turn: Turn::Change,
        run: change::switch_session,
    },
    Command {
        name: "fork",
        about: "Goes on with a new session that ends before a user message.",
        origin: Origin::Pi,
        takes: &[needed("entryId", Shape::Text, "a user message")],
        answers: Some(Shape::Object(&[
            optional("text", Shape::Text, "the message, to edit and resend; absent if canceled"),
            needed("cancelled", Shape::Flag, "whether an extension or a client canceled it"),
        ])),
        turn: Turn::Change,
        run: change::fork,
    },
    Command {
        name: "clone",
        about: "Goes on with a copy of the active branch.",
        origin: Origin::Pi,
        takes: &[],
        answers: Some(CANCELLED),
        turn: Turn::Change,
        run: change::clone,
    },
    Command {
        name: "set_session_name",
        about: "Names the session. Line ends become spaces.",
        origin: Origin::Pi,
        takes: &[needed("name", Shape::Text, "not only spaces")],
        answers: None,
        turn: Turn::Change,
        run: change::set_session_name,
    },
    Command {
        name: "set_steering_mode",
        about: "How an attached agent takes steering messages. For this process only.",
        origin: Origin::Pi,
        takes: &[needed("mode", QUEUE_MODE, "")],
        answers: None,
        turn: Turn::Change,
        run: modes::set_steering_mode,
    },
    Command {
        name: "set_follow_up_mode",
        about: "How an attached agent takes follow-up messages. For this process only.",
        origin: Origin::Pi,
        takes: &[needed("mode", QUEUE_MODE, "")],
        answers: None,
        turn: Turn::Change,
        run: modes::set_follow_up_mode,
    },
    Command {
        name: "set_auto_compaction",
        about: "Whether the context is compacted when it is nearly full. For this process only.",
        origin: Origin::Pi,
        takes: &[needed("enabled", Shape::Flag, "")],
        answers: None,
        turn: Turn::Change,
        run: modes::set_auto_compaction,
    },
    Command {
        name: "set_auto_retry",
        about: "Whether an attached agent tries again after an error. For this process only.",
        origin: Origin::Pi,
        takes: &[needed("enabled", Shape::Flag, "")],
        answers: None,
        turn: Turn::Change,
        run: modes::set_auto_retry,
    },
    Command {
        name: "set_label",
        about: "Sets the label of an entry, or clears it.",
        origin: Origin::Pitree,
        takes: &[
            needed("entryId", Shape::Text, ""),
            optional("label", Shape::Text, "empty or left out: clear it"),
        ],
        answers: None,
        turn: Turn::Change,
        run: change::set_label,
    },
    Command {
        name: "subscribe",
        about: "Says what this client wants to hear from now on; replaces what it said before.",
        origin: Origin::Pitree,
        takes: &[
            optional("events", Shape::List(&Shape::Text), "names of session events"),
            optional(
                "file",
                Shape::Flag,
                "`entry_appended` for each entry that appears in the session's file, whoever writes it",
            ),
            optional(
                "timeoutMs",
                Shape::Count,
                "how long it may think about a `session_before_…` event: 5000, at most 60000",
            ),
        ],
        answers: Some(Shape::Object(&[
            needed("events", Shape::List(&Shape::Text), ""),
            needed("file", Shape::Flag, ""),
            needed("timeoutMs", Shape::Count, ""),
        ])),
        turn: Turn::Read,
        run: listen::subscribe,
    },
    Command {
        name: "answer_event",
        about: "Answers a `session_before_…` event. Without an answer in time, the operation continues.",
        origin: Origin::Pitree,
        takes: &[
            needed("eventId", Shape::Text, "from the event"),
            optional(
                "answer",
                Shape::Any,
                "null, or `{cancel?, compaction?, summary?, customInstructions?, \
                 replaceInstructions?, label?}` as Pi's extensions answer",
            ),
        ],
        answers: None,
        turn: Turn::AtOnce,
        run: listen::answer_event,
    },
];
