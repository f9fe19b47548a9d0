//! What is remembered of a session while its entries are redacted one by one.

use std::collections::HashMap;

use pitree_format::{JsString, Object, Value};

use crate::files::{context_of, context_of_command};
use crate::found::FoundSecrets;
use crate::messages::names_shell;
use crate::public::is_uuid;
use crate::scan::{Context, Hit};

/// How many calls are remembered whose results are read in a way of their own.
const MOST_CALLS: usize = 16 << 10;

/// How many ids of headers are remembered; a file has one header.
const MOST_OWN: usize = 64;

/// Members of a call's arguments that say which file it is about.
const PATHS: [&str; 7] =
    ["path", "file_path", "filePath", "file", "filename", "target_file", "absolute_path"];

/// What is remembered of a session while its entries are redacted one by one: which results are
/// those of files with settings, and what was found.
#[derive(Clone, Debug, Default)]
pub struct SessionMemory {
    calls: HashMap<Box<[u8]>, Context>,
    found: FoundSecrets,
    likely_left: u64,
    /// The ids that headers name: the session's own, and its parent's.
    own: Vec<String>,
}

impl SessionMemory {
    /// The secrets that were found so far.
    pub fn found(&self) -> &FoundSecrets {
        &self.found
    }

    /// The secrets that were found.
    pub fn into_found(self) -> FoundSecrets {
        self.found
    }

    /// How many likely secrets were left in place so far.
    pub fn likely_left(&self) -> u64 {
        self.likely_left
    }

    pub(crate) fn note_likely_left(&mut self) {
        self.likely_left += 1;
    }

    /// Remembers the ids that a header names.
    pub(crate) fn note_header(&mut self, entry: &Value) {
        let is_header = entry.get_string("type").is_some_and(|kind| kind.to_text() == "session");
        if !is_header || self.own.len() >= MOST_OWN {
            return;
        }
        let text = |name: &str| entry.get_string(name).map(|text| text.to_text().into_owned());
        // The file of the parent is named after its id, and a fork has entries that tell it.
        let parent = text("parentSession").and_then(|path| {
            let stem = path.strip_suffix(".jsonl")?;
            Some(stem.rsplit_once('_')?.1.to_owned())
        });
        self.own.extend(text("id").into_iter().chain(parent));
    }

    /// Remembers what was found. The id of the session itself is no secret wherever else it stands:
    /// it is in the header, in the file's name and in every list.
    pub(crate) fn note_found(&mut self, hit: &Hit, secret: &str) {
        let value = secret.trim();
        let is_own = is_uuid(value.as_bytes()) && self.own.iter().any(|own| own == value);
        if !is_own {
            self.found.add(hit, secret);
        }
    }

    /// How the arguments of a call are read; how its result is read is remembered.
    pub(crate) fn note_call(&mut self, call: &Value) -> Option<Context> {
        let arguments = call.get("arguments").and_then(Value::as_object)?;
        let text = |name: &str| arguments.get(name).and_then(Value::as_string);
        let (own, of_result) = if names_shell(call.get_string("name")) {
            let command = text("command").or_else(|| text("cmd")).map(JsString::to_text);
            let printed = command.and_then(|command| context_of_command(&command));
            (Some(Context::Shell), printed)
        } else {
            let context = path_of(arguments).and_then(|path| context_of(&path.to_text()));
            (context, context)
        };
        if let Some(context) = of_result
            && let Some(id) = call.get_string("id")
            && self.calls.len() < MOST_CALLS
        {
            self.calls.insert(id.as_bytes().into(), context);
        }
        own
    }

    /// How the result of a call is read, if the call says so.
    pub(crate) fn context_of_result(&self, message: &Value) -> Option<Context> {
        if let Some(id) = message.get_string("toolCallId") {
            return self.calls.get(id.as_bytes()).copied();
        }
        let command = message.get_string("command").map(JsString::to_text);
        command.and_then(|command| context_of_command(&command))
    }
}

fn path_of(arguments: &Object) -> Option<&JsString> {
    PATHS.iter().find_map(|name| arguments.get(name).and_then(Value::as_string))
}
