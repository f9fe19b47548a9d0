//! The writer is killed at random moments, again and again. What it acknowledged is there,
//! whole and once; a rewritten or forked file is the old one or the new one, never half.
//!
//! `PITREE_FULL=1` kills 200 times instead of 20. The writers run in this same program: the test
//! starts itself with `PITREE_KILL_ROLE` set.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test may fail loudly and say what it saw"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use pitree_format::{Object, Value};
use pitree_session::{Environment, ForkOptions, NewSession, Session};
use pitree_testkit::{Rng, session_v1};

const ROLE: &str = "PITREE_KILL_ROLE";

fn environment(home: &Path) -> Environment {
    Environment::new(home, home, now_ms, |bytes| getrandom::fill(bytes).unwrap())
}

fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

fn message(text: &str) -> Value {
    let block: Value = Object::new().with("type", "text").with("text", text).into();
    Object::new().with("role", "user").with("content", vec![block]).with("timestamp", 1.0).into()
}

/// How many kills for each kind of work.
fn kills() -> usize {
    if pitree_testkit::is_full() { 200 } else { 20 }
}

/// Whether this test shall not run now. It is slow, so it has its own step in the test command.
fn skipped() -> bool {
    std::env::var_os("PITREE_SKIP_KILLS").is_some()
}

/// Starts this program as a writer.
fn start(role: &str, folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["the_writer_that_is_killed", "--exact", "--nocapture", "--test-threads=1"])
        .env(ROLE, role)
        .env("PITREE_KILL_FOLDER", folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Lets it run for a while and kills it; gives what it said until then.
fn kill_after(mut child: Child, pause: Duration) -> Vec<String> {
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    // The clock starts when the writer has begun to work.
    while !first.starts_with("ready") {
        first.clear();
        assert!(output.read_line(&mut first).unwrap() > 0, "the writer ended before it began");
    }
    // A full pipe would stop the writer, so what it says is read while it runs.
    let reader = std::thread::spawn(move || {
        let mut rest = String::new();
        output.read_to_string(&mut rest).unwrap();
        rest
    });
    std::thread::sleep(pause);
    child.kill().unwrap();
    child.wait().unwrap();
    let rest = reader.join().unwrap();
    // A line without its end was cut by the kill and acknowledges nothing.
    let whole = rest.rfind('\n').map_or("", |end| &rest[..end]);
    whole.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

fn random_pause(rng: &mut Rng, most_us: usize) -> Duration {
    Duration::from_micros(rng.below(most_us) as u64)
}

/// Not a test of its own: the body of the child processes.
#[test]
fn the_writer_that_is_killed() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let folder = PathBuf::from(std::env::var_os("PITREE_KILL_FOLDER").unwrap());
    let environment = environment(&folder);
    let path = folder.join("session.jsonl");
    let say = |text: &str| {
        let mut out = std::io::stdout().lock();
        writeln!(out, "{text}").unwrap();
        out.flush().unwrap();
    };
    let mut session = Session::open(&path, &environment).unwrap();
    say("\nready");
    match role.as_str() {
        "append" => {
            for number in 0.. {
                let text = format!("{number} {}", "x".repeat(number % 5000));
                say(&session.append_message(message(&text)).unwrap().id);
            }
        }
        "migrate" => {
            session.migrate().unwrap();
            say("done");
        }
        "fork" => loop {
            let leaf = session.leaf_id().unwrap().to_owned();
            let fork = session.create_branched_session(&leaf, &ForkOptions::default()).unwrap();
            say(&fork.path().unwrap().to_string_lossy());
        },
        other => panic!("no role {other}"),
    }
}

fn seeded_session(folder: &Path, entries: usize) -> PathBuf {
    let environment = environment(folder);
    let new = NewSession::default();
    let mut session = Session::create_in(folder, folder.to_owned(), &new, &environment).unwrap();
    for number in 0..entries {
        session.append_message(message(&format!("{number} {}", "y".repeat(2000)))).unwrap();
    }
    let path = folder.join("session.jsonl");
    fs_err::rename(session.path().unwrap(), &path).unwrap();
    path
}

#[test]
fn every_acknowledged_append_survives_a_kill() {
    if skipped() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = seeded_session(folder.path(), 1);
    let mut rng = Rng::new(11);
    let mut acknowledged: Vec<String> = Vec::new();
    for round in 0..kills() {
        let said = kill_after(start("append", folder.path()), random_pause(&mut rng, 20_000));
        acknowledged.extend(said);
        let session = Session::open(&path, &environment(folder.path())).unwrap();
        // A kill in the middle of a write may leave a torn line, which was not acknowledged.
        for finding in session.findings().unwrap() {
            let torn = matches!(finding.code, "no-final-newline" | "malformed-line");
            assert!(torn, "round {round}: {finding:?}");
        }
        let mut counts: std::collections::HashMap<&str, usize> = Default::default();
        for entry in session.entries() {
            *counts.entry(entry.id()).or_default() += 1;
        }
        for id in &acknowledged {
            assert_eq!(counts.get(id.as_str()), Some(&1), "round {round}: entry {id}");
        }
        assert_eq!(session.active_path().len(), session.len(), "one unbroken branch");
    }
    assert!(acknowledged.len() > kills(), "the writer was killed before it wrote anything");
    println!(
        "kills in mid-append: {}; {} acknowledged entries, each there once",
        kills(),
        acknowledged.len()
    );
}

#[test]
fn a_killed_migration_leaves_the_old_file_or_the_new_one() {
    if skipped() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("session.jsonl");
    let mut old = session_v1(3).bytes;
    if old.last() != Some(&b'\n') {
        old.push(b'\n');
    }
    let text = "z".repeat(3000);
    let line = format!(
        "{{\"type\":\"message\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}\n"
    );
    old.extend(line.repeat(3000).into_bytes());
    fs_err::write(&path, &old).unwrap();
    let mut session = Session::open(&path, &environment(folder.path())).unwrap();
    session.migrate().unwrap();
    let new = fs_err::read(&path).unwrap();
    assert_ne!(new, old);
    let mut rng = Rng::new(12);
    let (mut olds, mut news) = (0, 0);
    for round in 0..kills() {
        fs_err::write(&path, &old).unwrap();
        kill_after(start("migrate", folder.path()), random_pause(&mut rng, 120_000));
        let now = fs_err::read(&path).unwrap();
        olds += usize::from(now == old);
        news += usize::from(now == new);
        assert!(now == old || now == new, "round {round}: {} bytes, half a file", now.len());
    }
    println!(
        "kills in mid-migration: {}; the old file {olds} times, the new one {news} times",
        kills()
    );
}

#[test]
fn a_killed_fork_leaves_no_half_session() {
    if skipped() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = seeded_session(folder.path(), 1500);
    let source = fs_err::read(&path).unwrap();
    let lines = source.iter().filter(|byte| **byte == b'\n').count();
    let mut rng = Rng::new(13);
    let mut forks = 0;
    for round in 0..kills() {
        let said = kill_after(start("fork", folder.path()), random_pause(&mut rng, 60_000));
        assert_eq!(fs_err::read(&path).unwrap(), source, "round {round}: the source changed");
        for acknowledged in said {
            assert!(Path::new(&acknowledged).exists(), "round {round}: {acknowledged}");
        }
        for entry in fs_err::read_dir(folder.path()).unwrap() {
            let file = entry.unwrap().path();
            if file == path || file.extension().is_none_or(|extension| extension != "jsonl") {
                continue;
            }
            let bytes = fs_err::read(&file).unwrap();
            let count = bytes.iter().filter(|byte| **byte == b'\n').count();
            assert_eq!(count, lines, "round {round}: half a fork in {}", file.display());
            forks += 1;
            fs_err::remove_file(&file).unwrap();
        }
    }
    println!("kills in mid-fork: {}; {forks} forks found, all whole", kills());
}
