//! Several processes, processes that are killed, and a disk that is full. The children run in
//! this same program, with `PITREE_CACHE_ROLE` set.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use pitree_format::{Object, Value};
use pitree_session::{NewSession, Session};
use pitree_testkit::{Body, Rng, kills};

use crate::cache_robustness::common::{
    Pair, cached_store, environment, plain_store, set_age, sorted,
};

const ROLE: &str = "PITREE_CACHE_ROLE";
const FOLDER: &str = "PITREE_CACHE_FOLDER";
const BODY: Body = Body("cache_robustness::processes::the_body_of_the_children");

fn start(role: &str, folder: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(BODY.args())
        .env(ROLE, role)
        .env(FOLDER, folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Waits until a child has begun.
fn wait_for(child: &mut Child) {
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("ready") {
        line.clear();
        assert!(output.read_line(&mut line).unwrap() > 0, "the child ended before it began");
    }
    // What it says later goes nowhere, and must not stop it.
    std::thread::spawn(move || std::io::copy(&mut output, &mut std::io::sink()));
}

/// Not a test of its own.
#[test]
fn the_body_of_the_children() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let folder = PathBuf::from(std::env::var_os(FOLDER).unwrap());
    Body::ready().unwrap();
    match role.as_str() {
        "list" => loop {
            cached_store(&folder).list_all();
        },
        "change" => {
            for number in 0_u64.. {
                let path = folder.join(format!("sessions/s{:03}.jsonl", number % 40));
                let mut file = fs_err::OpenOptions::new().append(true).open(&path).unwrap();
                writeln!(file, "\n{{\"type\":\"session_info\",\"name\":\"{number}\"}}").unwrap();
                set_age(&path, Duration::from_secs(90_000 - number % 90_000));
                cached_store(&folder).list_all();
            }
        }
        "once" => {
            let (cached, plain) = (sorted(&cached_store(&folder)), sorted(&plain_store(&folder)));
            assert_eq!(format!("{cached:?}"), format!("{plain:?}"));
            println!("the list is right");
        }
        other => panic!("no role {other}"),
    }
}

#[test]
fn killed_at_random_moments() {
    let pair = Pair::with_sessions(40);
    let mut rng = Rng::new(21);
    for round in 0..kills() {
        let mut child = start("change", pair.root());
        wait_for(&mut child);
        std::thread::sleep(Duration::from_micros(rng.below(60_000) as u64));
        child.kill().unwrap();
        child.wait().unwrap();
        pair.same(&format!("round {round}"));
        let verified = pair.cached().verify_cache();
        assert!(verified.differences.is_empty(), "round {round}: {verified:?}");
    }
    println!("kills in mid-list with a cache: {}; each next list was right", kills());
}

#[test]
fn a_full_disk() {
    let pair = Pair::with_sessions(40);
    for blocks in [0, 1, 8, 30, 60] {
        for entry in fs_err::read_dir(pair.cache()).unwrap() {
            fs_err::remove_file(entry.unwrap().path()).unwrap();
        }
        // No file may grow beyond this; the signal that says so is ignored, the error stays.
        let output = Command::new("sh")
            .args(["-c", "trap '' XFSZ; ulimit -f \"$1\"; shift; exec \"$@\"", "sh"])
            .arg(blocks.to_string())
            .arg(std::env::current_exe().unwrap())
            .args(BODY.args())
            .env(ROLE, "once")
            .env(FOLDER, pair.root())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.contains("the list is right"), "{blocks} blocks: {output:?}");
        pair.same("when there is room again");
    }
}

fn message(text: &str) -> Value {
    Object::new().with("role", "user").with("content", text).with("timestamp", 1.0).into()
}

/// Appended to by the engine while several processes list: each list is a state that was there.
#[test]
fn a_writer_and_several_lists_at_once() {
    let pair = Pair::with_sessions(20);
    let folder = pair.root().join("sessions");
    let new = NewSession::default();
    let env = environment();
    let mut session = Session::create_in(Path::new("/home/ana/p"), folder, &new, &env).unwrap();
    session.append_message(message("first")).unwrap();
    let path = session.path().unwrap().to_owned();
    let mut children: Vec<Child> = (0..2).map(|_| start("list", pair.root())).collect();
    children.iter_mut().for_each(wait_for);
    let written = AtomicUsize::new(1);
    let done = AtomicBool::new(false);
    let mut lists = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..300 {
                session.append_message(message(&format!("{number}"))).unwrap();
                written.fetch_add(1, Ordering::SeqCst);
                std::thread::sleep(Duration::from_millis(number % 7));
            }
            done.store(true, Ordering::SeqCst);
        });
        while !done.load(Ordering::SeqCst) {
            let before = written.load(Ordering::SeqCst);
            let found = pair.cached().list_all().sessions;
            let after = written.load(Ordering::SeqCst) + 1;
            assert_eq!(found.len(), 21);
            let own = found.iter().find(|facts| facts.path == path).unwrap();
            assert!((before..=after).contains(&own.message_count), "{own:?}");
            assert_eq!((own.entries, own.branches), (own.message_count, 1));
            // A line that is being written may be seen in part.
            assert!(own.damaged_lines <= 1, "{own:?}");
            lists += 1;
        }
    });
    for mut child in children {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    pair.same("at the end");
    println!("{lists} lists while 300 messages were appended, two more processes listing");
    assert!(lists > 5);
}
