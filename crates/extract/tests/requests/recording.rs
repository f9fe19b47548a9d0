//! The real Pi led through a script, and every request that it sent.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use pitree_testkit::{MockAnswer, MockCall, MockModel, MockReply, MockRequest, PiConversation};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::requests::models::{MODELS, models_json};
use crate::requests::script::{Reply, Step};

/// A picture that Pi takes for one.
const PICTURE: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/// Tokens that are more than any model here can take.
const TOO_MANY: u64 = 1_000_000;

/// Words of Pi's requests that ask for a summary, and what it is of.
const SUMMARIES: [(&str, &str); 4] = [
    ("a conversation to summarize", "a compaction"),
    ("into the existing summary", "a compaction"),
    ("earlier context from an ongoing", "a split turn"),
    ("summary of this conversation branch", "a branch"),
];

/// A request that Pi sent.
#[derive(Clone, Debug)]
pub(crate) struct Sent {
    /// The name under which its answer is found in the session.
    pub(crate) name: String,
    /// The summary that it asked for, if it asked for one.
    pub(crate) summary: Option<&'static str>,
    pub(crate) body: String,
}

/// All that a script left behind.
pub(crate) struct Recording {
    pub(crate) sent: Vec<Sent>,
    pub(crate) home: TempDir,
    pub(crate) block_images: bool,
}

impl Recording {
    /// The agent folder.
    pub(crate) fn agent(&self) -> PathBuf {
        self.home.path().join("agent")
    }

    /// The session files.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        let sessions = self.home.path().join("sessions");
        let mut files: Vec<PathBuf> =
            fs_err::read_dir(sessions).unwrap().map(|file| file.unwrap().path()).collect();
        files.sort();
        files
    }
}

/// Runs a script.
pub(crate) fn record(steps: &[Step], block_images: bool) -> Recording {
    let home = tempfile::tempdir().unwrap();
    let work = home.path().join("work");
    fs_err::create_dir_all(home.path().join("agent")).unwrap();
    fs_err::create_dir_all(&work).unwrap();
    fs_err::write(work.join("dot.png"), picture()).unwrap();
    let script = Arc::new(Mutex::new(ModelScript::default()));
    let responder = Arc::clone(&script);
    let model =
        MockModel::answering(move |request| responder.lock().unwrap().answer(request)).unwrap();
    write_settings(home.path(), &model, block_images);
    let sessions = home.path().join("sessions");
    let args = ["--session-dir", sessions.to_str().unwrap(), "--model", "near/plain"];
    let pi = PiConversation::start(home.path(), &work, &args).unwrap();
    let mut run = Run { pi, script: Arc::clone(&script), said: 0, files: Vec::new() };
    for (at, step) in steps.iter().enumerate() {
        run.step(step).unwrap_or_else(|error| panic!("step {at}, {step:?}: {error:#}"));
    }
    run.pi.finish().unwrap();
    let sent = std::mem::take(&mut script.lock().unwrap().sent);
    Recording { sent, home, block_images }
}

fn write_settings(home: &Path, model: &MockModel, block_images: bool) {
    let settings = json!({
        "retry": { "baseDelayMs": 1 },
        "compaction": { "keepRecentTokens": 60 },
        "images": { "blockImages": block_images },
    });
    let write = |name: &str, value: &Value| {
        fs_err::write(home.join("agent").join(name), value.to_string()).unwrap();
    };
    write("settings.json", &settings);
    write("models.json", &models_json(&model.openai_url()));
}

fn picture() -> Vec<u8> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let mut bytes = Vec::new();
    for four in PICTURE.trim_end_matches('=').as_bytes().chunks(4) {
        let bits = four.iter().fold(0_u32, |bits, byte| (bits << 6) | u32::from(digit(*byte)));
        let bits = bits << (6 * (4 - four.len()));
        bytes.extend_from_slice(&bits.to_be_bytes()[1..four.len()]);
    }
    bytes
}

/// The side of the models: what they will say, and what they were asked.
#[derive(Default)]
struct ModelScript {
    planned: VecDeque<Reply>,
    /// The next answer is begun and never ended.
    stalls: bool,
    sent: Vec<Sent>,
}

impl ModelScript {
    fn answer(&mut self, request: &MockRequest) -> MockReply {
        let name = format!("reply-{}.", self.sent.len());
        let number = self.sent.len();
        let asked = request.last_text();
        let summary = SUMMARIES.iter().find(|(words, _)| asked.contains(words)).map(|(_, of)| *of);
        self.sent.push(Sent { name: name.clone(), summary, body: request.body.clone() });
        let answer = MockAnswer {
            id: name.clone(),
            tokens: (100, 10),
            finish: Some("stop".to_owned()),
            ..MockAnswer::default()
        };
        let text = format!("answer {number}");
        if summary.is_some() {
            return whole(MockAnswer { text, ..answer });
        }
        if std::mem::take(&mut self.stalls) {
            return whole(MockAnswer { text, stalls: true, ..answer });
        }
        let reply = self.planned.pop_front().unwrap_or(Reply::Text);
        said(&reply, number, MockAnswer { text, ..answer })
    }
}

fn whole(answer: MockAnswer) -> MockReply {
    MockReply::Answer(Box::new(answer))
}

fn refused(code: u16, words: &str, name: &str) -> MockReply {
    let body = json!({ "error": { "message": format!("{words} ({name})") } }).to_string();
    MockReply::Status { code, body, retry_after: None }
}

/// An answer with text, turned into what is planned.
fn said(reply: &Reply, number: usize, text: MockAnswer) -> MockReply {
    let thought = |field: &str| Some((field.to_owned(), format!("thought {number}\n")));
    let finish = |reason: &str| Some(reason.to_owned());
    let silent = MockAnswer { text: String::new(), ..text.clone() };
    whole(match reply {
        Reply::Text => text,
        Reply::Thought(field) => MockAnswer { thinking: thought(field), ..text },
        Reply::Details => MockAnswer {
            details: Some(json!([
                { "type": "reasoning.text", "text": format!("detail {number}"), "index": 0 },
                { "type": "reasoning.encrypted", "data": "c2VjcmV0", "id": "e1", "index": 1 },
            ])),
            ..text
        },
        Reply::Calls(calls) => {
            MockAnswer { calls: tool_calls(calls, number), finish: finish("tool_calls"), ..silent }
        }
        Reply::Everything => MockAnswer {
            thinking: thought("reasoning_content"),
            calls: tool_calls(&[("hush", "{}"), ("look", r#"{"what":"the sea"}"#)], number),
            finish: finish("tool_calls"),
            ..text
        },
        Reply::Empty => silent,
        Reply::Blank => MockAnswer { text: " \n".to_owned(), ..text },
        Reply::Heavy => MockAnswer { tokens: (TOO_MANY, 10), ..text },
        Reply::CutOff => MockAnswer { finish: finish("length"), ..text },
        Reply::Filtered => MockAnswer { finish: finish("content_filter"), ..text },
        Reply::BrokenOff => MockAnswer { finish: None, ..text },
        Reply::Refused => return refused(400, "bad request", &text.id),
        Reply::Busy => return refused(503, "overloaded", &text.id),
        Reply::Overflow => return refused(400, "prompt is too long", &text.id),
    })
}

/// Calls with ids as different providers make them.
fn tool_calls(calls: &[(&str, &str)], number: usize) -> Vec<MockCall> {
    let id = |at: usize| match (number + at) % 5 {
        0 => format!("call_{number}_{at}"),
        1 => format!("call_{number}|fc_{at}"),
        2 => format!("call+{number}/{at}|fc_{}", "0123456789abcdef".repeat(4)),
        3 => format!("{number}-{at}-{}", "long".repeat(12)),
        // Some providers number the calls of each reply anew.
        _ => format!("call_{at}"),
    };
    let call = |(at, (name, arguments)): (usize, &(&str, &str))| MockCall {
        id: id(at),
        name: (*name).to_owned(),
        arguments: (*arguments).to_owned(),
    };
    calls.iter().enumerate().map(call).collect()
}

/// A script on its way.
struct Run {
    pi: PiConversation,
    script: Arc<Mutex<ModelScript>>,
    said: usize,
    files: Vec<String>,
}

impl Run {
    fn step(&mut self, step: &Step) -> anyhow::Result<()> {
        match step {
            Step::Say { images, replies } => {
                self.plan(replies);
                let command = self.prompt(*images);
                self.pi.run(&command)?;
            }
            Step::Steer { follow_up } => self.steer(*follow_up)?,
            Step::AbortAnswer => {
                self.script.lock().unwrap().stalls = true;
                self.begin_and_abort("message_update")?;
            }
            Step::AbortTool => {
                self.plan(&[Reply::Calls(vec![
                    ("hush", "{}"),
                    ("bash", r#"{"command":"sleep 9"}"#),
                ])]);
                self.begin_and_abort("tool_execution_start")?;
            }
            Step::Custom { content, replies } => self.custom(content, replies.as_deref())?,
            Step::Bash { command, excluded } => {
                let excluded = *excluded;
                self.pi.ask(&json!({
                    "type": "bash", "command": command, "excludeFromContext": excluded,
                }))?;
            }
            Step::Model(at) => {
                let (provider, id) = MODELS[*at];
                let command = json!({ "type": "set_model", "provider": provider, "modelId": id });
                self.pi.ask(&command)?;
            }
            Step::Thinking(level) => {
                self.pi.ask(&json!({ "type": "set_thinking_level", "level": level }))?;
            }
            Step::Tools(names) => self.pi.call("tools", &json!(names))?,
            Step::Compact => {
                // There may be nothing to compact.
                self.pi.attempt(&json!({ "type": "compact" }))?;
            }
            Step::Goto { entry, summarize } => {
                let entries = self.pi.entries()?;
                let target = entries[entry % entries.len()]["id"].clone();
                self.goto(&target, *summarize)?;
            }
            Step::GotoCalls => {
                let entries = self.pi.entries()?;
                if let Some(entry) = entries.iter().rev().find(|entry| calls_tools(entry)) {
                    self.goto(&entry["id"], false)?;
                }
            }
            Step::Fork(at) => self.fork(*at)?,
            Step::Clone => {
                self.remember_file()?;
                self.pi.attempt(&json!({ "type": "clone" }))?;
            }
            Step::New => {
                self.remember_file()?;
                self.pi.ask(&json!({ "type": "new_session" }))?;
            }
            Step::Switch(at) => {
                self.remember_file()?;
                let file = &self.files[at % self.files.len()];
                self.pi.ask(&json!({ "type": "switch_session", "sessionPath": file }))?;
            }
            Step::Edit { message, content } => self.edit(*message, content)?,
        }
        Ok(())
    }

    fn plan(&self, replies: &[Reply]) {
        self.script.lock().unwrap().planned = replies.iter().cloned().collect();
    }

    fn prompt(&mut self, images: usize) -> Value {
        self.said += 1;
        let image = json!({ "type": "image", "data": PICTURE, "mimeType": "image/png" });
        let images = vec![image; images];
        json!({ "type": "prompt", "message": format!("question {}", self.said), "images": images })
    }

    fn begin_and_abort(&mut self, event: &str) -> anyhow::Result<()> {
        let command = self.prompt(0);
        self.pi.begin(&command)?;
        self.pi.wait_for(event)?;
        self.pi.ask(&json!({ "type": "abort" }))?;
        self.pi.rest()
    }

    fn steer(&mut self, follow_up: bool) -> anyhow::Result<()> {
        self.plan(&[Reply::Calls(vec![("bash", r#"{"command":"sleep 0.2"}"#)])]);
        let command = self.prompt(0);
        self.pi.begin(&command)?;
        self.pi.wait_for("tool_execution_start")?;
        let kind = if follow_up { "follow_up" } else { "steer" };
        self.pi.ask(&json!({ "type": kind, "message": "and another thing" }))?;
        self.pi.rest()
    }

    fn custom(&mut self, content: &str, replies: Option<&[Reply]>) -> anyhow::Result<()> {
        let message = format!(r#"{{"customType":"note","content":{content},"display":true}}"#);
        let triggers = replies.is_some();
        self.plan(replies.unwrap_or_default());
        let line = format!(r#"{{"message":{message},"options":{{"triggerTurn":{triggers}}}}}"#);
        self.pi.call_raw("say", &line)?;
        if triggers { self.pi.rest() } else { Ok(()) }
    }

    fn goto(&mut self, target: &Value, summarize: bool) -> anyhow::Result<()> {
        self.pi.call("goto", &json!({ "target": target, "options": { "summarize": summarize } }))
    }

    fn fork(&mut self, at: usize) -> anyhow::Result<()> {
        self.remember_file()?;
        let data = self.pi.ask(&json!({ "type": "get_fork_messages" }))?;
        let messages = data["messages"].as_array().unwrap();
        if messages.is_empty() {
            return Ok(());
        }
        let entry = messages[at % messages.len()]["entryId"].clone();
        self.pi.ask(&json!({ "type": "fork", "entryId": entry })).map(drop)
    }

    /// The file can be switched to later, once there is one.
    fn remember_file(&mut self) -> anyhow::Result<()> {
        let file = self.pi.file()?;
        if !self.files.contains(&file) && Path::new(&file).exists() {
            self.files.push(file);
        }
        Ok(())
    }

    fn edit(&mut self, at: usize, content: &str) -> anyhow::Result<()> {
        let data = self.pi.ask(&json!({ "type": "get_entries" }))?;
        let entries = data["entries"].as_array().unwrap();
        let by_id = |id: &Value| entries.iter().find(|entry| entry["id"] == *id);
        let mut branch = Vec::new();
        let mut next = by_id(&data["leafId"]);
        while let Some(entry) = next {
            branch.push(entry);
            next = by_id(&entry["parentId"]);
        }
        let editable = ["user", "assistant", "toolResult"];
        let is_editable = |entry: &&&Value| {
            editable.iter().any(|role| entry["message"]["role"] == *role)
                || entry["type"] == "custom_message"
        };
        let editable: Vec<&&Value> = branch.iter().filter(is_editable).collect();
        if editable.is_empty() {
            return Ok(());
        }
        let target = &editable[at % editable.len()]["id"];
        let replacement = match content {
            "" => "null".to_owned(),
            content => format!("{{\"content\":{content}}}"),
        };
        let line = format!("{{\"targetId\":{target},\"replacement\":{replacement}}}");
        self.pi.call_raw("edit", &line)
    }
}

fn calls_tools(entry: &Value) -> bool {
    let blocks = entry["message"]["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    blocks.iter().any(|block| block["type"] == "toolCall")
}
