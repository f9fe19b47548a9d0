//! A run holds one conversation, about twice, and never all of them. The stage `reduce` holds the
//! facts of one session, and never those of all of them.
//!
//! The allocator of this program counts, so this test stands alone in it.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may fail loudly, and say what it has measured"
)]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pitree_extract::stages::{Executor, ExtractPlan, Reduced, Settings};
use pitree_extract::{
    About, Dedupe, ExtractOptions, FormatName, Paths, Redacting, Source, Unguarded, run,
};
use pitree_redact::{Key, Literals, Pseudonyms, Redactor};
use pitree_session::Environment;
use pitree_testkit::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

const SESSIONS: usize = 4;
const LINES: usize = 80;
const LINE_BYTES: usize = 100 << 10;
/// Windows, buffers, batches, and what belongs to the rules of redaction.
const APART: usize = 8 << 20;

fn write_session(folder: &Path, number: usize) -> PathBuf {
    let mut text = format!(
        "{{\"type\":\"session\",\"version\":3,\"id\":\"s{number}\",\
         \"timestamp\":\"2026-02-03T22:52:06.410Z\",\"cwd\":\"/srv/p\"}}\n"
    );
    for at in 0..LINES {
        let parent = if at == 0 { "null".to_owned() } else { format!("\"n{}\"", at - 1) };
        let role = if at % 2 == 0 { "user" } else { "assistant" };
        let said = format!("{number} {at} words, and so on.\\n").repeat(LINE_BYTES / 26);
        writeln!(
            text,
            "{{\"type\":\"message\",\"id\":\"n{at}\",\"parentId\":{parent},\
             \"timestamp\":\"2026-02-03T22:52:07.000Z\",\"message\":{{\"role\":\"{role}\",\
             \"content\":[{{\"type\":\"text\",\"text\":\"{said}\"}}]}}}}"
        )
        .unwrap();
    }
    let path = folder.join(format!("{number}.jsonl"));
    fs_err::write(&path, text).unwrap();
    path
}

/// Both tests in one: what runs beside it would be counted, too.
#[test]
fn memory_is_that_of_one_session() {
    a_run_holds_one_conversation();
    reduce_holds_the_facts_of_one_session();
}

/// A session in which so many branches leave the first message, each with a reply of its own.
fn write_branches(folder: &Path, number: usize, branches: usize) -> Source {
    let id = format!("b{number}");
    let mut text = format!(
        "{{\"type\":\"session\",\"version\":3,\"id\":\"{id}\",\
         \"timestamp\":\"2026-02-03T22:52:06.410Z\",\"cwd\":\"/srv/p\"}}\n"
    );
    let mut message = |at: usize, parent: &str, role: &str, said: &str| {
        writeln!(
            text,
            "{{\"type\":\"message\",\"id\":\"n{at}\",\"parentId\":{parent},\
             \"timestamp\":\"2026-02-03T22:52:07.000Z\",\"message\":{{\"role\":\"{role}\",\
             \"content\":[{{\"type\":\"text\",\"text\":\"{said}\"}}]}}}}"
        )
        .unwrap();
    };
    message(0, "null", "user", "What is to be done?");
    for at in 1..=branches {
        let mut said = String::new();
        (0..30).for_each(|word| write!(said, "word{} ", word * (number * branches + at)).unwrap());
        message(at, "\"n0\"", "assistant", &said);
    }
    let path = folder.join(format!("{id}.jsonl"));
    fs_err::write(&path, text).unwrap();
    Source { path, about: Arc::new(About { session_id: id, ..About::default() }) }
}

/// The bytes that `reduce` holds for so many sessions, and how many samples they have.
fn held_by_reduce(sessions: usize, branches: usize) -> (usize, usize) {
    let folder = tempfile::tempdir().unwrap();
    let sources: Vec<Source> =
        (0..sessions).map(|number| write_branches(folder.path(), number, branches)).collect();
    let environment = Environment::new("/home/ana", "/srv/p", || 0, |_| {});
    let mut options = ExtractOptions::new(Arc::new(Unguarded), folder.path().to_owned());
    options.form.samples.selection.paths = Paths::All;
    options.quality.dedupe = Dedupe::Drop;
    let settings = Settings::of(&options, FormatName::Chat, None, None, &environment).unwrap();
    let plan = ExtractPlan::new(&sources, settings, 3).unwrap();
    let work = folder.path().join("work");
    plan.save(&work, &options).unwrap();
    let executor = Executor::new(plan, &work, &environment).unwrap().with_memory(64 << 10);
    let mut round = executor.first_round();
    let (mut most, mut samples) = (0, None);
    while samples.is_none() {
        for shard in 0..round.shards {
            executor.map(&round, shard).unwrap();
        }
        let held = ALLOCATOR.peak_of(|| match executor.reduce(&round).unwrap() {
            Reduced::MapAgain(next) => round = next,
            Reduced::Decided(decided) => samples = Some(decided.samples),
        });
        most = most.max(held);
    }
    (most, samples.unwrap())
}

fn reduce_holds_the_facts_of_one_session() {
    const BRANCHES: usize = 20;
    let (few, few_samples) = held_by_reduce(120, BRANCHES);
    let (many, many_samples) = held_by_reduce(320, BRANCHES);
    println!("{few} bytes for {few_samples} samples, {many} for {many_samples}");
    assert!(many_samples - few_samples > 180 * BRANCHES, "{few_samples}, {many_samples}");
    // A session more takes its numbers and its path. The facts of a sample take 500 bytes or more.
    assert!(many < few + 200 * 1000, "{few} bytes for few sessions, {many} for many");
}

fn a_run_holds_one_conversation() {
    let folder = tempfile::tempdir().unwrap();
    let sources: Vec<Source> = (0..SESSIONS)
        .map(|number| {
            let about = About { session_id: format!("s{number}"), ..About::default() };
            Source { path: write_session(folder.path(), number), about: Arc::new(about) }
        })
        .collect();
    let environment = Environment::new("/home/ana", "/srv/p", || 0, |_| {});
    let redactor =
        Redactor::new(Key::new([7; Key::LEN]), Literals::default(), Pseudonyms::default());
    let guard = Arc::new(Redacting::new(redactor));
    let options = ExtractOptions::new(guard, folder.path().to_owned());
    let session = LINES * LINE_BYTES;
    for format in [FormatName::Chat, FormatName::OpenAi, FormatName::Axolotl] {
        let form = format.prepare(&options.form);
        let out = folder.path().join(format.name());
        let held = ALLOCATOR.peak_of(|| {
            let report = run(&sources, &*form, &options, &out, &environment).unwrap();
            assert_eq!(report.samples, SESSIONS);
        });
        // Its messages, and the line that is printed of them, which grows by doubling.
        assert!(held < 3 * session + APART, "{format}: {held} bytes for {session}");
    }
}
