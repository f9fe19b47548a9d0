//! An export holds one line and never the session.
//!
//! The allocator of this program counts, so this test stands alone in it.
#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]
#![allow(unsafe_code, reason = "counting what is allocated needs an allocator")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

use pitree_export::{Branch, ExportOptions, Format, Redactor, export};
use pitree_session::{Environment, Session};

struct Counting;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(live, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Ordering::Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const LINES: usize = 40;
const LINE_BYTES: usize = 100 << 10;
/// A line is held as text, as a value and on its way out, and a string grows by doubling; lines are
/// read through a window of 1 MiB. The session is twice as large.
const MOST_BYTES: usize = (1 << 20) + 10 * LINE_BYTES;

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
        let options = ExportOptions { branch: Some(branch), redactor };
        let before = LIVE.load(Ordering::Relaxed);
        PEAK.store(before, Ordering::Relaxed);
        let exported = export(&session, format, &options, &mut std::io::sink()).unwrap();
        assert_eq!(exported.entries, LINES);
        let held = PEAK.load(Ordering::Relaxed) - before;
        assert!(held < MOST_BYTES, "{format:?}, {branch:?}: {held} bytes");
    }
}
