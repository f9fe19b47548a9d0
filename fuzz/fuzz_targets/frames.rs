//! What a client of `pitree rpc` says: nothing panics, and each request has exactly one answer,
//! which is JSON and has its id.
#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use pitree_format::js::{parse, stringify};
use pitree_format::Value;
use pitree_host::models::Choices;
use pitree_host::summarizer::SummarizerOptions;
use pitree_rpc::fuzzing::{expected_id, frames, Served};
use pitree_rpc::{Server, ServerOptions};
use pitree_session::location::{Layout, Location, Origin};
use pitree_session::{Environment, NewSession, Session};
use pitree_store::Store;

static SERVED: LazyLock<Served> = LazyLock::new(|| {
    let folder = PathBuf::from(format!("/dev/shm/pitree-fuzz-{}", std::process::id()));
    let sessions = folder.join("sessions");
    fs::create_dir_all(&sessions).expect("a folder in memory");
    let environment = Environment::new(&folder, &folder, || 1_790_000_000_000, |bytes| bytes.fill(7));
    let session = Session::in_memory(&folder, &NewSession::default(), &environment).expect("a session");
    let location = Location { path: sessions, layout: Layout::Flat, origin: Origin::SessionDirFlag };
    let options = ServerOptions {
        choices: Choices::load(&environment, None, None).expect("models"),
        summarizer: SummarizerOptions::default(),
        store: Store::new(vec![location], &environment).with_threads(1),
        trash_command: None,
        allow_bash: false,
        agent: None,
        extensions: false,
        pi_extensions: None,
    };
    Served::start(Server::new(session, options).expect("a server")).expect("a server that runs")
});

/// Lines by the rule alone: they end with a line feed, and the last one with the input.
fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    if lines.last().is_some_and(|last| last.is_empty()) {
        lines.pop();
    }
    lines
}

fn id_text(id: Option<&Value>) -> String {
    id.map_or_else(String::new, stringify)
}

fuzz_target!(|bytes: &[u8]| {
    let limit = bytes.first().map_or(1, |byte| usize::from(*byte) + 1);
    let expected = lines(bytes).into_iter().map(|line| match line.len() <= limit {
        true => Ok(line.strip_suffix(b"\r").unwrap_or(line).to_vec()),
        false => Err(line.len() as u64),
    });
    let expected: Vec<_> = expected.collect();
    for chunk in [1, 7, 4096] {
        assert_eq!(frames(bytes, limit, chunk), expected, "in chunks of {chunk}");
    }

    let (mut input, mut expected) = (Vec::new(), Vec::new());
    for line in lines(bytes) {
        let Some(id) = expected_id(line.strip_suffix(b"\r").unwrap_or(line)) else { continue };
        expected.push(id_text(id.as_ref()));
        input.extend_from_slice(line);
        input.push(b'\n');
    }
    let output = SERVED.answers(&input);
    assert!(output.is_empty() || output.ends_with(b"\n"));
    let mut answered = Vec::new();
    for line in lines(&output) {
        let value = parse(line).expect("an answer is JSON");
        if value.get_string("type").is_some_and(|kind| *kind == *"response") {
            answered.push(id_text(value.get("id")));
        }
    }
    // Lines that are no requests are answered at once, so the order says nothing.
    expected.sort_unstable();
    answered.sort_unstable();
    assert_eq!(answered, expected);
});
