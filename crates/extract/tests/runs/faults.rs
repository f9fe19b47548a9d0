//! Full disks, kills, growing and damaged sessions: a data set is whole or not there, and the next
//! run makes it right.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use pitree_extract::format::FORMATS;
use pitree_extract::{ExtractError, ExtractOptions, FormatName, LeftOut, run};
use pitree_testkit::{Rng, damaged_files};

use crate::common::{
    Store, entry_text, environment, options, rubbish, session_text, sources, written,
};

const FOLDER: &str = "PITREE_RUN_FOLDER";

fn child_options(root: &Path) -> ExtractOptions {
    ExtractOptions { cache: Some(root.join("cache")), ..options(root) }
}

/// Not a test of its own: the body of the child processes.
#[test]
fn the_run_that_is_ended() {
    let Some(root) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    println!("\nready");
    std::io::stdout().flush().unwrap();
    let options = child_options(&root);
    let form = FormatName::Chat.prepare(&options.form).unwrap();
    match run(&sources(&root), &*form, &options, &root.join("out"), &environment()) {
        Ok(_) => println!("done"),
        Err(error) => println!("failed: {error}"),
    }
}

const BODY: [&str; 4] =
    ["faults::the_run_that_is_ended", "--exact", "--nocapture", "--test-threads=1"];

fn start(root: &Path) -> Child {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(BODY)
        .env(FOLDER, root)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("ready") {
        line.clear();
        assert!(output.read_line(&mut line).unwrap() > 0, "the run ended before it began");
    }
    child
}

fn kills() -> usize {
    if std::env::var("PITREE_FULL").is_ok_and(|value| value == "1") { 200 } else { 20 }
}

#[test]
fn a_run_that_is_killed_leaves_nothing_or_all() {
    let store = Store::random(60);
    let begun = std::time::Instant::now();
    store.run(&options(store.root()));
    let whole = begun.elapsed();
    let golden = store.written();
    fs_err::remove_dir_all(store.out()).unwrap();
    let mut rng = Rng::new(1);
    let mut ended_early = 0;
    for round in 0..kills() {
        if round % 4 == 0 {
            let _ = fs_err::remove_dir_all(store.root().join("cache"));
            let _ = fs_err::remove_dir_all(store.out());
        }
        let was_there = store.out().exists();
        let mut child = start(store.root());
        std::thread::sleep(whole.mul_f64(rng.below(1000) as f64 / 1000.0));
        child.kill().unwrap();
        child.wait().unwrap();
        match store.out().exists() {
            true => assert!(store.written() == golden, "round {round}: half a data set"),
            false => assert!(!was_there, "round {round}: the data set before is gone"),
        }
        ended_early += usize::from(!rubbish(store.root()).is_empty());
    }
    store.run(&child_options(store.root()));
    assert!(store.written() == golden);
    assert_eq!(rubbish(store.root()), [""; 0], "what killed runs have left is still there");
    println!("{} kills, {ended_early} in mid-run", kills());
}

#[test]
fn a_full_disk_leaves_nothing() {
    let store = Store::random(40);
    store.run(&options(store.root()));
    let golden = store.written();
    fs_err::remove_dir_all(store.out()).unwrap();
    let mut failed = 0;
    // In blocks of 512 bytes: from nothing at all to more than the largest file.
    for blocks in [0, 2, 8, 40, 200, 20_000] {
        let _ = fs_err::remove_dir_all(store.root().join("cache"));
        let output = Command::new("sh")
            .args(["-c", "trap '' XFSZ; ulimit -f \"$1\"; shift; exec \"$@\"", "sh"])
            .arg(blocks.to_string())
            .arg(std::env::current_exe().unwrap())
            .args(BODY)
            .env(FOLDER, store.root())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        if said.contains("failed: ") {
            failed += 1;
            assert!(said.contains("cannot ") && said.contains("/"), "{blocks}: {said}");
            assert!(!store.out().exists(), "{blocks} blocks: part of a data set");
        } else {
            assert!(said.contains("done"), "{blocks} blocks: {output:?}");
            assert!(store.written() == golden);
            fs_err::remove_dir_all(store.out()).unwrap();
        }
        assert_eq!(rubbish(store.root()), [""; 0], "{blocks} blocks");
    }
    assert!((1..6).contains(&failed), "{failed} of 6 runs failed");
    store.run(&child_options(store.root()));
    assert!(store.written() == golden);
}

#[test]
fn a_session_that_grows_gives_one_state_of_it() {
    let store = Store::empty();
    let path = store.write("s.jsonl", session_text("s1", &[("e0", "user", "0")]).as_bytes());
    let done = AtomicBool::new(false);
    let states = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut file = fs_err::File::options().append(true).open(&path).unwrap();
            let mut number = 0;
            while !done.load(Ordering::Relaxed) {
                number += 1;
                let role = if number % 2 == 0 { "user" } else { "assistant" };
                let parent = format!("\"e{}\"", number - 1);
                let said = number.to_string();
                let line = entry_text(&format!("e{number}"), &parent, role, &said);
                // Torn in two, as another program may write it.
                let (a, b) = line.as_bytes().split_at(line.len() / 2);
                file.write_all(a).unwrap();
                file.write_all(b).unwrap();
                std::thread::sleep(Duration::from_micros(200));
            }
        });
        let mut states = Vec::new();
        for _ in 0..15 {
            let report = store.run(&child_options(store.root()));
            assert!(report.left_out.is_empty(), "{report:?}");
            states.push(store.lines("data.jsonl"));
        }
        done.store(true, Ordering::Relaxed);
        states
    });
    let mut last = 0;
    for lines in states.iter().filter(|lines| !lines.is_empty()) {
        let messages = lines[0]["messages"].as_array().unwrap();
        for (at, message) in messages.iter().enumerate() {
            assert_eq!(message["content"], at.to_string(), "a message is missing or torn");
        }
        assert!(messages.len() >= last, "a later run saw less");
        last = messages.len();
    }
    assert!(last > 2, "the writer has written nothing");
}

/// The kinds of damage that leave no session: there is no header where Pi looks for it.
const NO_SESSIONS: [&str; 15] = [
    "byte order mark",
    "empty file",
    "event stream of JSON mode",
    "header after an entry",
    "header id missing",
    "header id not a string",
    "lone CR as separator",
    "no header",
    "not JSON at all",
    "number before the header",
    "one JSON array",
    "only NUL bytes",
    "only line feeds",
    "store with kind headers",
    "title slot before the header",
];

#[test]
fn damaged_sessions_hurt_nobody_and_are_named() {
    let store = Store::empty();
    let good = session_text("good", &[("a1", "user", "hello"), ("a2", "assistant", "hi")]);
    store.write("good.jsonl", good.as_bytes());
    let damaged = damaged_files();
    assert!(damaged.len() > 9);
    for (at, file) in damaged.iter().enumerate() {
        store.write(&format!("{at:03}.jsonl"), &file.bytes);
    }
    let report = store.run(&options(store.root()));
    assert_eq!(report.sessions + report.left_out.len(), damaged.len() + 1);
    let name_of = |(path, _): &(PathBuf, LeftOut)| {
        let number: usize = path.file_stem().unwrap().to_str().unwrap().parse().unwrap();
        damaged[number].name
    };
    let mut left_out: Vec<&str> = report.left_out.iter().map(name_of).collect();
    left_out.sort_unstable();
    assert_eq!(left_out, NO_SESSIONS, "all others are sessions with damage");
    for (path, why) in &report.left_out {
        let LeftOut::Unreadable(why) = why else { panic!("{why:?}") };
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert!(why.contains(&name), "{why} does not name {name}");
    }
    for format in FORMATS {
        let options = options(store.root());
        let form = format.prepare(&options.form).unwrap();
        let out = store.root().join(format.name());
        let other = run(&sources(store.root()), &*form, &options, &out, &environment()).unwrap();
        assert_eq!(other.left_out, report.left_out, "{format}");
    }
    let first = store.written();
    let lines = store.lines("data.jsonl");
    assert!(lines.iter().any(|line| line["messages"][0]["content"] == "hello"));
    store.run(&child_options(store.root()));
    assert!(store.written() == first);
}

/// A file that opens and then cannot be read, as one on a broken disk.
const UNREADABLE: &str = "/sys/class/net/lo/speed";

#[test]
fn a_session_that_cannot_be_read_to_its_end_is_left_out_alone() {
    if fs_err::read(UNREADABLE).is_ok() || !Path::new(UNREADABLE).is_file() {
        println!("skipped: no file here fails to be read");
        return;
    }
    let store = Store::random(3);
    store.run(&options(store.root()));
    let golden = fs_err::read(store.out().join("data.jsonl")).unwrap();
    fs_err::os::unix::fs::symlink(UNREADABLE, store.root().join("sessions/broken.jsonl")).unwrap();
    let report = store.run(&options(store.root()));
    let [(path, LeftOut::Unreadable(why))] = &report.left_out[..] else { panic!("{report:?}") };
    assert!(path.ends_with("broken.jsonl"), "{report:?}");
    assert!(why.contains("broken.jsonl") && why.contains("Invalid argument"), "{why}");
    assert!(fs_err::read(store.out().join("data.jsonl")).unwrap() == golden);
}

#[test]
fn a_folder_of_somebody_else_is_not_touched() {
    let store = Store::random(3);
    fs_err::create_dir(store.out()).unwrap();
    fs_err::write(store.out().join("thesis.txt"), "ten years of work").unwrap();
    let options = options(store.root());
    let form = FormatName::Chat.prepare(&options.form).unwrap();
    let error = run(&sources(store.root()), &*form, &options, &store.out(), &environment());
    assert!(matches!(error, Err(ExtractError::OutputTaken { .. })), "{error:?}");
    assert_eq!(written(&store.out()).keys().collect::<Vec<_>>(), ["thesis.txt"]);
    fs_err::remove_file(store.out().join("thesis.txt")).unwrap();
    store.run(&options);
    let first = store.written();
    store.run(&options);
    assert!(store.written() == first, "a data set of ours is replaced");
}
