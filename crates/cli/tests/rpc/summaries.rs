//! Summaries: with a model on loopback, beside the real Pi, and stopped.

use std::time::{Duration, Instant};

use pitree_format::Value;
use pitree_format::js::stringify;
use pitree_testkit::{MockModel, MockReply, has_pi};

use crate::rpc::normal::Normal;
use crate::rpc::peer::{Machine, Peer};
use crate::rpc::pi::TALK;

/// The conversation, so small a part of which is kept that there is something to summarise.
fn machine_with(model: &MockModel) -> Machine {
    let machine = Machine::new();
    machine.set_model_url(&model.openai_url());
    machine.write("agent/settings.json", r#"{"compaction":{"keepRecentTokens":1}}"#);
    machine.write("sessions/talk.jsonl", TALK);
    machine
}

fn open(machine: &Machine, is_pi: bool) -> Peer {
    let session = machine.path("sessions/talk.jsonl");
    let args = ["--session", session.to_str().unwrap()];
    if is_pi { machine.pi(&args) } else { machine.pitree(&args) }
}

#[test]
fn a_compaction_is_answered_and_told_as_by_pi() {
    if !has_pi("a_compaction_is_answered_and_told_as_by_pi") {
        return;
    }
    let answers = |is_pi: bool| {
        let texts = ["the summary", "the prefix"].map(MockReply::text);
        let model = MockModel::start(texts).unwrap();
        let machine = machine_with(&model);
        let mut peer = open(&machine, is_pi);
        let mut normal = Normal::new(machine.root(), TALK);
        let mut lines = Vec::new();
        for request in [
            r#"{"type":"compact","customInstructions":"be brief"}"#,
            r#"{"type":"compact"}"#,
            r#"{"type":"get_session_stats"}"#,
            r#"{"type":"get_messages"}"#,
            r#"{"type":"get_entries","since":"dddd0002"}"#,
        ] {
            let (events, answer) = peer.ask(request);
            let all = events.iter().chain([&answer]);
            lines.extend(all.map(|value| stringify(&normal.value(value))));
        }
        lines
    };
    let (ours, theirs) = (answers(false), answers(true));
    for (ours, theirs) in ours.iter().zip(&theirs) {
        assert_eq!(ours, theirs);
    }
    assert_eq!(ours.len(), theirs.len());
}

#[test]
fn a_branch_that_is_left_is_summarised() {
    let model = MockModel::start([MockReply::text("what was tried")]).unwrap();
    let machine = machine_with(&model);
    let mut peer = open(&machine, false);
    let request =
        r#"{"type":"navigate_tree","entryId":"cccc0001","summarize":true,"label":"back"}"#;
    let data = peer.data(request);
    let summary = data.get("summaryEntry").unwrap();
    assert_eq!(summary.get_string("parentId").unwrap().to_string(), "bbbb0002");
    assert!(summary.get_string("summary").unwrap().to_string().contains("what was tried"));
    let labels = peer.data(r#"{"type":"get_labels"}"#);
    assert_eq!(labels.get("labels").and_then(Value::as_array).unwrap().len(), 2);
}

#[test]
fn reads_overtake_a_summary_and_abort_stops_it() {
    let model = MockModel::start([MockReply::Stall("hm".to_owned())]).unwrap();
    let machine = machine_with(&model);
    let before = fs_err::read(machine.path("sessions/talk.jsonl")).unwrap();
    let mut peer = open(&machine, false);
    peer.send(b"{\"id\":\"c\",\"type\":\"compact\"}\n");
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        let state = peer.data(r#"{"type":"get_state"}"#);
        if state.get("isCompacting") == Some(&Value::Bool(true)) && !model.requests().is_empty() {
            break;
        }
        assert!(Instant::now() < deadline, "{state:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
    peer.send(b"{\"id\":\"n\",\"type\":\"clone\"}\n{\"id\":\"a\",\"type\":\"abort\"}\n");
    let mut answers = Vec::new();
    while answers.len() < 3 {
        let value = peer.value();
        if value.get_string("type").is_some_and(|kind| *kind == "response") {
            answers.push(stringify(&value));
        }
    }
    answers.sort();
    assert!(answers[0].contains(r#""id":"a","#), "{answers:?}");
    assert!(answers[1].contains(r#""error":"Compaction cancelled""#), "{answers:?}");
    // What waited behind it is done then.
    assert!(answers[2].contains(r#""data":{"cancelled":false}"#), "{answers:?}");
    assert_eq!(fs_err::read(machine.path("sessions/talk.jsonl")).unwrap(), before);
}

#[test]
fn the_end_of_the_input_stops_a_summary() {
    let model = MockModel::start([MockReply::Stall("hm".to_owned())]).unwrap();
    let machine = machine_with(&model);
    let mut peer = open(&machine, false);
    peer.send(b"{\"id\":\"c\",\"type\":\"compact\"}\n");
    let begun = Instant::now();
    while model.requests().is_empty() && begun.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let (lines, code) = peer.finish();
    assert_eq!(code, Some(0));
    let last = String::from_utf8(lines.last().unwrap().clone()).unwrap();
    assert!(last.contains("Compaction cancelled"), "{last}");
}

#[test]
fn a_full_context_is_compacted_by_itself_unless_that_is_switched_off() {
    let model = MockModel::start(["one", "two"].map(MockReply::text)).unwrap();
    let machine = machine_with(&model);
    let settings = r#"{"compaction":{"keepRecentTokens":1,"reserveTokens":31900}}"#;
    machine.write("agent/settings.json", settings);
    let session = machine.path("sessions/talk.jsonl");
    let mut peer = machine.pitree(&["--allow-bash", "--session", session.to_str().unwrap()]);
    peer.data(r#"{"type":"set_auto_compaction","enabled":false}"#);
    peer.data(r#"{"type":"bash","command":"echo nothing happens"}"#);
    peer.data(r#"{"type":"set_auto_compaction","enabled":true}"#);
    assert!(model.requests().is_empty());
    peer.data(r#"{"type":"bash","command":"echo too much"}"#);
    let mut kinds = Vec::new();
    while kinds.last().is_none_or(|kind| kind != "compaction_end") {
        let event = peer.value();
        assert_eq!(event.get_string("reason").unwrap().to_string(), "threshold", "{event:?}");
        kinds.push(event.get_string("type").unwrap().to_string());
    }
    assert_eq!(kinds, ["compaction_start", "compaction_end"]);
    let data = peer.data(r#"{"type":"get_messages"}"#);
    let first = &data.get("messages").and_then(Value::as_array).unwrap()[0];
    assert_eq!(first.get_string("role").unwrap().to_string(), "compactionSummary");
}
