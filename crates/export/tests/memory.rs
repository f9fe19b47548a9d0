//! An export holds one line and never the session.
//!
//! The allocator of this program counts, so this test stands alone in it.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use std::io::Write;

use pitree_export::{Branch, ExportOptions, Format, Redactor, export};
use pitree_session::{Environment, Session};
use pitree_testkit::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

const LINES: usize = 60;
const LINE_BYTES: usize = 100 << 10;
/// A line is held as text, as a value and on its way out, and a string grows by doubling; lines are
/// read through a window of 1 MiB. The session is three times as large.
const MOST_BYTES: usize = (1 << 20) + 10 * LINE_BYTES;
/// On a page of HTML it is a tree of nodes as well, here with several in each 42 bytes. The session
/// is twice as large.
const MOST_BYTES_OF_HTML: usize = (1 << 20) + 20 * LINE_BYTES;

fn write_session(path: &std::path::Path) {
    let mut file = std::io::BufWriter::new(fs_err::File::create(path).unwrap());
    let header = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/srv/p"}"#;
    writeln!(file, "{header}").unwrap();
    for at in 0..LINES {
        let parent = if at == 0 { "null".to_owned() } else { format!("\"n{}\"", at - 1) };
        let role = if at % 2 == 0 { "user" } else { "assistant" };
        let text = "Words, words, and <b> in `code` & so on.\\n".repeat(LINE_BYTES / 42);
        writeln!(file, r#"{{"type":"message","id":"n{at}","parentId":{parent},"timestamp":"2026-02-03T22:52:07.000Z","message":{{"role":"{role}","content":[{{"type":"text","text":"{text}"}}]}}}}"#).unwrap();
    }
}

#[test]
fn an_export_holds_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    write_session(&path);
    let environment = Environment::new("/home/ana", "/srv/p", || 0, |_| {});
    let session = Session::open(&path, &environment).unwrap();
    let hide = |text: &str| text.contains("secret").then(|| text.replace("secret", ""));
    let cases = [
        (Format::Text, Branch::Active, None),
        (Format::Markdown, Branch::Active, None),
        (Format::Html, Branch::All, None),
        (Format::Html, Branch::Active, Some(&hide as &dyn Redactor)),
        (Format::Jsonl, Branch::Active, None),
        (Format::Jsonl, Branch::All, None),
        (Format::Jsonl, Branch::All, Some(&hide)),
    ];
    for (format, branch, redactor) in cases {
        let mut options = ExportOptions::new().branch(branch);
        options.redactor = redactor;
        let held = ALLOCATOR.peak_of(|| {
            let exported = export(&session, format, &options, &mut std::io::sink()).unwrap();
            assert_eq!(exported.entries, LINES);
        });
        let most = if format == Format::Html { MOST_BYTES_OF_HTML } else { MOST_BYTES };
        assert!(held < most, "{format:?}, {branch:?}: {held} bytes");
    }
}
