//! Full disks, kills, growing and damaged sessions: a data set is whole or not there, and the next
//! run makes it right.

use std::collections::HashMap;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use pitree_extract::format::FORMATS;
use pitree_extract::{ExtractError, ExtractOptions, FormatName, Guard, Hit, LeftOut, Seen, run};
use pitree_redact::SessionMemory;
use pitree_session::summary::Cancel;
use pitree_testkit::{Body, Rng, damaged_files, kills};

use crate::runs::common::{
    Store, entry_text, environment, guard, options, rubbish, session_text, sources, written,
};
use crate::runs::private::open_to_others;

const FOLDER: &str = "PITREE_RUN_FOLDER";
const BODY: Body = Body("runs::faults::the_run_that_is_ended");

fn child_options(root: &Path) -> ExtractOptions {
    ExtractOptions { cache: Some(root.join("cache")), ..options(root) }
}

/// Not a test of its own: the body of the child processes.
#[test]
fn the_run_that_is_ended() {
    let Some(root) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    Body::ready().unwrap();
    let options = child_options(&root);
    let form = FormatName::Chat.prepare(&options.form);
    match run(&sources(&root), &*form, &options, &root.join("out"), &environment()) {
        Ok(_) => println!("done"),
        Err(error) => println!("failed: {error}"),
    }
}

/// Up to where a run is let before it is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Stage {
    /// It has its hidden folder.
    Begun,
    /// The first sessions are done.
    Kept,
    /// The data set is being put together.
    Assembling,
}

impl Stage {
    fn is_reached(self, root: &Path) -> bool {
        match self {
            Self::Begun => !rubbish(root).is_empty(),
            Self::Kept => !files_ending(&root.join("cache"), ".spool").is_empty(),
            Self::Assembling => {
                rubbish(root).iter().any(|name| root.join(name).join("out/data.jsonl").exists())
            }
        }
    }

    /// Waits until the run is there; `false` if it has ended before.
    fn wait(self, root: &Path, child: &mut Child) -> bool {
        while !self.is_reached(root) {
            if child.try_wait().unwrap().is_some() {
                return false;
            }
            std::thread::sleep(Duration::from_micros(100));
        }
        true
    }
}

/// All files below a folder whose names end so.
fn files_ending(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs_err::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(files_ending(&path, ending));
        } else if path.to_string_lossy().ends_with(ending) {
            files.push(path);
        }
    }
    files
}

/// A store that takes a while: random sessions, and a long one that is worked on to the end.
fn long_store() -> Store {
    let store = Store::random(40);
    let said = "A long text, which has to be looked at for secrets. ".repeat(40);
    let names: Vec<String> = (0..400).map(|number| format!("e{number}")).collect();
    let role = |at| if at % 2 == 0 { "user" } else { "assistant" };
    let messages: Vec<(&str, &str, &str)> =
        names.iter().enumerate().map(|(at, name)| (name.as_str(), role(at), &*said)).collect();
    store.write("long.jsonl", session_text("long", &messages).as_bytes());
    store
}

#[test]
fn a_run_that_is_killed_leaves_nothing_or_all() {
    let store = long_store();
    store.run(&options(store.root()));
    let golden = store.written();
    let stages = [Stage::Begun, Stage::Kept, Stage::Assembling];
    let mut landed = HashMap::<Stage, usize>::new();
    let mut rng = Rng::new(1);
    for round in 0..kills() {
        let stage = stages[round % stages.len()];
        let _ = fs_err::remove_dir_all(store.root().join("cache"));
        // Each stage is tried without a data set, and with one that is to be replaced.
        if round % 2 == 0 {
            let _ = fs_err::remove_dir_all(store.out());
        } else if !store.out().exists() {
            store.run(&options(store.root()));
        }
        let was_there = store.out().exists();
        let mut child = BODY.start(&[(FOLDER, store.root().as_os_str())]).unwrap();
        let reached = stage.wait(store.root(), &mut child);
        std::thread::sleep(Duration::from_micros(rng.below(500) as u64));
        child.kill().unwrap();
        let was_killed = child.wait().unwrap().signal().is_some();
        let open = open_to_others(store.root());
        assert!(open.is_empty(), "round {round}: others can open {open:?}");
        match store.out().exists() {
            true => assert!(store.written() == golden, "round {round}: half a data set"),
            false => assert!(!was_there, "round {round}: the data set before is gone"),
        }
        // A run that has come to its end removes its hidden folder.
        if reached && was_killed && !rubbish(store.root()).is_empty() {
            *landed.entry(stage).or_default() += 1;
        }
    }
    println!("{} kills, in mid-run: {landed:?}", kills());
    for stage in stages {
        let tried = (kills() / stages.len()).max(1);
        let hit = landed.get(&stage).copied().unwrap_or(0);
        assert!(hit * 2 > tried, "{stage:?}: {hit} of {tried} kills were in mid-run");
    }
    store.run(&child_options(store.root()));
    assert!(store.written() == golden);
    assert_eq!(rubbish(store.root()), [""; 0], "what killed runs have left is still there");
}

#[test]
fn a_full_disk_leaves_what_was_there() {
    let store = Store::random(40);
    let older = Store::random(3);
    older.run(&options(older.root()));
    store.run(&options(store.root()));
    let golden = store.written();
    let mut failed = 0;
    // In blocks of 512 bytes: from nothing at all to more than the largest file.
    for (round, blocks) in [0, 2, 8, 40, 200, 20_000].into_iter().enumerate() {
        let _ = fs_err::remove_dir_all(store.root().join("cache"));
        fs_err::remove_dir_all(store.out()).unwrap_or_default();
        let before = (round % 2 == 1).then(|| {
            fs_err::create_dir(store.out()).unwrap();
            for (name, bytes) in older.written() {
                fs_err::write(store.out().join(name), bytes).unwrap();
            }
            older.written()
        });
        let output = Command::new("sh")
            .args(["-c", "trap '' XFSZ; ulimit -f \"$1\"; shift; exec \"$@\"", "sh"])
            .arg(blocks.to_string())
            .arg(std::env::current_exe().unwrap())
            .args(BODY.args())
            .env(FOLDER, store.root())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        let now = store.out().exists().then(|| store.written());
        if said.contains("failed: ") {
            failed += 1;
            let is_told = said.contains("Cannot ") && said.contains("File too large");
            assert!(is_told, "{blocks} blocks: {said}");
            assert!(now == before, "{blocks} blocks: something else is there");
        } else {
            assert!(said.contains("done"), "{blocks} blocks: {output:?}");
            assert!(now.as_ref() == Some(&golden));
        }
        assert_eq!(rubbish(store.root()), [""; 0], "{blocks} blocks");
    }
    assert!((2..6).contains(&failed), "{failed} of 6 runs failed");
    store.run(&child_options(store.root()));
    assert!(store.written() == golden);
}

#[test]
fn a_run_that_is_stopped_removes_its_folder_at_once() {
    let store = long_store();
    let options = child_options(store.root());
    let form = FormatName::Chat.prepare(&options.form);
    for stage in [Stage::Begun, Stage::Kept, Stage::Assembling] {
        let _ = fs_err::remove_dir_all(store.root().join("cache"));
        let cancel = Cancel::new();
        let options = ExtractOptions { cancel: cancel.clone(), ..options.clone() };
        let (root, out) = (store.root(), store.out());
        let result = std::thread::scope(|scope| {
            let run = scope.spawn(|| run(&sources(root), &*form, &options, &out, &environment()));
            while !stage.is_reached(root) && !run.is_finished() {
                std::thread::sleep(Duration::from_micros(100));
            }
            cancel.cancel();
            run.join().unwrap()
        });
        // At the very end it may have been too late.
        let is_done = stage == Stage::Assembling && result.is_ok();
        let is_stopped = matches!(result, Err(ExtractError::Cancelled));
        assert!(is_stopped || is_done, "{stage:?}: {result:?}");
        assert!(store.out().exists() == is_done && rubbish(store.root()).is_empty(), "{stage:?}");
    }
}

/// Adds a message to a session whenever a line of it is read.
struct Growing {
    inner: Arc<dyn Guard>,
    path: PathBuf,
    added: AtomicUsize,
}

impl Guard for Growing {
    fn redact_line(
        &self,
        line: &[u8],
        memory: &mut SessionMemory,
        seen: &mut dyn FnMut(Hit),
    ) -> Option<Vec<u8>> {
        let number = self.added.fetch_add(1, Ordering::Relaxed);
        let text = entry_text(&format!("new{number}"), "\"e9\"", "assistant", "too late");
        let mut file = fs_err::File::options().append(true).open(&self.path).unwrap();
        // The last one is torn, as another program may leave it.
        let end = if number.is_multiple_of(2) { text.len() } else { text.len() / 2 };
        file.write_all(&text.as_bytes()[..end]).unwrap();
        self.inner.redact_line(line, memory, seen)
    }

    fn redact_text(&self, text: &str) -> Option<String> {
        self.inner.redact_text(text)
    }

    fn leak(&self, finished: &[u8], seen: &mut Seen) -> Option<Hit> {
        self.inner.leak(finished, seen)
    }

    fn shown_hash(&self, content: &blake3::Hash) -> blake3::Hash {
        self.inner.shown_hash(content)
    }

    fn fingerprint(&self) -> Option<[u8; 32]> {
        self.inner.fingerprint()
    }
}

#[test]
fn what_is_added_while_a_session_is_read_is_not_seen() {
    let store = Store::empty();
    let names: Vec<String> = (0..10).map(|number| format!("e{number}")).collect();
    let role = |at| if at % 2 == 0 { "user" } else { "assistant" };
    let messages: Vec<(&str, &str, &str)> =
        names.iter().enumerate().map(|(at, name)| (name.as_str(), role(at), "said")).collect();
    let text = session_text("s1", &messages);
    let path = store.write("s.jsonl", text.as_bytes());
    store.run(&options(store.root()));
    let still = store.written();
    let growing = Arc::new(Growing { inner: guard(), path: path.clone(), added: 0.into() });
    let guard: Arc<dyn Guard> = growing.clone();
    let report = store.run(&ExtractOptions { guard, ..options(store.root()) });
    assert_eq!((report.sessions, report.samples), (1, 1));
    assert_eq!(growing.added.load(Ordering::Relaxed), 11, "once for each line that was read");
    assert!(fs_err::metadata(&path).unwrap().len() > text.len() as u64 + 1000);
    assert!(store.written() == still, "what came later is in it");
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
        let form = format.prepare(&options.form);
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
        pitree_testkit::skip(
            "a_session_that_cannot_be_read_to_its_end_is_left_out_alone",
            "every file here can be read",
        );
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
    let options = options(store.root());
    let form = FormatName::Chat.prepare(&options.form);
    let refused = |why: &str| {
        let before = written(&store.out());
        let error = run(&sources(store.root()), &*form, &options, &store.out(), &environment());
        let Err(error @ ExtractError::OutputTaken { .. }) = error else { panic!("{error:?}") };
        assert!(error.to_string().contains(why), "{error}");
        assert!(written(&store.out()) == before, "{why}");
    };
    let (thesis, card) = (store.out().join("thesis.txt"), store.out().join("card.json"));
    fs_err::create_dir(store.out()).unwrap();
    fs_err::write(&thesis, "ten years of work").unwrap();
    refused("was not written by pitree");
    fs_err::write(&card, "{\"name\":\"Ana\",\"files\":[\"thesis.txt\"]}").unwrap();
    refused("was not written by pitree");
    fs_err::remove_file(&thesis).unwrap();
    fs_err::remove_file(&card).unwrap();
    store.run(&options);
    let first = store.written();
    store.run(&options);
    assert!(store.written() == first, "a data set of ours is replaced");
    fs_err::write(&thesis, "ten years of work").unwrap();
    refused("did not write thesis.txt");
}
