//! Any bytes as a session file: nothing panics, every walk ends, a fork can be opened again.
#![no_main]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use libfuzzer_sys::fuzz_target;
use pitree_session::compaction::CompactionSettings;
use pitree_session::{Environment, ForkOptions, OpenOptions, Session, read_tail};

/// Contexts are asked for at so many entries at most; each may cost as much as the whole file.
const MOST_CONTEXTS: usize = 12;

/// A folder in memory, one for each process.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = PathBuf::from(format!("/dev/shm/pitree-fuzz-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder in memory");
    folder
});

static ENVIRONMENT: LazyLock<Environment> = LazyLock::new(|| {
    // Ids need only differ.
    let counter = AtomicU64::new(1);
    let fill = move |bytes: &mut [u8]| {
        for chunk in bytes.chunks_mut(4) {
            let next = counter.fetch_add(0x9E37_79B9, Ordering::Relaxed).to_le_bytes();
            chunk.copy_from_slice(&next[..chunk.len()]);
        }
    };
    Environment::new(FOLDER.as_path(), FOLDER.as_path(), || 1_790_000_000_000, fill)
});

fuzz_target!(|bytes: &[u8]| {
    let path = FOLDER.join("session.jsonl");
    fs::write(&path, bytes).expect("a file in memory");
    let is_session = OpenOptions::new().threads(1).open(&path, &ENVIRONMENT).is_ok();
    let Ok(session) = OpenOptions::new().threads(1).lenient(true).open(&path, &ENVIRONMENT) else {
        return;
    };
    read(&session);
    ends_agree(&session, &path);
    fork(&session, is_session);
    assert_eq!(fs::read(&path).expect("the file is still there"), bytes, "reading wrote");
});

fn read(session: &Session) {
    let tree = session.tree();
    assert_eq!(tree.walk().count(), session.len(), "the tree shows every entry once");
    let _ = session.findings();
    let _ = session.labels();
    let _ = session.name();
    let _ = session.restored();
    let step = session.len().div_ceil(MOST_CONTEXTS).max(1);
    for at in (0..session.len()).step_by(step) {
        let _ = session.context_at(Some(at));
        let path = session.path_to(at);
        assert!(path.len() <= session.len(), "a path passes an entry twice");
    }
    for keep_recent_tokens in [0, 50] {
        let settings = CompactionSettings { keep_recent_tokens, ..CompactionSettings::default() };
        if let Ok(preparation) = session.prepare_compaction(&settings) {
            let _ = preparation.history_request(None);
            let _ = preparation.turn_prefix_request(None);
        }
    }
    for entry in session.entries() {
        let _ = entry.outline();
        let _ = entry.body();
        entry.value().expect("an entry that the scan took can be read");
    }
}

/// Reading backwards finds the same entries.
fn ends_agree(session: &Session, path: &Path) {
    let tail = read_tail(path, usize::MAX).expect("the end can be read");
    assert_eq!(tail.lines.len(), session.len());
    for (line, entry) in tail.lines.iter().zip(session.entries()) {
        assert_eq!(line.raw, *entry.raw().expect("an entry can be read"));
    }
}

/// What Pi refuses may give a fork that is refused too, but a session gives a session.
fn fork(session: &Session, is_session: bool) {
    let Some(leaf) = session.leaf_id() else { return };
    let options = ForkOptions::new().directory(FOLDER.join("forks"));
    if let Ok(fork) = session.create_branched_session(leaf, &options) {
        read(&fork);
        if let Some(file) = fork.path().filter(|path| path.exists()) {
            let again = OpenOptions::new().threads(1).open(file, &ENVIRONMENT);
            match again {
                Ok(again) => assert_eq!(again.len(), fork.len(), "a fork has what it says"),
                Err(error) => assert!(!is_session, "the fork of a session is none: {error}"),
            }
            fs::remove_file(file).expect("the fork can be removed");
        }
    }
}
