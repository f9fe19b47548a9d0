//! A run holds one conversation, about twice, and never all of them.
//!
//! The allocator of this program counts, so this test stands alone in it.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pitree_extract::{About, ExtractOptions, FormatName, Redacting, Source, run};
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

#[test]
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
