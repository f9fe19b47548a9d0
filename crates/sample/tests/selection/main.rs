//! What always holds for the samples of a session, on random sessions of all versions.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test may fail loudly and say what it saw"
)]

mod given;
mod odd;
mod random;
mod texts;

use std::path::PathBuf;

use pitree_sample::{Sample, Selection, samples};
use pitree_session::{Environment, Session};

/// A session file of its own.
struct TestSession {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl TestSession {
    fn new(bytes: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("session.jsonl");
        fs_err::write(&path, bytes).unwrap();
        Self { _folder: folder, path }
    }

    fn open(&self) -> Session {
        let environment = Environment::new("/home/ana", "/srv/shop", || 0, |_| {});
        Session::open(&self.path, &environment).unwrap()
    }
}

fn all_samples(session: &Session, selection: Selection) -> Vec<Sample> {
    samples(session, &selection.into()).collect::<Result<_, _>>().unwrap()
}
