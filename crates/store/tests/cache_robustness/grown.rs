//! A file that has grown is read from its old end, and the facts are those of the whole file.

use std::io::Write;
use std::time::Duration;

use pitree_store::cache::kept_stamp;
use pitree_store::{FileStamp, GrowthPolicy, read_facts};
use pitree_testkit::{Rng, session, session_v1, session_v2};

use crate::cache_robustness::common::{Pair, now_ms, set_age, set_time, user, with_a_long_entry};

fn full() -> bool {
    pitree_testkit::is_full()
}

/// Sessions of all versions, with branches, names, labels, compactions, odd lines and torn ends,
/// are written bit by bit; after each bit the list is compared.
#[test]
fn incremental_facts_equal_full_ones() {
    let sessions = if full() { 2000 } else { 60 };
    let mut steps = 0;
    for seed in 0..sessions {
        let bytes = match seed % 10 {
            0 => session_v1(seed).bytes,
            1 => session_v2(seed).bytes,
            _ => session(seed).bytes,
        };
        // A small file is read whole each time.
        let bytes = if seed % 4 == 0 { bytes } else { with_a_long_entry(&bytes) };
        let mut pair = Pair::new();
        // Of some, what was added is read again each time, and nothing is kept anew.
        if seed % 2 == 1 {
            pair.growth = GrowthPolicy::new(16 << 10, i64::MAX);
        }
        let path = pair.session("grows");
        let mut file = fs_err::File::create(&path).unwrap();
        let mut rng = Rng::new(seed);
        let mut done = 0;
        let mut age = 100_000;
        while done < bytes.len() {
            let mut end = bytes.len().min(done + 1 + rng.below(bytes.len() / 3 + 2));
            // Most of the time a writer has finished its line.
            if rng.chance(80) {
                let rest = bytes[end..].iter().position(|byte| *byte == b'\n');
                end += rest.map_or(bytes.len() - end, |at| at + 1);
            }
            file.write_all(&bytes[done..end]).unwrap();
            done = end;
            age -= 10;
            set_age(&path, Duration::from_secs(age));
            pair.same(&format!("seed {seed}, {done} bytes"));
            steps += 1;
        }
    }
    println!("{sessions} sessions in {steps} steps: facts read on equal those of the whole file");
    assert!(steps > sessions);
}

/// Other programs go on elsewhere in the tree, write ids twice, name parents that come later, cut
/// the file, rewrite it, or leave a line unfinished. After each change, what is told by the entries
/// that were added is what a fresh look at the whole file tells.
#[test]
fn what_is_told_by_added_entries_is_what_the_whole_file_tells() {
    let rounds = if full() { 400 } else { 24 };
    let mut read_on = 0;
    for seed in 0..rounds {
        let mut rng = Rng::new(seed);
        let mut pair = Pair::new();
        pair.growth = GrowthPolicy::new(16 << 10, i64::MAX);
        let path = pair.session("moves");
        let mut ids = vec!["a".to_owned()];
        let mut text = [HEADER, &user("a", "null", &"long file ".repeat(3_000))].concat();
        let mut age = 100_000;
        for step in 0..24 {
            let old = text.clone();
            for _ in 0..rng.between(1, 3) {
                add_entry(&mut text, &mut ids, &mut rng);
            }
            match rng.below(24) {
                0 => text.truncate(text.len() - rng.below(400)),
                1 => text = text.replacen("first", "other", 1).replacen("long", "lone", 1),
                2 => text.push_str("{\"type\":\"message\",\"id\":\"half"),
                // A whole entry whose line goes on, so that it is none.
                3 => text.truncate(text.len() - 1),
                _ => {}
            }
            read_on += u64::from(text.starts_with(&old));
            fs_err::write(&path, &text).unwrap();
            age -= 10;
            set_age(&path, Duration::from_secs(age));
            pair.same(&format!("seed {seed}, step {step}"));
        }
    }
    assert!(read_on > rounds * 10, "{read_on}");
}

fn add_entry(text: &mut String, ids: &mut Vec<String>, rng: &mut Rng) {
    let last = ids.last().cloned().unwrap_or_default();
    let some = ids[rng.below(ids.len())].clone();
    let id = match rng.below(30) {
        0 => some.clone(),
        1 => "later".to_owned(),
        _ => rng.hex(8),
    };
    let parent = match rng.below(12) {
        0 => "null".to_owned(),
        1 | 2 => format!("\"{some}\""),
        3 => "\"later\"".to_owned(),
        _ => format!("\"{last}\""),
    };
    match rng.below(6) {
        0 => text.push_str(&format!(
            "{{\"type\":\"session_info\",\"id\":\"{id}\",\"parentId\":{parent},\"timestamp\":\"2026-02-03T22:53:07.000Z\",\"name\":\"name {id} file\"}}\n"
        )),
        1 | 2 => text.push_str(&format!(
            "{{\"type\":\"message\",\"id\":\"{id}\",\"parentId\":{parent},\"timestamp\":\"2026-02-03T22:5{}:07.000Z\",\"message\":{{\"role\":\"assistant\",\"provider\":\"p\",\"model\":\"m{}\",\"content\":[{{\"type\":\"text\",\"text\":\"the file {id}\"}}],\"usage\":{{\"input\":{},\"output\":2,\"cost\":{{\"total\":0.25}}}},\"timestamp\":177015912{}000}}}}\n",
            rng.below(10), rng.below(3), rng.below(90), rng.below(10)
        )),
        3 => text.push_str("not JSON at all\n"),
        _ => text.push_str(&user(&id, &parent, &format!("a file {id}"))),
    }
    ids.push(id);
}

const HEADER: &str = "{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"timestamp\":\"2026-02-03T22:52:06.410Z\",\"cwd\":\"/home/ana/p\"}\n";

/// The old part is not read again: a change in its middle, which no program makes, stays unseen.
/// A change at its beginning or its end is seen.
#[test]
fn only_what_was_added_is_read() {
    let filler = user("b", "\"a\"", &"x".repeat(10_000));
    let marker = user("m", "\"b\"", "mark");
    let old = [HEADER, &user("a", "null", "first"), &filler, &marker, &filler].concat();
    let middle = old.find("\"m\",\"parentId\":\"b\"").unwrap();
    for (at, seen) in [(middle + 17, false), (HEADER.find("\"s\"").unwrap() + 1, true)] {
        let pair = Pair::new();
        let path = pair.session("s");
        fs_err::write(&path, &old).unwrap();
        set_age(&path, Duration::from_secs(1000));
        pair.same("at first");
        let mut bytes = old.clone().into_bytes();
        bytes[at] = b'z';
        bytes.extend_from_slice(user("e", "\"q\"", "end").as_bytes());
        let before = FileStamp::of(&path).unwrap().identity;
        fs_err::write(&path, &bytes).unwrap();
        set_age(&path, Duration::from_secs(900));
        let stamp = FileStamp::of(&path).unwrap();
        assert_eq!(stamp.identity, before);
        let listed = pair.cached().list_all().sessions.remove(0);
        assert_eq!(listed.entries, 5);
        let read = read_facts(&path, stamp).unwrap();
        assert_eq!(format!("{listed:?}") == format!("{read:?}"), seen, "byte {at}");
    }
}

/// A file that is replaced, cut, or rewritten in place is read whole.
#[test]
fn other_changes_are_seen() {
    let pair = Pair::with_sessions(6);
    pair.same("at first");
    let path = pair.session("s002");
    let bytes = session(2).bytes;
    fs_err::write(pair.root().join("new"), [&bytes[..], b"{\"type\":\"label\"}\n"].concat())
        .unwrap();
    fs_err::rename(pair.root().join("new"), &path).unwrap();
    set_age(&path, Duration::from_secs(500));
    pair.same("replaced by a longer one");
    fs_err::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    set_age(&path, Duration::from_secs(400));
    pair.same("cut");
    fs_err::write(&path, [HEADER, &user("a", "null", &"y".repeat(50_000))].concat()).unwrap();
    set_age(&path, Duration::from_secs(300));
    pair.same("another, longer one in the same file");
}

/// A file that changes twice within a tick of the clock keeps its size and its time.
#[test]
fn a_second_change_in_the_same_tick_is_seen() {
    let pair = Pair::new();
    let path = pair.session("s");
    fs_err::write(&path, [HEADER, &user("a", "null", "one")].concat()).unwrap();
    // So near that no look at the file comes late enough.
    let tick = std::time::SystemTime::now() + Duration::from_secs(60);
    set_time(&path, tick);
    pair.same("the first");
    fs_err::write(&path, [HEADER, &user("a", "null", "two")].concat()).unwrap();
    set_time(&path, tick);
    pair.same("the second, of the same size and time");
    let listed = pair.cached().list_all().sessions.remove(0);
    assert_eq!(listed.first_message.unwrap().to_string(), "two");
}

#[test]
fn a_row_counts_only_if_the_change_was_settled() {
    let now = now_ms();
    let stamp = |age_ns: i64| FileStamp {
        size: 1,
        modified_ns: now * 1_000_000 - age_ns,
        identity: (1, 2),
        access: 3,
    };
    let kept = |stamp: FileStamp| kept_stamp(stamp, now) == stamp;
    assert!(kept(stamp(51_000_001)));
    assert!(!kept(stamp(49_000_001)));
    assert!(!kept(stamp(-5_000_000_001)), "from the future");
    let whole_second = |age: i64| FileStamp {
        size: 1,
        modified_ns: (now / 1000 - age) * 1_000_000_000,
        identity: (1, 2),
        access: 3,
    };
    assert!(!kept(whole_second(1)), "times without fractions tick more slowly");
    assert!(kept(whole_second(4)));
}
