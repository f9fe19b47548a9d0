//! The same model answers both: Pi's agent and pitree write the same entries.

use std::path::{Path, PathBuf};
use std::sync::Mutex;

use pitree_format::js::{parse, stringify};
use pitree_format::{EntryKind, Object, Value};
use pitree_session::compaction::{CompactOptions, CompactionSettings, NavigateOptions};
use pitree_session::summary::{Cancel, Summarizer, SummaryError, SummaryReply, SummaryRequest};
use pitree_session::{Environment, Session};
use pitree_testkit::{MockModel, MockReply, Oracle, PiVersion, Rng, working_session};

use crate::compaction::compare::difference;
use crate::compaction::{Plan, ready};

pub(crate) fn environment() -> Environment {
    let next = std::sync::atomic::AtomicU64::new(1);
    let random = move |bytes: &mut [u8]| {
        let number = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let mut rng = Rng::new(number);
        bytes.iter_mut().for_each(|byte| *byte = rng.next_u64() as u8);
    };
    Environment::new("/home/ana", "/home/ana/p", || 1_770_000_000_000, random)
}

/// What the model says to the first and the second request, and what that costs.
const REPLIES: [(&str, u64, u64); 2] =
    [("## Goal\nThe first answer.", 1200, 34), ("## Original Request\nThe second one.", 77, 8)];

/// Answers as the model on loopback does, with the usage that Pi reckons.
#[derive(Default)]
struct SameAnswers(Mutex<Vec<SummaryRequest>>);

impl Summarizer for SameAnswers {
    fn summarize(
        &self,
        request: &SummaryRequest,
        _cancel: &Cancel,
    ) -> Result<SummaryReply, SummaryError> {
        let mut asked = self.0.lock().unwrap();
        let (text, input, output) = REPLIES[asked.len()];
        asked.push(request.clone());
        let (input, output) = (input as f64, output as f64);
        let (input_cost, output_cost) = (3.0 / 1e6 * input, 15.0 / 1e6 * output);
        let cost = Object::new()
            .with("input", input_cost)
            .with("output", output_cost)
            .with("cacheRead", 0.0)
            .with("cacheWrite", 0.0)
            .with("total", input_cost + output_cost)
            .with("totalFromProvider", false);
        let usage = Object::new()
            .with("input", input)
            .with("output", output)
            .with("cacheRead", 0.0)
            .with("cacheWrite", 0.0)
            .with("reasoning", 0.0)
            .with("totalTokens", input + output)
            .with("cost", cost);
        Ok(SummaryReply { text: text.to_owned(), usage: Some(usage.into()) })
    }
}

fn model() -> MockModel {
    let replies = REPLIES.map(|(text, input, output)| MockReply::Metered {
        text: text.to_owned(),
        input,
        output,
    });
    MockModel::start(replies).unwrap()
}

/// A file that both sides begin with. Pi adds a thinking level where there is none, so there is
/// one, and a model where nobody has spoken, so somebody has.
fn prepare_file(bytes: &[u8], path: &Path) -> bool {
    fs_err::write(path, bytes).unwrap();
    let Ok(mut session) = Session::open(path, &environment()) else { return false };
    if session.is_empty() || session.entries().any(|entry| entry.has_made_up_id()) {
        return false;
    }
    let has_messages = session.context().is_ok_and(|context| !context.messages.is_empty());
    has_messages && session.append_thinking_level_change("off").is_ok()
}

/// Both sides of a case and where they work.
struct Bench {
    oracle: Oracle,
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        Self {
            oracle: Oracle::start(PiVersion::Current).expect("the oracle starts"),
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Lets Pi's agent act on a copy of the file; its result and the requests it made.
    fn pi(&mut self, model: &MockModel, file: &Path, act: Object) -> Value {
        let copy = self.path("pi.jsonl");
        fs_err::copy(file, &copy).unwrap();
        let mut request = act;
        request.set("op", "agent".into());
        request.set("path", copy.to_string_lossy().into_owned().into());
        request.set("url", model.openai_url().into());
        parse(self.oracle.ask(&stringify(&request.into())).unwrap().as_bytes()).unwrap()
    }
}

/// The entries that were added, with their ids and times replaced.
fn added(path: &Path, before: usize) -> Vec<Value> {
    let session = Session::open(path, &environment()).unwrap();
    let new: Vec<Value> = session.entries().skip(before).map(|e| e.value().unwrap()).collect();
    let ids: Vec<String> =
        new.iter().map(|entry| entry.get_string("id").unwrap().to_string()).collect();
    new.iter().map(|entry| normalised(entry, &ids)).collect()
}

fn normalised(value: &Value, ids: &[String]) -> Value {
    match value {
        Value::String(text) => match ids.iter().position(|id| *text == id.as_str()) {
            Some(at) => format!("new entry {at}").into(),
            None => value.clone(),
        },
        Value::Array(items) => {
            items.iter().map(|item| normalised(item, ids)).collect::<Vec<_>>().into()
        }
        Value::Object(object) => {
            let members = object.iter().map(|(name, member)| {
                let member =
                    if *name == "timestamp" { "now".into() } else { normalised(member, ids) };
                (name.clone(), member)
            });
            Object::from_members(members.collect()).into()
        }
        other => other.clone(),
    }
}

#[test]
fn compactions_are_written_as_by_pi() {
    if !ready("compactions_are_written_as_by_pi") {
        return;
    }
    let plan = Plan::new(60, 300);
    let mut bench = Bench::new();
    let (mut written, mut split) = (0, 0);
    for seed in plan.seeds() {
        let file = bench.path("case.jsonl");
        if !prepare_file(&working_session(seed).bytes, &file) {
            continue;
        }
        let mut rng = Rng::new(seed);
        let keep = rng.pick(&[0_u64, 30, 100, 300, 1000, 4000]);
        let instructions = rng.chance(30).then(|| "the tests".to_owned());
        let settings = CompactionSettings { keep_recent_tokens: keep, ..Default::default() };
        let compaction = Object::new().with("compaction", settings.to_value());
        let act = Object::new()
            .with("do", "compact")
            .with("settings", compaction)
            .with_some("instructions", instructions.clone());
        let model = model();
        let theirs = bench.pi(&model, &file, act);
        let mut session = Session::open(&file, &environment()).unwrap();
        let before = session.len();
        let answers = SameAnswers::default();
        let options = CompactOptions { settings, instructions };
        let ours = session.compact(&options, &answers, &Cancel::new());
        let ours = match (ours, theirs.get("result")) {
            (Ok(ours), Some(_)) => ours,
            (Ok(_), None) => {
                // Pi cannot put some damaged messages into words.
                let error = theirs.get_string("error").unwrap().to_string();
                assert!(error.contains("undefined") || error.contains("not a function"), "{error}");
                continue;
            }
            (Err(error), _) => {
                let theirs = theirs.get_string("error").map(ToString::to_string);
                assert_eq!(Some(error.to_string()), theirs, "seed {seed}");
                assert_eq!(session.len(), before);
                continue;
            }
        };
        let found = difference(&ours.to_value(), theirs.get("result").unwrap());
        assert_eq!(found, None, "seed {seed}: result");
        let (ours, theirs) = (added(&file, before), added(&bench.path("pi.jsonl"), before));
        assert_eq!(difference(&ours.into(), &theirs.into()), None, "seed {seed}: entries");
        let asked = answers.0.lock().unwrap().len();
        assert_eq!(asked, model.requests().len(), "seed {seed}: as many requests");
        written += 1;
        split += usize::from(asked == 2);
    }
    println!("compactions written: {written} equal to Pi 1.5.0, {split} with two requests");
    assert!(written >= 30 && split >= 5, "{written} written, {split} split");
}

#[test]
fn branch_summaries_are_written_as_by_pi() {
    if !ready("branch_summaries_are_written_as_by_pi") {
        return;
    }
    let plan = Plan::new(60, 300);
    let mut bench = Bench::new();
    let (mut summaries, mut labels) = (0, 0);
    for seed in plan.seeds() {
        let file = bench.path("case.jsonl");
        if !prepare_file(&working_session(seed).bytes, &file) {
            continue;
        }
        let mut rng = Rng::new(seed);
        let mut session = Session::open(&file, &environment()).unwrap();
        let target = session.at(rng.below(session.len())).unwrap();
        if target.parent().is_none() && target.parent_id().is_some() {
            continue; // Pi cannot go to a message whose parent is lost.
        }
        let options = NavigateOptions {
            summarize: rng.chance(85),
            custom_instructions: rng.chance(30).then(|| "the tests".to_owned()),
            replace_instructions: rng.chance(30).then_some(true),
            label: rng.chance(40).then(|| "left here".to_owned()),
            context_window: Some(100_000),
            reserve_tokens: rng.pick(&[0, 16_384, 99_000, 99_900, 100_000]),
        };
        let target = target.id().to_owned();
        let act = Object::new()
            .with("do", "navigate")
            .with("target", target.as_str())
            .with("options", options_value(&options))
            .with(
                "settings",
                Object::new().with(
                    "branchSummary",
                    Object::new().with("reserveTokens", options.reserve_tokens as f64),
                ),
            );
        let model = model();
        let theirs = bench.pi(&model, &file, act);
        let before = session.len();
        let answers = SameAnswers::default();
        let ours = session.navigate(&target, options, Some(&answers), &Cancel::new()).unwrap();
        let Some(result) = theirs.get("result") else {
            let error = theirs.get_string("error").unwrap().to_string();
            let is_known = ["undefined", "not iterable", "not a function", "null"]
                .iter()
                .any(|word| error.contains(word));
            assert!(is_known, "seed {seed}: {error}");
            continue;
        };
        let text = ours.editor_text.map_or(Value::Null, Value::from);
        let their_text = result.get("editorText").cloned().unwrap_or(Value::Null);
        assert_eq!(text, their_text, "seed {seed}: the text to edit and resend");
        let (ours, theirs) = (added(&file, before), added(&bench.path("pi.jsonl"), before));
        let found = difference(&ours.clone().into(), &theirs.into());
        assert_eq!(found, None, "seed {seed}: entries");
        assert_eq!(answers.0.lock().unwrap().len(), model.requests().len(), "seed {seed}");
        let count = |kind: &str| {
            ours.iter().filter(|e| e.get_string("type").is_some_and(|t| *t == kind)).count()
        };
        summaries += count("branch_summary");
        labels += count("label");
    }
    println!("branch summaries written: {summaries}, labels: {labels}, equal to Pi 1.5.0");
    assert!(summaries >= 20 && labels >= 10, "{summaries} summaries, {labels} labels");
}

fn options_value(options: &NavigateOptions) -> Value {
    Object::new()
        .with("summarize", options.summarize)
        .with_some("customInstructions", options.custom_instructions.clone())
        .with_some("replaceInstructions", options.replace_instructions)
        .with_some("label", options.label.clone())
        .into()
}

/// pitree compacts, then Pi goes on: its next request begins with our summary.
#[test]
fn pi_goes_on_from_our_compaction() {
    if !ready("pi_goes_on_from_our_compaction") {
        return;
    }
    let mut bench = Bench::new();
    let file = bench.path("case.jsonl");
    assert!(prepare_file(LONG.as_bytes(), &file));
    let mut session = Session::open(&file, &environment()).unwrap();
    let settings = CompactionSettings { keep_recent_tokens: 10, ..Default::default() };
    let options = CompactOptions { settings, instructions: None };
    let done = session.compact(&options, &SameAnswers::default(), &Cancel::new()).unwrap();
    let leaf = session.leaf().unwrap();
    assert_eq!((leaf.id(), leaf.kind()), (done.appended.id.as_str(), EntryKind::Compaction));
    let model = MockModel::start([MockReply::text("On we go.")]).unwrap();
    let act = Object::new().with("do", "prompt").with("text", "And now?");
    let theirs = bench.pi(&model, &file, act);
    assert_eq!(theirs.get("ok"), Some(&Value::Bool(true)), "{}", stringify(&theirs));
    let requests = model.requests();
    let messages = requests[0].json()["messages"].clone();
    let said: Vec<String> = messages
        .as_array()
        .unwrap()
        .iter()
        .filter(|message| message["role"] == "user")
        .map(|message| message["content"].to_string())
        .collect();
    assert!(said[0].contains("The first answer."), "{said:?}");
    assert!(said.last().unwrap().contains("And now?"), "{said:?}");
    assert!(!said.iter().any(|text| text.contains("the very first request")), "{said:?}");
}

pub(crate) const LONG: &str = r#"{"type":"session","version":3,"id":"5fb06776-cb59-70c9-95e9-90e25f35030f","timestamp":"2026-02-01T09:14:17.164Z","cwd":"/srv/app"}
{"type":"message","id":"aaaaaaaa","parentId":null,"timestamp":"2026-02-01T09:14:18.000Z","message":{"role":"user","content":"the very first request","timestamp":1769937258000}}
{"type":"message","id":"bbbbbbbb","parentId":"aaaaaaaa","timestamp":"2026-02-01T09:14:19.000Z","message":{"role":"assistant","content":[{"type":"text","text":"the very first answer"}],"api":"openai-completions","provider":"mock","model":"m1","usage":{"input":5,"output":5,"cacheRead":0,"cacheWrite":0,"totalTokens":10,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1769937259000}}
{"type":"message","id":"cccccccc","parentId":"bbbbbbbb","timestamp":"2026-02-01T09:14:20.000Z","message":{"role":"user","content":"a second request, of some length so that it is kept","timestamp":1769937260000}}
{"type":"message","id":"dddddddd","parentId":"cccccccc","timestamp":"2026-02-01T09:14:21.000Z","message":{"role":"assistant","content":[{"type":"text","text":"done"}],"api":"openai-completions","provider":"mock","model":"m1","usage":{"input":5,"output":5,"cacheRead":0,"cacheWrite":0,"totalTokens":10,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1769937261000}}
"#;
