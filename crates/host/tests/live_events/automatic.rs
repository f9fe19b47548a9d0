//! Compaction by itself: the real Pi talks to a model of the test, and a live session is told the
//! same answer. Both must compact at the same moment, with the same payloads.

use std::path::{Path, PathBuf};

use pitree_format::js::parse;
use pitree_session::summary::Cancel;
use pitree_testkit::{MockModel, MockReply, PiRecorder, has_pi};
use serde_json::{Value, json};

use crate::live_events::normal::Normal;
use crate::live_events::ours::Ours;
use crate::live_events::world;

const WINDOW: u64 = 2000;

/// Lets Pi answer a prompt; the model says that the context has this many tokens then.
fn pi(root: &Path, tokens: u64) -> (Vec<Value>, PathBuf) {
    let reply =
        MockReply::Metered { text: "It is shorter with `?`.".into(), input: tokens, output: 0 };
    let model = MockModel::start([reply]).unwrap();
    let models = json!({ "providers": { "mock": {
        "baseUrl": model.openai_url(),
        "api": "openai-completions",
        "apiKey": "none",
        "models": [{ "id": "m1", "contextWindow": WINDOW, "maxTokens": 100 }],
    } } });
    fs_err::write(root.join("agent/models.json"), models.to_string()).unwrap();
    let file = root.join("sessions/first.jsonl");
    let arguments =
        ["--session", file.to_str().unwrap(), "--model", "mock/m1", "--thinking", "off"];
    let mut pi = PiRecorder::start(root, &root.join("project"), &arguments).unwrap();
    pi.set_answers(&answers()).unwrap();
    pi.ask(json!({ "type": "prompt", "message": "Really?" })).unwrap();
    pi.wait_for("agent_settled").unwrap();
    (pi.finish().unwrap(), file)
}

fn answers() -> Value {
    json!({ "session_before_compact": { "compaction": { "summary": "Files", "tokensBefore": 5 } } })
}

/// The events about compaction.
fn compactions(events: Vec<Value>) -> Vec<Value> {
    let is_one = |event: &Value| event["type"].as_str().unwrap().contains("compact");
    events.into_iter().filter(is_one).collect()
}

/// Compares both sides for an answer that fills the context so far.
fn compare(tokens: u64) -> usize {
    let theirs_root = world();
    let (events, file) = pi(theirs_root.path(), tokens);
    let theirs = compactions(events);
    // What Pi had written when the answer came, and the answer.
    let text = fs_err::read_to_string(file).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let is_answer = |line: &&str| line.contains("It is shorter with");
    let answer = lines.iter().position(is_answer).unwrap();
    let ours_root = world();
    let before = lines[..answer].join("\n") + "\n";
    fs_err::write(ours_root.path().join("sessions/first.jsonl"), before).unwrap();
    let mut ours = Ours::open(ours_root.path());
    ours.set_answers(&answers());
    ours.live.options_mut().compaction.context_window = Some(WINDOW);
    ours.live.options_mut().summarizer = Some(std::sync::Arc::new(Nobody));
    let entry: Value = serde_json::from_str(lines[answer]).unwrap();
    let message = parse(entry["message"].to_string().as_bytes()).unwrap();
    ours.live.append_message(message).unwrap();
    let mine = compactions(ours.heard());
    // Our session begins with what Pi wrote, its paths included.
    let mut mine_normal = Normal::new(&[ours_root.path(), theirs_root.path()]);
    let mut theirs_normal = Normal::new(&[theirs_root.path()]);
    let mine: Vec<_> = mine.iter().map(|event| mine_normal.of(event)).collect();
    let theirs: Vec<_> = theirs.iter().map(|event| theirs_normal.of(event)).collect();
    assert_eq!(mine, theirs, "at {tokens} tokens");
    mine.len()
}

/// Somebody who could write a summary, and is not asked because an observer gives it.
struct Nobody;

impl pitree_session::summary::Summarizer for Nobody {
    fn summarize(
        &self,
        _request: &pitree_session::summary::SummaryRequest,
        _cancel: &Cancel,
    ) -> Result<pitree_session::summary::SummaryReply, pitree_session::summary::SummaryError> {
        Err(pitree_session::summary::SummaryError::Empty)
    }
}

#[test]
fn a_full_context_is_compacted_when_pi_compacts_it() {
    if !has_pi("a_full_context_is_compacted_when_pi_compacts_it") {
        return;
    }
    // The window has 2000 tokens, of which 100 must stay free.
    assert_eq!(compare(1900), 0);
    assert_eq!(compare(1901), 2);
}
