//! Processes that are killed while they bring the index up to date, and several at once. The
//! children run in this same program, with `PITREE_SEARCH_ROLE` set.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use pitree_session::Environment;
use pitree_session::location::{Layout, Location, Origin};
use pitree_store::Store;
use pitree_testkit::{Body, Rng, kills};

use crate::search::slow::generated;
use crate::search::{Sessions, search, user};

const ROLE: &str = "PITREE_SEARCH_ROLE";
const FOLDER: &str = "PITREE_SEARCH_FOLDER";
const CACHE: &str = "PITREE_SEARCH_CACHE";
const BODY: Body = Body("search::processes::the_body_of_the_children");
const WORDS: [&str; 6] = ["mango", "the", "a*", "\"mango words\"", "test", "file"];

/// With the real clock, so that files settle and the index is relied on.
fn store(folder: &Path, cache: Option<&Path>) -> Store {
    let now = || {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        since.as_millis() as i64
    };
    let environment = Environment::new("/home/u", "/home/u/p", now, |bytes| bytes.fill(7));
    let path = folder.to_owned();
    let location = Location { path, layout: Layout::Flat, origin: Origin::SessionDirFlag };
    let store = Store::new(vec![location], &environment);
    match cache {
        Some(cache) => store.with_cache(cache.to_owned()),
        None => store,
    }
}

fn start(role: &str, folder: &Path, cache: &Path) -> Child {
    let variables =
        [(ROLE, role.as_ref()), (FOLDER, folder.as_os_str()), (CACHE, cache.as_os_str())];
    BODY.start(&variables).unwrap()
}

/// Not a test of its own.
#[test]
fn the_body_of_the_children() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let folder = PathBuf::from(std::env::var_os(FOLDER).unwrap());
    let cache = PathBuf::from(std::env::var_os(CACHE).unwrap());
    Body::ready().unwrap();
    let mut rng = Rng::new(u64::from(std::process::id()));
    for number in 0_u64.. {
        let path = folder.join(format!("s{}.jsonl", rng.below(30)));
        if rng.chance(20) {
            // Something else under the same name.
            fs_err::write(&path, generated(rng.below(90) as u64)).unwrap();
        } else {
            let mut file = fs_err::OpenOptions::new().append(true).open(&path).unwrap();
            let id = format!("{:x}-{number}", std::process::id());
            let line =
                user("appended mango words").replacen('{', &format!("{{\"id\":\"{id}\","), 1);
            file.write_all(format!("{line}\n").as_bytes()).unwrap();
        }
        search(&store(&folder, Some(&cache)), WORDS[rng.below(WORDS.len())], true);
        if role == "some" && number == 25 {
            return;
        }
    }
}

/// What a search in an index finds, in order.
fn answers(folder: &Path, cache: &Path) -> Vec<String> {
    let store = store(folder, Some(cache));
    let answer = |word: &&str| {
        let found = search(&store, word, true);
        let hit = |hit: &pitree_store::search::Hit| {
            format!("{} {} {:?}", hit.session.path.display(), hit.entry_id, hit.places)
        };
        let hits: Vec<String> = found.hits.iter().map(hit).collect();
        format!("{word} {} {hits:?}", found.total)
    };
    WORDS.iter().map(answer).collect()
}

fn sessions() -> Sessions {
    let sessions = Sessions::new();
    for number in 0..30 {
        fs_err::write(sessions.path(&format!("s{number}")), generated(number + 2)).unwrap();
    }
    sessions
}

/// The index must give what one that is made now gives.
fn same_as_a_new_one(folder: &Path, cache: &Path, when: &str) {
    let new = tempfile::tempdir().unwrap();
    assert_eq!(answers(folder, cache), answers(folder, new.path()), "{when}");
}

#[test]
fn killed_at_random_moments() {
    let (sessions, cache) = (sessions(), tempfile::tempdir().unwrap());
    let folder = sessions.folder.path();
    let mut rng = Rng::new(23);
    for round in 0..kills() {
        let cache = cache.path().join("index");
        if rng.chance(50) {
            // The child begins with making the index.
            let _ = fs_err::remove_dir_all(&cache);
        }
        let mut child = start("ever", folder, &cache);
        std::thread::sleep(Duration::from_micros(rng.below(120_000) as u64));
        child.kill().unwrap();
        child.wait().unwrap();
        same_as_a_new_one(folder, &cache, &format!("round {round}"));
    }
    println!("kills while indexing: {}; each next search was right", kills());
}

#[test]
fn two_processes_at_once() {
    let (sessions, cache) = (sessions(), tempfile::tempdir().unwrap());
    let folder = sessions.folder.path();
    for round in 0..3 {
        let mut children = [0, 1].map(|_| start("some", folder, cache.path()));
        for child in &mut children {
            assert!(child.wait().unwrap().success(), "round {round}");
        }
        same_as_a_new_one(folder, cache.path(), &format!("round {round}"));
        assert!(cache.path().join("text-4.sqlite").exists());
    }
}
