//! The commands about other sessions, other files and the shell.

use super::shape::{Shape, needed, optional};
use super::shapes::{HIT, SESSION_INFO};
use super::{Command, Origin, Turn};
use crate::commands::{files, shell, store};

const SCOPE: Shape = Shape::Words(&["dir", "repo", "all"]);

pub(super) static COMMANDS: [Command; 8] = [
    Command {
        name: "export_html",
        about: "Writes the session as one HTML page. A regular file of that name is replaced, unless \
                it is a session or lies below a folder of sessions.",
        origin: Origin::Pi,
        takes: &[optional("outputPath", Shape::Text, "a name after the session if left out")],
        answers: Some(Shape::Object(&[needed("path", Shape::Text, "as it was given")])),
        turn: Turn::LongRead,
        run: files::export_html,
    },
    Command {
        name: "bash",
        about: "Runs a shell command of the user in the session's directory and stores it; needs \
                `--allow-bash`. What it says comes as `bash_execution_update` events with the \
                request's `id` and a `delta`.",
        origin: Origin::Pi,
        takes: &[
            needed("command", Shape::Text, ""),
            optional("excludeFromContext", Shape::Flag, "keep it out of the model's context"),
        ],
        answers: Some(Shape::Object(&[
            needed("output", Shape::Text, "cleaned; the end of it if it is long"),
            optional("exitCode", Shape::Number, "absent if it was canceled"),
            needed("cancelled", Shape::Flag, ""),
            needed("truncated", Shape::Flag, ""),
            optional("fullOutputPath", Shape::Text, "a file with all of it"),
        ])),
        turn: Turn::Beside,
        run: shell::bash,
    },
    Command {
        name: "abort_bash",
        about: "Ends shell commands with all that they started.",
        origin: Origin::Pi,
        takes: &[],
        answers: None,
        turn: Turn::Stop,
        run: shell::abort_bash,
    },
    Command {
        name: "list_sessions",
        about: "The sessions of this directory, this repository or all, the latest first.",
        origin: Origin::Pitree,
        takes: &[
            optional("scope", SCOPE, "where to look: `dir` if left out"),
            optional("name", Shape::Text, "only those whose name holds this"),
            optional("named", Shape::Flag, "only those with a name"),
            optional("cwd", Shape::Text, "only those whose directory holds this"),
            optional("model", Shape::Text, "only those in which such a model answered"),
            optional("since", Shape::Text, "only those with activity since this date"),
            optional("offset", Shape::Count, "leave out as many at the beginning"),
            optional("limit", Shape::Count, "at most as many"),
        ],
        answers: Some(Shape::Object(&[
            needed("sessions", Shape::List(&Shape::Named(&SESSION_INFO)), ""),
            needed("total", Shape::Count, "without the window"),
        ])),
        turn: Turn::StoreRead,
        run: store::list_sessions,
    },
    Command {
        name: "search",
        about: "Finds text in sessions; the query is that of `pitree search`.",
        origin: Origin::Pitree,
        takes: &[
            needed("query", Shape::Text, ""),
            optional("scope", SCOPE, "where to look: `all` if left out"),
            optional("conversation", Shape::Flag, "no tools, no thinking; whole words"),
            optional("offset", Shape::Count, "leave out as many at the beginning"),
            optional("limit", Shape::Count, "at most as many; 20 if left out"),
        ],
        answers: Some(Shape::Object(&[
            needed("hits", Shape::List(&Shape::Named(&HIT)), "the best first"),
            needed("total", Shape::Count, "copies in forks count once"),
        ])),
        turn: Turn::StoreRead,
        run: store::search,
    },
    Command {
        name: "delete_session",
        about: "Moves a session to the trash, with its side files. Not the one that is open.",
        origin: Origin::Pitree,
        takes: &[
            needed(
                "sessionPath",
                Shape::Text,
                "a path, an id or a prefix of an id that matches one session",
            ),
            optional("permanent", Shape::Flag, "remove for good what no trash takes"),
            optional("force", Shape::Flag, "also what is in use"),
        ],
        answers: Some(Shape::Object(&[needed(
            "deleted",
            Shape::List(&Shape::Object(&[
                needed("path", Shape::Text, ""),
                needed("to", Shape::Words(&["trash", "removed"]), ""),
            ])),
            "",
        )])),
        turn: Turn::Change,
        run: store::delete_session,
    },
    Command {
        name: "import_session",
        about: "Copies a session file into the folder of this session and switches to it. \
                Nothing is overwritten.",
        origin: Origin::Pitree,
        takes: &[
            needed("inputPath", Shape::Text, ""),
            optional("cwd", Shape::Text, "the working directory, if that of the file is gone"),
        ],
        answers: Some(Shape::Object(&[
            needed("cancelled", Shape::Flag, "whether an extension or a client canceled it"),
            optional("sessionFile", Shape::Text, "the copy"),
        ])),
        turn: Turn::Change,
        run: files::import_session,
    },
    Command {
        name: "export_jsonl",
        about: "Writes the active branch as a session file, as Pi's /export does, or a copy of \
                the whole file. Nothing is overwritten.",
        origin: Origin::Pitree,
        takes: &[
            optional("outputPath", Shape::Text, "a name with the time if left out"),
            optional("branch", Shape::Words(&["active", "all"]), "`active` if left out"),
        ],
        answers: Some(Shape::Object(&[
            needed("path", Shape::Text, "as it was given"),
            needed("entries", Shape::Count, ""),
        ])),
        turn: Turn::LongRead,
        run: files::export_jsonl,
    },
];
