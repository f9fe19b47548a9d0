//! The real Pi.

use std::path::{Path, PathBuf};

use pitree_testkit::PiRecorder;
use serde_json::{Value, json};

use crate::live_events::script::Step;
use crate::live_events::{Seen, Side};

pub(crate) struct Theirs {
    pi: PiRecorder,
    sessions: PathBuf,
    /// Events that were fetched together with an answer.
    kept: Vec<Value>,
}

impl Theirs {
    pub(crate) fn open(root: &Path) -> Self {
        let sessions = root.join("sessions");
        let first = sessions.join("first.jsonl");
        let arguments = ["--session", first.to_str().unwrap(), "--thinking", "medium"];
        let pi = PiRecorder::start(root, &root.join("project"), &arguments).unwrap();
        let mut theirs = Self { pi, sessions, kept: Vec::new() };
        theirs.ask(json!({ "type": "get_state" }));
        theirs
    }

    fn ask(&mut self, command: Value) -> Value {
        let mut response = self.pi.ask(command).unwrap();
        match response["success"].as_bool() {
            Some(true) => response["data"].take(),
            _ => json!({ "error": response["error"] }),
        }
    }

    fn entries(&mut self) -> Value {
        self.ask(json!({ "type": "get_entries" }))
    }

    fn id(&mut self, entry: usize) -> String {
        let entries = self.entries();
        entries["entries"][entry]["id"].as_str().unwrap_or("beyond").to_owned()
    }

    fn answer(&mut self, step: &Step) -> Value {
        match step {
            Step::Name(name) => self.ask(json!({ "type": "set_session_name", "name": name })),
            Step::Goto { entry, options } => {
                let target = self.id(*entry);
                self.navigate(&target, options)
            }
            Step::GotoUnknown => self.navigate("unknown", &json!({})),
            Step::Compact(instructions) => {
                let mut command = json!({ "type": "compact" });
                if let Some(instructions) = instructions {
                    command["customInstructions"] = json!(instructions);
                }
                self.ask(command)
            }
            Step::Fork(entry) => {
                let id = self.id(*entry);
                self.ask(json!({ "type": "fork", "entryId": id }))
            }
            Step::ForkUnknown => self.ask(json!({ "type": "fork", "entryId": "unknown" })),
            Step::Clone => self.ask(json!({ "type": "clone" })),
            Step::New { parent: None } => self.ask(json!({ "type": "new_session" })),
            Step::New { parent } => {
                self.ask(json!({ "type": "new_session", "parentSession": parent }))
            }
            Step::Switch(name) => {
                let path = self.sessions.join(name);
                self.ask(json!({ "type": "switch_session", "sessionPath": path }))
            }
            Step::Answers(answers) => {
                self.pi.set_answers(answers).unwrap();
                Value::Null
            }
        }
    }

    /// Pi's protocol has no way to move; the recorder writes down what it returned.
    fn navigate(&mut self, target: &str, options: &Value) -> Value {
        self.kept = self.pi.navigate(target, options).unwrap();
        let mut moved = self.kept.pop().unwrap();
        moved.as_object_mut().unwrap().remove("type");
        moved
    }
}

impl Side for Theirs {
    fn run(&mut self, step: &Step) -> Seen {
        let answer = self.answer(step);
        let mut events = std::mem::take(&mut self.kept);
        events.append(&mut self.pi.recorded().unwrap());
        let entries = self.entries();
        events.dedup_by(|next, before| next["type"] == "session_start" && next == before);
        Seen { answer, events, entries }
    }

    fn end(self) -> Vec<Value> {
        self.pi.finish().unwrap()
    }
}
