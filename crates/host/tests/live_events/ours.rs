//! The live session.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{SystemTime, UNIX_EPOCH};

use pitree_format::EntryKind;
use pitree_format::js::{parse, stringify};
use pitree_host::events::{
    BeforeReply, EventKind, ForkPosition, Moment, ObserverError, SessionEvent, SessionObserver,
};
use pitree_host::live::{CompactionPolicy, LiveError, LiveOptions, LiveSession, StartingModel};
use pitree_session::compaction::{CompactionSettings, NavigateOptions};
use pitree_session::summary::Cancel;
use pitree_session::{Environment, OpenOptions, Session};
use serde_json::{Value, json};

use crate::live_events::script::Step;
use crate::live_events::{Seen, Side};

pub(crate) struct Ours {
    pub(crate) live: LiveSession,
    sessions: PathBuf,
    shared: Arc<Mutex<Shared>>,
}

/// What the observer and the test share.
#[derive(Default)]
struct Shared {
    answers: Value,
    heard: Vec<Value>,
    compactions: usize,
}

struct Recorder(Arc<Mutex<Shared>>);

impl SessionObserver for Recorder {
    fn name(&self) -> &str {
        "recorder"
    }

    fn on_event(
        &mut self,
        event: &SessionEvent,
        _moment: &Moment<'_>,
    ) -> Result<Option<BeforeReply>, ObserverError> {
        let mut shared = self.0.lock().unwrap();
        let payload = to_serde(&event.to_value());
        let kind = event.kind();
        // Pi no longer sends these two.
        if !matches!(kind, EventKind::SessionSwitch | EventKind::SessionFork) {
            shared.heard.push(payload.clone());
        }
        let mut answer = shared.answers[kind.name()].clone();
        if !answer["compaction"].is_null() {
            answer["compaction"]["firstKeptEntryId"] =
                payload["preparation"]["firstKeptEntryId"].clone();
            shared.compactions += 1;
            let summary = answer["compaction"]["summary"].as_str().unwrap();
            answer["compaction"]["summary"] = json!(format!("{summary} {}", shared.compactions));
        }
        let answer = parse(answer.to_string().as_bytes()).unwrap();
        BeforeReply::from_value(&answer).map_err(ObserverError)
    }
}

fn to_serde(value: &pitree_format::Value) -> Value {
    serde_json::from_str(&stringify(value)).unwrap()
}

fn environment(root: &Path) -> Environment {
    let now = || {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        i64::try_from(since.as_millis()).unwrap()
    };
    let counter = AtomicU64::new(1);
    let random = move |bytes: &mut [u8]| {
        for chunk in bytes.chunks_mut(4) {
            // Every word differs, and looks like what a random source gives.
            let next = counter.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9E37_79B9);
            chunk.copy_from_slice(&next.to_le_bytes()[..chunk.len()]);
        }
    };
    Environment::new(root, root.join("project"), now, random)
}

impl Ours {
    pub(crate) fn open(root: &Path) -> Self {
        let sessions = root.join("sessions");
        let session =
            OpenOptions::new().open(sessions.join("first.jsonl"), &environment(root)).unwrap();
        let options = LiveOptions {
            starting_model: StartingModel {
                model: Some(("anthropic".into(), "claude-sonnet-4-5".into())),
                thinking_level: Some("medium".into()),
            },
            compaction: CompactionPolicy {
                settings: CompactionSettings {
                    enabled: true,
                    reserve_tokens: 100,
                    keep_recent_tokens: 12,
                },
                context_window: Some(200_000),
            },
            ..LiveOptions::default()
        };
        let shared = Arc::new(Mutex::new(Shared::default()));
        let mut live = LiveSession::new(session, options);
        live.observe(Box::new(Recorder(shared.clone())));
        live.start().unwrap();
        Self { live, sessions, shared }
    }

    /// How the observer answers from now on.
    pub(crate) fn set_answers(&self, answers: &Value) {
        self.shared.lock().unwrap().answers = answers.clone();
    }

    /// The events since this was called last.
    pub(crate) fn heard(&self) -> Vec<Value> {
        std::mem::take(&mut self.shared.lock().unwrap().heard)
    }

    /// Whether Pi would append a model and a thinking level to a file that exists.
    pub(crate) fn is_changed_by_opening(&self, step: &Step) -> bool {
        let Step::Switch(name) = step else { return false };
        let session = Session::open(self.sessions.join(name), self.live.environment());
        session.is_ok_and(|session| {
            let is_level = |kind: EntryKind| kind == EntryKind::ThinkingLevelChange;
            let has_level = session.active_path().iter().any(|entry| is_level(entry.kind()));
            !has_level || session.context().unwrap().messages.is_empty()
        })
    }

    fn id(&self, entry: usize) -> String {
        self.live.session().at(entry).map_or("beyond", |entry| entry.id()).to_owned()
    }

    fn answer(&mut self, step: &Step) -> Result<Value, LiveError> {
        Ok(match step {
            Step::Name(name) => self.live.set_name(*name).map(|_| Value::Null)?,
            Step::Goto { entry, options } => self.navigate(&self.id(*entry), options)?,
            Step::GotoUnknown => self.navigate("unknown", &json!({}))?,
            Step::Compact(instructions) => {
                to_serde(&self.live.compact(*instructions, &Cancel::new())?.to_value())
            }
            Step::Fork(entry) => self.fork(&self.id(*entry))?,
            Step::ForkUnknown => self.fork("unknown")?,
            Step::Clone => to_serde(&self.live.clone_session()?.to_value()),
            Step::New { parent } => to_serde(&self.live.new_session(*parent)?.to_value()),
            Step::Switch(name) => {
                let path = self.sessions.join(name);
                to_serde(&self.live.switch_session(path.to_str().unwrap())?.to_value())
            }
            Step::Answers(answers) => {
                self.set_answers(answers);
                Value::Null
            }
        })
    }

    fn fork(&mut self, id: &str) -> Result<Value, LiveError> {
        Ok(to_serde(&self.live.fork(id, ForkPosition::Before)?.to_value()))
    }

    fn navigate(&mut self, target: &str, options: &Value) -> Result<Value, LiveError> {
        let text = |name: &str| options[name].as_str().map(str::to_owned);
        let options = NavigateOptions {
            summarize: options["summarize"] == true,
            custom_instructions: text("customInstructions"),
            replace_instructions: options["replaceInstructions"].as_bool(),
            label: text("label"),
            ..NavigateOptions::default()
        };
        let moved = self.live.navigate_tree(target, options, &Cancel::new())?;
        // An extension of Pi gets no more than this.
        Ok(json!({ "cancelled": moved.cancelled }))
    }
}

impl Side for Ours {
    fn run(&mut self, step: &Step) -> Seen {
        let answer =
            self.answer(step).unwrap_or_else(|error| json!({ "error": error.to_string() }));
        let events = self.heard();
        let session = self.live.session();
        let entries: Vec<Value> =
            session.entries().map(|entry| to_serde(&entry.value().unwrap())).collect();
        let entries = json!({ "entries": entries, "leafId": session.leaf_id() });
        Seen { answer, events, entries }
    }

    fn end(mut self) -> Vec<Value> {
        self.live.shutdown();
        self.heard()
    }
}
