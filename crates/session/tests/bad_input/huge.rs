//! Lines of hundreds of megabytes.

use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pitree_session::{MAX_LINE_BYTES, OpenOptions, Session, read_tail};

use crate::bad_input::child;
use crate::bad_input::common::{TestFolder, codes, environment, header, line_of, lines, user};

const MIB: u64 = 1 << 20;

/// How much a process of this binary needs beside the line.
const ELSE_MIB: u64 = 40;

/// A file with a line of about `len` bytes between two parts. The line is an entry whose text is
/// `len` characters; all of it but its ends is a hole of NUL bytes unless `filled`.
fn with_long_line(
    place: &TestFolder,
    before: &str,
    len: u64,
    filled: bool,
    after: &str,
) -> PathBuf {
    let path = place.file(before);
    let mut file = fs_err::OpenOptions::new().append(true).open(&path).unwrap();
    let [start, end] = {
        let line = user("b1", "a1", "MARK");
        let (start, end) = line.split_once("MARK").unwrap();
        [start.to_owned(), end.to_owned()]
    };
    file.write_all(start.as_bytes()).unwrap();
    drop(file);
    let mut file = fs_err::OpenOptions::new().write(true).open(&path).unwrap();
    let place = file.seek(SeekFrom::End(0)).unwrap();
    if filled {
        let block = vec![b'x'; MIB as usize];
        for _ in 0..len / MIB {
            file.write_all(&block).unwrap();
        }
    } else {
        file.set_len(place + len).unwrap();
        file.seek(SeekFrom::End(0)).unwrap();
    }
    file.write_all(end.as_bytes()).unwrap();
    file.write_all(b"\n").unwrap();
    file.write_all(after.as_bytes()).unwrap();
    path
}

/// The task of the child process: opens a file and prints what that took.
pub(crate) fn open_and_print_cost(path: &Path) {
    let session = Session::open(path, &environment(Path::new("/nonexistent"))).unwrap();
    print_cost(session.len());
    println!("leaf {:?}, found {:?}", session.leaf_id(), codes(&session.findings().unwrap()));
}

/// The same for a file that Pi refuses.
pub(crate) fn open_lenient_and_print_cost(path: &Path) {
    let environment = environment(Path::new("/nonexistent"));
    let session = OpenOptions::new().lenient(true).open(path, &environment).unwrap();
    print_cost(session.len());
}

/// The task of the child process: reads the last entries of a file and prints what that took.
pub(crate) fn read_tail_and_print_cost(path: &Path) {
    let tail = read_tail(path, 3).unwrap();
    print_cost(tail.lines.len());
    println!("skipped {}", tail.skipped);
}

fn print_cost(entries: usize) {
    let number = |file: &str, name: &str| -> u64 {
        let text = fs_err::read_to_string(file).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().trim_end_matches(" kB").parse().unwrap()
    };
    let peak = number("/proc/self/status", "VmHWM:") / 1024;
    let read = number("/proc/self/io", "rchar:") / MIB;
    println!("\npeak {peak} MiB, read {read} MiB, entries {entries} .");
}

/// What a child process took.
struct Cost {
    peak_mib: u64,
    read_mib: u64,
    entries: u64,
    /// All that it printed.
    text: String,
}

impl Cost {
    fn of(task: &str, path: &Path) -> Self {
        let text = child::run(&[], &child::this_binary(), task, path);
        let line = text.lines().find(|line| line.starts_with("peak ")).unwrap();
        println!("{task}: {line}");
        let numbers: Vec<u64> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
        let [peak_mib, read_mib, entries] = numbers[..] else { panic!("{line}") };
        Self { peak_mib, read_mib, entries, text }
    }

    /// The line itself may be held once and looked through for its end before.
    fn assert_fits(&self, line_mib: u64) {
        self.assert_read(3, line_mib);
    }

    /// The first entry is read once more: what it is tells whether the file is a session.
    fn assert_fits_as_first(&self, line_mib: u64) {
        self.assert_read(4, line_mib);
    }

    fn assert_read(&self, times: u64, line_mib: u64) {
        assert!(self.peak_mib < line_mib + ELSE_MIB, "{} MiB of memory", self.peak_mib);
        assert!(self.read_mib < times * line_mib + ELSE_MIB, "{} MiB read", self.read_mib);
    }
}

#[test]
fn opening_a_300_mb_line_takes_its_length_in_memory_and_no_more() {
    let place = TestFolder::new();
    let before = lines(&[header(), user("a1", "", "one")]);
    let after = lines(&[user("b2", "b1", "after")]);
    let path = with_long_line(&place, &before, 300 * MIB, true, &after);
    let cost = Cost::of("open", &path);
    assert_eq!(cost.entries, 3);
    cost.assert_fits(300);
}

#[test]
fn a_long_first_entry_is_not_decoded_when_opening() {
    let place = TestFolder::new();
    let path = with_long_line(&place, &lines(&[header()]), 100 * MIB, true, "");
    let cost = Cost::of("open", &path);
    assert_eq!(cost.entries, 1);
    cost.assert_fits_as_first(100);
}

#[test]
fn a_long_first_entry_without_a_header_is_not_decoded_when_opening() {
    let place = TestFolder::new();
    let path = with_long_line(&place, "", 100 * MIB, true, "");
    let cost = Cost::of("open lenient", &path);
    assert_eq!(cost.entries, 1);
    cost.assert_fits_as_first(100);
}

#[test]
fn the_segments_inside_one_line_are_not_each_read_to_its_end() {
    // 200 MB of NUL bytes without a line feed: 50 segments. A hole costs no disk.
    let place = TestFolder::new();
    let before = lines(&[header(), user("a1", "", "one")]);
    let path = with_long_line(&place, &before, 200 * MIB, false, "");
    let cost = Cost::of("open", &path);
    assert_eq!(cost.entries, 1);
    assert!(cost.text.contains(r#"[("malformed-line", 3)]"#), "{}", cost.text);
    cost.assert_fits(200);
}

#[test]
fn a_line_over_512_mib_is_kept_and_named_and_not_decoded() {
    let place = TestFolder::new();
    let before = lines(&[header(), user("a1", "", "one")]);
    let after = lines(&[user("a2", "a1", "after")]);
    let path = with_long_line(&place, &before, MAX_LINE_BYTES + 1, false, &after);
    let cost = Cost::of("open", &path);
    assert_eq!(cost.entries, 2);
    let found = r#"leaf Some("a2"), found [("too-long", 3)]"#;
    assert!(cost.text.contains(found), "{}", cost.text);
    cost.assert_fits(512);
}

#[test]
fn the_end_of_a_file_is_read_without_the_long_line_before_it() {
    let place = TestFolder::new();
    let before = lines(&[header(), user("a1", "", "one")]);
    let after = lines(&[user("b2", "b1", "after"), user("b3", "b2", "last")]);
    let path = with_long_line(&place, &before, MAX_LINE_BYTES + 1, false, &after);
    let start = Instant::now();
    let tail = read_tail(&path, 2).unwrap();
    assert!(start.elapsed() < Duration::from_secs(1));
    assert_eq!(tail.lines.len(), 2);
    // Further back lies the long line: passed over, with no more memory than it has.
    let cost = Cost::of("read tail", &path);
    assert_eq!(cost.entries, 3);
    assert!(cost.text.contains("skipped 1"), "{}", cost.text);
    cost.assert_fits(512);
}

#[test]
fn a_header_over_1_mib_opens() {
    let place = TestFolder::new();
    let long = header().replace("/srv/project", &format!("/srv/{}", "x".repeat(1 << 20)));
    let session = place.session(lines(&[long, user("a1", "", "one")]));
    assert_eq!(session.id(), crate::bad_input::common::SESSION_ID);
    assert_eq!(session.len(), 1);
    assert_eq!(line_of(&session, "long-header"), Some(1));
}
