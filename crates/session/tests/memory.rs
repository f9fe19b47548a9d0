//! How much memory a session takes, counted by the allocator, so this test stands alone in its
//! program. What must not grow is compared at two sizes; nothing is timed.
#![allow(clippy::unwrap_used, reason = "a helper that fails is a failed test")]

use std::io::Write;
use std::path::{Path, PathBuf};

use pitree_session::{
    Environment, ForkOptions, OpenOptions, Session, SessionError, UndoOptions, backup_directory,
    undo_last,
};
use pitree_testkit::CountingAllocator;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

const KIB: usize = 1 << 10;
const MIB: usize = 1 << 20;

const HEADER: &str = r#"{"type":"session","version":3,"id":"01a00000-0000-7000-8000-00000000000a","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/tmp"}"#;
const HEADER_1: &str = r#"{"type":"session","id":"01a00000-0000-7000-8000-00000000000a","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/tmp"}"#;

/// What an entry may take while its file is read: the table holds about 72 bytes, and the parts of
/// a large file are put together once.
const ENTRY_BYTES: usize = 150;

/// What a damaged line may take in the same way.
const ODD_LINE_BYTES: usize = 120;

struct TestFolder {
    folder: TempDir,
    environment: Environment,
}

impl TestFolder {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().to_owned();
        let environment = Environment::new(
            &home,
            &home,
            || 0,
            |bytes| {
                getrandom::fill(bytes).unwrap();
            },
        );
        Self { folder, environment }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self, name: &str, header: &str, lines: impl Iterator<Item = String>) -> PathBuf {
        let path = self.path(name);
        let mut file = std::io::BufWriter::new(fs_err::File::create(&path).unwrap());
        writeln!(file, "{header}").unwrap();
        lines.for_each(|line| writeln!(file, "{line}").unwrap());
        file.flush().unwrap();
        path
    }

    fn open(&self, path: &Path) -> Session {
        OpenOptions::new().threads(1).open(path, &self.environment).unwrap()
    }

    /// The most that `work` takes beside an open session.
    fn peak(&self, path: &Path, work: impl FnOnce(&Session)) -> usize {
        let session = self.open(path);
        ALLOCATOR.peak_of(|| work(&session))
    }
}

fn message(at: usize, bytes: usize) -> String {
    let parent = if at == 0 { "null".to_owned() } else { format!("\"{:08x}\"", at - 1) };
    let text = "x".repeat(bytes);
    format!(
        r#"{{"type":"message","id":"{at:08x}","parentId":{parent},"timestamp":"2026-02-03T22:52:07.000Z","message":{{"role":"user","content":"{text}"}}}}"#
    )
}

fn tell_nobody<T>(_: T) -> Result<(), SessionError> {
    Ok(())
}

/// One test, since another one beside it would be counted too.
#[test]
fn memory_is_bounded() {
    many_short_lines();
    large_sessions();
    one_image_many_times();
}

/// Lines of two and three bytes: as many entries and findings as a file can hold.
fn many_short_lines() {
    let place = TestFolder::new();
    let count = 50_000;
    for (name, line, bound) in [("entries", "{}", ENTRY_BYTES), ("damage", "x", ODD_LINE_BYTES)] {
        let path = place.file(name, HEADER, (0..count).map(|_| line.to_owned()));
        let peak = ALLOCATOR.peak_of(|| drop(place.open(&path)));
        assert!(peak < count * bound + MIB, "{name}: {} bytes a line", peak / count);
        let peak = place.peak(&path, |session| {
            session.each_finding(tell_nobody).unwrap();
        });
        assert!(peak < MIB, "{name}: {peak} bytes for the findings");
    }
}

/// A session of twice the size takes no more to be copied, migrated, migrated back or turned into a
/// context.
fn large_sessions() {
    let place = TestFolder::new();
    let sizes = [40, 80].map(|count| (count, count * 100 * KIB));
    let mut peaks: Vec<[usize; 6]> = Vec::new();
    for (count, bytes) in sizes {
        let lines = |count| (0..count).map(|at| message(at, 100 * KIB));
        let path = place.file("large.jsonl", HEADER, lines(count));
        let clone = place.peak(&path, |session| {
            let leaf = session.leaf_id().unwrap().to_owned();
            let clone = session.create_branched_session(&leaf, &ForkOptions::default()).unwrap();
            assert_eq!(clone.len(), count);
        });
        let copy = ALLOCATOR.peak_of(|| {
            let options = ForkOptions::default();
            let folder = place.path("copies");
            let cwd = Path::new("/tmp");
            Session::fork_from(&path, cwd, folder, &options, &place.environment).unwrap();
        });
        let context = place.peak(&path, |session| {
            let leaf = session.leaf().map(|leaf| leaf.index());
            session.each_projected_at(leaf, tell_nobody).unwrap();
        });
        let old = place.file("old.jsonl", HEADER_1, lines(count));
        let migration = ALLOCATOR.peak_of(|| {
            place.open(&old).migrate().unwrap().unwrap();
        });
        assert_eq!(place.open(&old).len(), count);
        assert!(fs_err::read_dir(backup_directory(&place.environment)).unwrap().count() > 0);
        let undo = ALLOCATOR.peak_of(|| {
            undo_last(&old, &UndoOptions::default(), &place.environment).unwrap();
        });
        assert!(fs_err::read(&old).unwrap().starts_with(HEADER_1.as_bytes()));
        place.open(&old).migrate().unwrap().unwrap();
        let mut file = fs_err::OpenOptions::new().append(true).open(&old).unwrap();
        writeln!(file, "{}", message(count, 0)).unwrap();
        let forced = ALLOCATOR.peak_of(|| {
            undo_last(&old, &UndoOptions::default(), &place.environment).unwrap_err();
            let options = UndoOptions { force: true, ..UndoOptions::default() };
            undo_last(&old, &options, &place.environment).unwrap().kept.unwrap();
        });
        let peak = [clone, copy, context, migration, undo, forced];
        assert!(peak.iter().all(|peak| *peak < bytes / 2), "{peak:?} of {bytes}");
        peaks.push(peak);
    }
    for (small, large) in peaks[0].iter().zip(peaks[1]) {
        assert!(large < small + 256 * KIB, "{peaks:?}");
    }
}

/// One image of 1.5 MB that a small file names 150 times.
fn one_image_many_times() {
    let place = TestFolder::new();
    let image = vec![7; 3 * MIB / 2];
    let digest: String = Sha256::digest(&image).iter().map(|byte| format!("{byte:02x}")).collect();
    let folder = place.path("images.jsonl.blobs");
    fs_err::create_dir(&folder).unwrap();
    fs_err::write(folder.join(&digest), &image).unwrap();
    let refer = |digest: &str| {
        format!(
            r#"{{"type":"image","data":{{"$piBlob":"sha256:{digest}","sizeBytes":{}}},"mimeType":"image/png"}}"#,
            image.len()
        )
    };
    let text =
        |at: usize, content: &str| message(at, 0).replace("\"\"}}", &format!("[{content}]}}}}"));
    let path = place.file("images.jsonl", HEADER, (0..150).map(|at| text(at, &refer(&digest))));
    let session = place.open(&path);
    let mut context = None;
    let peak = ALLOCATOR.peak_of(|| context = Some(session.context().unwrap()));
    // The bytes, their text, and nothing for the other 149.
    assert!(peak < 3 * image.len(), "{peak} bytes for one image");
    // 256 MiB hold 128 of them; the others are named.
    let context = context.unwrap();
    let told = context.messages.iter().filter(|message| {
        let content = message.get("content").and_then(|content| content.as_array()).unwrap();
        content[0].get_string("text").is_some_and(|text| text.to_text().contains("exceed 256 MiB"))
    });
    assert_eq!(told.count(), 150 - 128);
    assert!(session.findings().unwrap().iter().all(|finding| finding.code != "lost-image"));

    // A file that is not what its name says is not put into a context.
    fs_err::write(folder.join(&digest), vec![8; image.len()]).unwrap();
    let session = place.open(&path);
    let context = session.context().unwrap();
    let content =
        context.messages[0].get("content").and_then(|content| content.as_array()).unwrap();
    assert!(content[0].get("data").is_some_and(|data| data.get("$piBlob").is_some()));
    assert!(session.findings().unwrap().iter().any(|finding| finding.code == "lost-image"));
}
