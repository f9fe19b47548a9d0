//! The index against the slow reader, and its misfortunes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, UNIX_EPOCH};

use pitree_session::OpenOptions;
use pitree_store::search::{Found, Nearness, Query, SearchOptions, SessionSearch};
use pitree_store::{GrowthPolicy, Progress, Scope, Store};
use pitree_testkit::Rng;

use crate::search::slow::{generated, has_copies, texts};
use crate::search::{NOW, Sessions, environment, fields, search, user};

/// The keys by which a slow reader knows a hit: the file and the line.
fn slow_words(paths: &[PathBuf], words: &[&str]) -> BTreeSet<(PathBuf, u64)> {
    let mut found = BTreeSet::new();
    for path in paths {
        for (line, texts) in texts(path) {
            let said: Vec<String> =
                texts.into_iter().filter(|(said, _)| *said).map(|(_, text)| text).collect();
            let has = |word: &&str| said.iter().any(|text| words_of(text).contains(&**word));
            if words.iter().all(has) {
                found.insert((path.clone(), line));
            }
        }
    }
    found
}

/// Words of plain English letters only, which is enough to compare with.
fn words_of(text: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_alphanumeric() || ('\u{300}'..='\u{36F}').contains(&c);
    let words = text.split(|c| !is_part(c)).filter(|word| !word.is_empty());
    words.filter(|word| word.is_ascii()).map(str::to_ascii_lowercase).collect()
}

fn fast_words(store: &Store, words: &[&str]) -> BTreeSet<(PathBuf, u64)> {
    let found = search(store, &words.join(" "), true);
    let hits = found.hits.iter().filter(|hit| hit.nearness != Nearness::Fuzzy);
    let mut lines = BTreeSet::new();
    for hit in hits {
        for place in &hit.places {
            let opened = OpenOptions::new().open(&place.path, &environment()).unwrap();
            let at = opened.entry(&hit.entry_id).unwrap();
            lines.insert((place.path.clone(), at.line()));
        }
    }
    lines
}

#[test]
fn the_index_equals_a_slow_reader_after_any_change() {
    let sessions = Sessions::new();
    let cache = tempfile::tempdir().unwrap();
    let store = sessions.store().with_cache(cache.path().to_owned());
    let mut rng = Rng::new(5);
    let mut compared = 0;
    for round in 0..8_u64 {
        for _ in 0..3 {
            change(&sessions, &mut rng, round);
        }
        let mut paths: Vec<PathBuf> = fs_err::read_dir(sessions.folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| !has_copies(path))
            .collect();
        paths.sort();
        compared += paths.len();
        let some: Vec<String> = paths
            .iter()
            .flat_map(|path| texts(path))
            .flat_map(|(_, texts)| texts)
            .filter(|(said, _)| *said)
            .flat_map(|(_, text)| words_of(&text))
            .collect();
        for _ in 0..6 {
            let words: Vec<&str> =
                (0..rng.between(1, 2)).map(|_| &*some[rng.below(some.len())]).collect();
            let mut found = fast_words(&store, &words);
            found.retain(|(path, _)| paths.contains(path));
            assert_eq!(found, slow_words(&paths, &words), "round {round}, {words:?}");
        }
    }
    assert!(compared > 20, "only {compared} files were compared");
    assert!(cache.path().join("text-4.sqlite").exists());
}

/// Appends to a file, cuts it short, writes it anew, removes it or makes a new one.
fn change(sessions: &Sessions, rng: &mut Rng, round: u64) {
    let path = sessions.path(&format!("s{}", rng.below(8)));
    let old = fs_err::read(&path).unwrap_or_default();
    let whole = generated(2 + 6 * (round + rng.below(50) as u64));
    let new = match rng.below(6) {
        0 if !old.is_empty() => return fs_err::remove_file(&path).unwrap(),
        1 | 2 if !old.is_empty() => {
            let id = rng.hex(8);
            let line =
                user("appended mango words").replacen('{', &format!("{{\"id\":\"{id}\","), 1);
            // Sometimes without an end, to be finished by the next change.
            let cut = if rng.chance(30) { rng.below(line.len()) } else { line.len() };
            let end = if cut == line.len() { "\n" } else { "" };
            [&*old, &line.as_bytes()[..cut], end.as_bytes()].concat()
        }
        3 if !old.is_empty() => old[..rng.below(old.len())].to_vec(),
        _ => whole,
    };
    fs_err::write(&path, new).unwrap();
}

#[test]
fn an_index_answers_words_phrases_beginnings_and_other_scripts() {
    let sessions = fields();
    sessions.write("b", "/p", &[&user("我们先写解析器的测试"), &user("Plums are plum-coloured")]);
    let cache = tempfile::tempdir().unwrap();
    let store = sessions.store().with_cache(cache.path().to_owned());
    let ids = |query: &str| {
        let with = search(&store, query, true);
        let without = search(&sessions.store(), query, true);
        let ids = |found: Found| -> Vec<String> {
            let near = found.hits.into_iter().filter(|hit| hit.nearness != Nearness::Fuzzy);
            near.map(|hit| hit.entry_id).collect()
        };
        let with = ids(with);
        assert_eq!(with, ids(without), "{query}");
        with
    };
    assert_eq!(ids("plum").len(), 7);
    assert_eq!(ids("\"plum user\""), ["a-0"]);
    assert_eq!(ids("plum*").len(), 7);
    assert_eq!(ids("plums"), ["b-1"]);
    assert_eq!(ids("解析器"), ["b-0"]);
    assert_eq!(ids("析解"), Vec::<String>::new());
    assert_eq!(ids("plum role:user cwd:home"), ["a-0"]);
    assert_eq!(ids("plum model:big"), ["a-1"]);
    assert_eq!(ids("cherry"), Vec::<String>::new());
    assert_eq!(ids("plum-col"), ["b-1"]);
    assert_eq!(ids("plum on:abandoned"), Vec::<String>::new());
}

#[test]
fn a_damaged_index_is_made_anew() {
    let sessions = fields();
    let cache = tempfile::tempdir().unwrap();
    let store = sessions.store().with_cache(cache.path().to_owned());
    let path = cache.path().join("text-4.sqlite");
    for seed in 0..20 {
        assert_eq!(search(&store, "plum", true).total, 6, "{seed}");
        let mut rng = Rng::new(seed);
        // Damage that is seen late makes the index go at once.
        let Ok(mut bytes) = fs_err::read(&path) else { continue };
        match seed % 4 {
            0 => bytes.iter_mut().for_each(|byte| *byte = b'x'),
            1 => bytes.truncate(rng.below(bytes.len())),
            2 => bytes.clear(),
            _ => {
                let from = rng.below(bytes.len() - 4096);
                bytes[from..from + 4096].fill(0xA5);
            }
        }
        fs_err::write(&path, bytes).unwrap();
    }
    let nowhere = sessions.store().with_cache("/proc/nowhere".into());
    assert_eq!(search(&nowhere, "plum", true).total, 6);
}

/// Notes what is told while a store is read.
#[derive(Default)]
pub(crate) struct Told {
    reads: AtomicUsize,
    damaged: Mutex<Vec<PathBuf>>,
}

impl Progress for Told {
    fn step(&self, _: usize, _: usize) {
        self.reads.fetch_add(1, Ordering::Relaxed);
    }

    fn damaged_cache(&self, path: &Path) {
        self.damaged.lock().unwrap().push(path.to_owned());
    }
}

/// Sessions whose words fill many pages of an index.
fn wordy(sessions: &Sessions) {
    let mut rng = Rng::new(11);
    for number in 0..24 {
        let said: Vec<String> = (0..60)
            .map(|_| {
                let words: Vec<String> =
                    (0..30).map(|_| format!("w{:04}", rng.below(4000))).collect();
                user(&words.join(" "))
            })
            .collect();
        let said: Vec<&str> = said.iter().map(String::as_str).collect();
        sessions.write(&format!("s{number:02}"), "/p", &said);
        let file =
            fs_err::OpenOptions::new().write(true).open(sessions.path(&format!("s{number:02}")));
        file.unwrap().file().set_modified(UNIX_EPOCH).unwrap();
    }
}

/// SQLite does not notice damage inside a value, and the words are nothing but values.
#[test]
fn a_damaged_index_loses_no_hit_is_reported_and_heals() {
    let sessions = Sessions::new();
    wordy(&sessions);
    let words: Vec<String> = (0..4000).step_by(160).map(|word| format!("w{word:04}")).collect();
    let totals = |store: &Store| words.iter().map(|word| count(store, word)).collect::<Vec<_>>();
    let expected = totals(&sessions.store());
    let cache = tempfile::tempdir().unwrap();
    let path = cache.path().join("text-4.sqlite");
    let mut rng = Rng::new(3);
    for round in 0..24 {
        let store = sessions.store().with_cache(cache.path().to_owned());
        assert_eq!(totals(&store), expected, "round {round}");
        // The clock of the file system ticks more slowly than this test runs.
        std::thread::sleep(Duration::from_millis(20));
        let mut bytes = fs_err::read(&path).unwrap();
        let pages = bytes.len() / 16_384;
        assert!(pages > 8, "{pages} pages");
        let what = match round % 6 {
            0 => {
                let at = rng.below(bytes.len());
                bytes[at] ^= 1 << rng.below(8);
                format!("a bit of byte {at}")
            }
            1 => {
                let page = rng.below(pages);
                bytes[page * 16_384..][..16_384].fill(0);
                format!("page {page} zeroed")
            }
            2 => {
                let at = rng.below(bytes.len() - 4_096);
                bytes[at..at + 4_096].fill_with(|| rng.below(256) as u8);
                format!("noise at {at}")
            }
            3 => {
                bytes.truncate(rng.below(pages) * 16_384);
                format!("cut to {}", bytes.len())
            }
            4 => {
                let (from, to) = (rng.below(pages) * 16_384, rng.below(pages) * 16_384);
                bytes.copy_within(from..from + 16_384, to);
                format!("a page copied from {from} to {to}")
            }
            _ => {
                bytes = b"a letter to somebody".repeat(5_000);
                "another file".to_owned()
            }
        };
        fs_err::write(&path, bytes).unwrap();
        let told = Arc::new(Told::default());
        let store = store.with_progress(told.clone());
        assert_eq!(totals(&store), expected, "round {round}: {what}");
        let damaged = std::mem::take(&mut *told.damaged.lock().unwrap());
        assert_eq!(damaged, [&*path], "round {round}: {what}");
        told.reads.store(0, Ordering::Relaxed);
        assert_eq!(totals(&store), expected, "round {round}: {what}");
        assert_eq!(told.reads.load(Ordering::Relaxed), 0, "round {round}: {what}: it has healed");
    }
}

/// Two changes within one tick of the clock leave a file with the same size and time.
#[test]
fn a_second_change_in_the_same_tick_is_seen() {
    let sessions = Sessions::new();
    let cache = tempfile::tempdir().unwrap();
    let store = sessions.store().with_cache(cache.path().to_owned());
    let changed = UNIX_EPOCH + Duration::from_millis(NOW as u64) - Duration::from_micros(10_500);
    let write = |word: &str| {
        sessions.write("a", "/p", &[&user("first"), &user(word), &user("last")]);
        let file = fs_err::OpenOptions::new().write(true).open(sessions.path("a")).unwrap();
        file.file().set_modified(changed).unwrap();
    };
    for (word, old) in [("grape", "-"), ("mango", "grape"), ("lemon", "mango")] {
        write(word);
        assert_eq!(search(&store, word, true).total, 1, "{word}");
        assert_eq!(search(&store, old, true).total, 0, "{old}");
    }
}

/// Words of entries that are gone lead nowhere, and go when they are too many.
#[test]
fn an_index_of_files_that_are_written_anew_stays_right() {
    let sessions = Sessions::new();
    let cache = tempfile::tempdir().unwrap();
    let told = Arc::new(Told::default());
    let store = sessions.store().with_cache(cache.path().to_owned()).with_progress(told.clone());
    let entries: Vec<String> = (0..4000).map(|number| user(&format!("common n{number}"))).collect();
    let entries: Vec<&str> = entries.iter().map(String::as_str).collect();
    let mut sizes = Vec::new();
    for round in 0..16 {
        let first = user(&format!("round{round}"));
        let all: Vec<&str> = [&*first].into_iter().chain(entries.iter().copied()).collect();
        sessions.write("a", "/p", &all);
        assert_eq!(count(&store, "common"), 4000);
        assert_eq!(count(&store, &format!("round{round}")), 1);
        assert_eq!(count(&store, "round*"), 1);
        sizes.push(fs_err::metadata(cache.path().join("text-4.sqlite")).unwrap().len());
    }
    assert!(sizes[15] < sizes[0] * 14, "{sizes:?}");
    assert!(told.damaged.lock().unwrap().is_empty(), "nobody else has changed it");
}

fn count(store: &Store, query: &str) -> usize {
    let query = Query::parse(query, NOW).unwrap();
    let options = SearchOptions { scope: Scope::All, conversation: true, limit: 1 };
    store.search(&query, &options).total
}

#[test]
fn several_searches_at_once_share_an_index() {
    let sessions = fields();
    let cache = tempfile::tempdir().unwrap();
    let told = Arc::new(Told::default());
    let store = sessions.store().with_cache(cache.path().to_owned()).with_progress(told.clone());
    // So much that the log of the index becomes long, and each of them copies it.
    let filler: Vec<String> = (0..900).map(|at| user(&format!("f{at} g{at} h{at}"))).collect();
    std::thread::scope(|scope| {
        for own in 0..4 {
            let (store, sessions, filler) = (&store, &sessions, &filler);
            scope.spawn(move || {
                for round in 0..5 {
                    let word = format!("own{own}x{round}");
                    let first = user(&word);
                    let lines = [&first].into_iter().chain(filler).map(String::as_str);
                    sessions.write(&format!("t{own}"), "/p", &lines.collect::<Vec<_>>());
                    assert_eq!(search(store, "plum", true).total, 6);
                    assert_eq!(search(store, &word, true).total, 1);
                }
            });
        }
    });
    assert_eq!(search(&store, "own*", true).total, 4);
    assert!(told.damaged.lock().unwrap().is_empty(), "what others of us write is not damage");
}

/// Of very many hits only the most promising are read. Which those are must not depend on whether
/// the last lines of a file are in the index yet.
#[test]
fn added_entries_take_part_as_if_they_were_in_the_index() {
    let sessions = Sessions::new();
    let said = |at: usize, text: &str| {
        let time = format!("2026-02-01T{:02}:{:02}:{:02}.000Z", at / 3600, at / 60 % 60, at % 60);
        let entry =
            user(text).replacen('{', &format!("{{\"id\":\"e{at}\",\"timestamp\":\"{time}\","), 1);
        let parent = at.checked_sub(1).map_or("null".to_owned(), |before| format!("\"e{before}\""));
        entry.replacen('{', &format!("{{\"parentId\":{parent},"), 1) + "\n"
    };
    let pears = |at| if (200..203).contains(&at) { "pear ".repeat(10) } else { "pear".to_owned() };
    let header = "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"cwd\":\"/p\"}\n";
    let mut text: String = std::iter::once(header.to_owned())
        .chain((0..1_200).map(|at| said(at, &pears(at))))
        .collect();
    let best = |cache: &tempfile::TempDir| -> Vec<String> {
        let store = sessions.store().with_cache(cache.path().to_owned());
        let store = store.with_growth(GrowthPolicy::new(1 << 10, i64::MAX));
        let query = Query::parse("pear", NOW).unwrap();
        let options = SearchOptions { scope: Scope::All, conversation: true, limit: 5 };
        store.search(&query, &options).hits.into_iter().map(|hit| hit.entry_id).collect()
    };
    fs_err::write(sessions.path("s"), &text).unwrap();
    let file = fs_err::File::options().write(true).open(sessions.path("s")).unwrap();
    file.file().set_modified(UNIX_EPOCH + Duration::from_secs(1_000)).unwrap();
    let known = tempfile::tempdir().unwrap();
    best(&known);
    text.extend((1_200..1_205).map(|at| said(at, "pear")));
    fs_err::write(sessions.path("s"), &text).unwrap();
    assert_eq!(best(&known), best(&tempfile::tempdir().unwrap()));
}

/// How far a search got.
#[derive(Debug, Default)]
struct Steps(AtomicUsize);

impl Progress for Steps {
    fn step(&self, done: usize, _total: usize) {
        self.0.fetch_max(done, Ordering::Relaxed);
    }
}

/// Nobody waits for the end of a search when a newer one is wanted: not within a large file, nor
/// while the index is brought up to date.
#[test]
fn a_search_that_nobody_wants_any_more_ends() {
    let sessions = Sessions::new();
    let lines: Vec<String> = (0..5_000).map(|_| user("plum")).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    sessions.write("large", "/p", &lines);
    for at in 0..40 {
        sessions.write(&format!("s{at}"), "/p", &[&user("plum")]);
    }
    let query = Query::parse("pear", NOW).unwrap();
    let cache = tempfile::tempdir().unwrap();
    let steps = Arc::new(Steps::default());
    let progress = Arc::clone(&steps);
    let store = sessions
        .store()
        .with_cache(cache.path().to_owned())
        .with_progress(progress)
        .with_threads(1);
    for by_index in [false, true] {
        let asked = AtomicUsize::new(0);
        let is_wanted = || asked.fetch_add(1, Ordering::Relaxed) < 5;
        let search = SessionSearch { scope: Scope::All, is_wanted: &is_wanted };
        let found = match by_index {
            true => store.search_indexed_sessions(&query, &search),
            false => store.search_sessions(&query, &search),
        };
        assert!(found.is_none());
        assert!(asked.into_inner() < 60 && steps.0.load(Ordering::Relaxed) < 20, "{steps:?}");
    }
    // What was indexed by then is no obstacle to the next search.
    let search = SessionSearch { scope: Scope::All, is_wanted: &|| true };
    let query = Query::parse("plum", NOW).unwrap();
    let found = store.search_indexed_sessions(&query, &search).unwrap();
    assert_eq!(found.len(), 41);
}
