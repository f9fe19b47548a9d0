//! The list equals Pi's, in both layouts.

mod given_files;

use std::path::{Path, PathBuf};

use pitree_format::js::date::format_iso;
use pitree_format::js::{parse, stringify};
use pitree_format::{Object, Role, Value};
use pitree_session::location::{Layout, Location, Origin};
use pitree_session::{Environment, Session};
use pitree_store::{FileStamp, Listing, Store, read_facts};
use pitree_testkit::{Oracle, PiVersion, Rng, has_pi, session, session_v1, session_v2};

fn environment(cwd: &str) -> Environment {
    Environment::new("/home/u", cwd, || 1_770_000_000_000, |bytes| bytes.fill(7))
}

fn location(path: &Path, layout: Layout) -> Location {
    Location { path: path.to_owned(), layout, origin: Origin::SessionDirFlag }
}

/// Node's line reader, which Pi's list uses, also ends a line at a lone CR, so that Pi loses the
/// messages that hold one. It is left out here; a test of its own shows that such messages are
/// counted.
fn with_plain_line_ends(bytes: &[u8]) -> Vec<u8> {
    let is_alone = |at: usize| bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    (0..bytes.len()).filter(|at| !is_alone(*at)).map(|at| bytes[at]).collect()
}

/// Writes generated sessions of all versions, each with its own id and one of a few directories.
fn write_sessions(folder: &dyn Fn(&str) -> PathBuf, count: u64) {
    let cwds = ["/home/u/p", "/home/u/p-q", "/home/u/p/q"];
    for seed in 0..count {
        let bytes = match seed % 10 {
            0 => session_v1(seed).bytes,
            1 => session_v2(seed).bytes,
            _ => session(seed).bytes,
        };
        let cwd = Rng::new(seed).pick(&cwds);
        let bytes = with_plain_line_ends(&with_header(&bytes, &format!("s{seed:04}"), cwd));
        let folder = folder(cwd);
        fs_err::create_dir_all(&folder).unwrap();
        fs_err::write(
            folder.join(format!("2026-01-01T00-00-00-{seed:03}Z_s{seed:04}.jsonl")),
            bytes,
        )
        .unwrap();
    }
}

/// The file with another id and directory in its header.
fn with_header(bytes: &[u8], id: &str, cwd: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut done = false;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        match parse(line) {
            Ok(mut value) if !done && value.get_string("type").is_some_and(|t| *t == "session") => {
                done = true;
                let header = value.as_object_mut().unwrap();
                header.set("id", id.into());
                header.set("cwd", cwd.into());
                out.extend_from_slice(stringify(&value).as_bytes());
                out.push(b'\n');
            }
            _ => out.extend_from_slice(line),
        }
    }
    out
}

/// Our list in the shape of Pi's `SessionInfo`.
fn ours(listing: &Listing) -> Vec<Value> {
    let row = |facts: &pitree_store::SessionFacts| -> Value {
        let first = facts.first_message.clone().unwrap_or_else(|| "(no messages)".into());
        Object::new()
            .with("path", facts.path.to_string_lossy().into_owned())
            .with("id", facts.id.as_str())
            .with("cwd", &*facts.cwd)
            .with_some("name", facts.name.clone())
            .with_some("parentSessionPath", facts.parent_session.clone())
            .with("created", facts.created_ms.map(format_iso))
            .with("modified", format_iso(facts.modified_ms))
            .with("messageCount", facts.message_count)
            .with("firstMessage", first)
            .into()
    };
    listing.sessions.iter().map(row).collect()
}

fn theirs(oracle: &mut Oracle, dir: Option<&Path>, cwd: Option<&str>) -> Vec<Value> {
    let request = Object::new()
        .with("op", "list")
        .with_some("dir", dir.map(|dir| dir.to_string_lossy().into_owned()))
        .with_some("cwd", cwd);
    let answer = oracle.ask(&stringify(&request.into())).unwrap();
    let answer = parse(answer.as_bytes()).unwrap();
    let sessions = answer.get("sessions").and_then(Value::as_array).expect("Pi lists").to_vec();
    let without_text = |mut info: Value| {
        info.as_object_mut().unwrap().remove("textLength");
        info
    };
    sessions.into_iter().map(without_text).collect()
}

/// Pi leaves out a session with a message whose content is neither text nor a list; the version 1
/// header's `branchedFrom` is a parent for us only.
fn compare(ours: Vec<Value>, theirs: &[Value]) -> (usize, usize) {
    let path = |row: &Value| row.get_string("path").unwrap().to_string();
    let mut kept = Vec::new();
    let mut dropped = 0;
    for row in ours {
        if theirs.iter().any(|other| path(other) == path(&row)) {
            kept.push(row);
        } else {
            assert!(has_odd_content(Path::new(&path(&row))), "Pi has no {}", path(&row));
            dropped += 1;
        }
    }
    assert_eq!(kept.len(), theirs.len());
    for row in &mut kept {
        let other = theirs.iter().find(|other| path(other) == path(row)).unwrap();
        let object = row.as_object_mut().unwrap();
        if other.get("parentSessionPath").is_none() {
            object.remove("parentSessionPath");
        }
        if other.get("modified") == Some(&Value::Null) {
            // A message from the time 1e400 is no time for Pi, and no message's time here.
            object.set("modified", Value::Null);
        }
        assert_eq!(stringify(row), stringify(other));
    }
    // Without a time there is no order.
    if !theirs.iter().any(|row| row.get("modified") == Some(&Value::Null)) {
        let order = |rows: &[Value]| rows.iter().map(path).collect::<Vec<_>>();
        assert_eq!(order(&kept), order(theirs));
    }
    (kept.len(), dropped)
}

fn has_odd_content(path: &Path) -> bool {
    let session = Session::open(path, &environment("/")).unwrap();
    session.entries().any(|entry| {
        let spoken = entry.is_message(Role::User) || entry.is_message(Role::Assistant);
        let content = entry.message().unwrap().and_then(|message| message.get("content").cloned());
        spoken && !matches!(content, None | Some(Value::String(_) | Value::Array(_)))
    })
}

#[test]
fn a_line_separator_inside_a_text_ends_no_line() {
    let folder = tempfile::tempdir().unwrap();
    for (said, between) in [("a\u{2028}b", ""), ("a\u{2029}b", ""), ("ab", "\r")] {
        let header = r#"{"type":"session","version":3,"id":"s","cwd":"/x"}"#;
        let message = format!(
            r#"{{"type":"message","id":"a","parentId":null,{between}"message":{{"role":"user","content":"{said}","timestamp":5}}}}"#
        );
        fs_err::write(folder.path().join("s.jsonl"), format!("{header}\n{message}\n")).unwrap();
        let store = Store::new(vec![location(folder.path(), Layout::Flat)], &environment("/x"));
        let listing = store.list_all();
        assert_eq!(listing.sessions[0].message_count, 1);
        assert_eq!(listing.sessions[0].modified_ms, 5);
    }
}

#[test]
fn the_flat_layout_lists_as_by_pi() {
    if !has_pi("the_flat_layout_lists_as_by_pi") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    write_sessions(&|_| folder.path().to_owned(), 200);
    let mut oracle = Oracle::start(PiVersion::Current).unwrap();
    let store = Store::new(vec![location(folder.path(), Layout::Flat)], &environment("/home/u/p"));
    let (all, dropped) =
        compare(ours(&store.list_all()), &theirs(&mut oracle, Some(folder.path()), None));
    let here = theirs(&mut oracle, Some(folder.path()), Some("/home/u/p"));
    let (some, _) = compare(ours(&store.list()), &here);
    println!(
        "flat: {all} sessions equal to Pi's, {dropped} that only pitree lists; {some} of one directory"
    );
    assert!(some > 20 && all > 100);
}

#[test]
fn the_layout_per_directory_lists_as_by_pi() {
    if !has_pi("the_layout_per_directory_lists_as_by_pi") {
        return;
    }
    let mut oracle = Oracle::start(PiVersion::Current).unwrap();
    let root = oracle.agent_folder().join("sessions");
    let home = location(&root, Layout::PerDirectory);
    write_sessions(&|cwd| home.directory_for(Path::new(cwd)), 200);
    // Something that is no session, a link to a folder, and a link that leads nowhere.
    fs_err::write(root.join("--home-u-p--/notes.jsonl"), "no session\n").unwrap();
    fs_err::os::unix::fs::symlink("/nowhere", root.join("--home-u-p--/gone.jsonl")).unwrap();
    let store = Store::new(vec![home], &environment("/home/u/p"));
    let listing = store.list_all();
    assert_eq!(listing.left_out.len(), 1);
    let (all, dropped) = compare(ours(&listing), &theirs(&mut oracle, None, None));
    println!("per directory: {all} sessions equal to Pi's, {dropped} that only pitree lists");
    // `/home/u/p-q` and `/home/u/p/q` share a folder; the header tells them apart here.
    let here = store.list();
    assert!(here.sessions.iter().all(|facts| *facts.cwd == *"/home/u/p"));
    assert!(all > 100);
}

#[test]
fn the_cache_gives_the_same_list_and_notices_every_change() {
    let folder = tempfile::tempdir().unwrap();
    let cache = tempfile::tempdir().unwrap();
    write_sessions(&|_| folder.path().to_owned(), 40);
    let plain = Store::new(vec![location(folder.path(), Layout::Flat)], &environment("/home/u/p"));
    let cached = plain.clone().with_cache(cache.path().to_owned());
    let same = |what: &str| assert_eq!(ours(&cached.list_all()), ours(&plain.list_all()), "{what}");
    same("first");
    same("from the cache");
    let file = folder.path().join("2026-01-01T00-00-00-005Z_s0005.jsonl");
    let mut session = Session::open(&file, &environment("/home/u/p")).unwrap();
    session.append_session_info("a new name").unwrap();
    same("after an append");
    fs_err::remove_file(&file).unwrap();
    same("after a removal");
    fs_err::write(folder.path().join("new.jsonl"), "{\"type\":\"session\",\"id\":\"n\"}\n")
        .unwrap();
    same("after a new file");
    for entry in fs_err::read_dir(cache.path()).unwrap() {
        fs_err::write(entry.unwrap().path(), "damage").unwrap();
    }
    same("after damage");
    same("after it was made anew");
}

/// Entries whose links are damaged in every way: ids that are missing, repeated or empty, parents
/// that are missing, invalid, later in the file, the entry itself, or in a circle.
fn damaged_links(seed: u64) -> String {
    let mut rng = Rng::new(seed);
    let mut text =
        String::from("{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"cwd\":\"/p\"}\n");
    let many = 1 + rng.below(9);
    for _ in 0..rng.below(12) {
        let id = match rng.below(12) {
            0 => String::new(),
            1 => ",\"id\":\"\"".to_owned(),
            2 => ",\"id\":7".to_owned(),
            _ => format!(",\"id\":\"e{}\"", rng.below(many)),
        };
        let parent = match rng.below(12) {
            0 => String::new(),
            1 => ",\"parentId\":null".to_owned(),
            2 => ",\"parentId\":[]".to_owned(),
            3 => ",\"parentId\":\"\"".to_owned(),
            4 => ",\"parentId\":\"gone\"".to_owned(),
            _ => format!(",\"parentId\":\"e{}\"", rng.below(many)),
        };
        text.push_str(&format!("{{\"type\":\"custom\"{id}{parent}}}\n"));
        if rng.chance(5) {
            text.push_str("no JSON\n[1]\n");
        }
    }
    text
}

#[test]
fn a_list_counts_the_branches_that_a_session_has() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let environment = environment("/p");
    let mut most = 0;
    for seed in 0..400 {
        fs_err::write(&path, damaged_links(seed)).unwrap();
        let facts = read_facts(&path, FileStamp::of(&path).unwrap()).unwrap();
        let session = Session::open(&path, &environment).unwrap();
        assert_eq!(facts.entries, session.len(), "seed {seed}");
        let ends = session.tree().leaves().count();
        assert_eq!(facts.branches, ends, "seed {seed}: {}", damaged_links(seed));
        most = most.max(ends);
    }
    assert!(most > 5, "{most} ends at most");
}

#[test]
fn many_models_are_counted_one_by_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let store = |index: bool| {
        let store = Store::new(vec![location(folder.path(), Layout::Flat)], &environment("/p"));
        if index { store.with_cache(folder.path().join("cache")) } else { store }
    };
    let answer = |at: usize| {
        format!(
            "{{\"type\":\"message\",\"id\":\"a{at}\",\"message\":{{\"role\":\"assistant\",\"content\":[],\"provider\":\"p{}\",\"model\":\"m{}\",\"usage\":{{\"totalTokens\":3}}}}}}\n",
            at % 2,
            at % 50,
        )
    };
    let mut text =
        String::from("{\"type\":\"session\",\"version\":3,\"id\":\"s\",\"cwd\":\"/p\"}\n");
    for at in 0..300 {
        text.push_str(&answer(at));
        // In between, the list reads on where the file has grown.
        if at % 60 == 59 {
            fs_err::write(&path, &text).unwrap();
            for index in [true, false] {
                let listing = store(index).list_all();
                let facts = &listing.sessions[0];
                assert_eq!(facts.models.len(), 50.min(at + 1));
                let first = &facts.models[0];
                assert_eq!((&*first.provider, &*first.model), ("p0", "m0"));
                assert_eq!(facts.models.iter().map(|used| used.answers).sum::<usize>(), at + 1);
                assert_eq!(facts.spend.tokens, 3.0 * (at + 1) as f64, "a total alone counts");
                let ledger = store(index).ledger();
                assert_eq!(ledger.models.len(), 50.min(at + 1));
            }
        }
    }
}

#[test]
fn a_session_in_a_linked_folder_goes_by_the_same_name_each_time() {
    let root = tempfile::tempdir().unwrap();
    let real = root.path().join("real");
    fs_err::create_dir(&real).unwrap();
    let header = r#"{"type":"session","version":3,"id":"aaaa1111","cwd":"/w"}"#;
    let name = "2026-02-03T22-52-06-410Z_aaaa1111.jsonl";
    fs_err::write(real.join(name), format!("{header}\n")).unwrap();
    for link in ["a-link", "z-link"] {
        fs_err::os::unix::fs::symlink(&real, root.path().join(link)).unwrap();
    }
    let store = Store::new(vec![location(root.path(), Layout::PerDirectory)], &environment("/w"));
    for _ in 0..20 {
        assert_eq!(store.find("aaaa").unwrap(), root.path().join("a-link").join(name));
    }
}

/// What the cache knows and what was just read come in one order.
#[test]
fn files_that_are_not_sessions_come_by_path_with_any_cache() {
    let root = tempfile::tempdir().unwrap();
    let cache = tempfile::tempdir().unwrap();
    let plain = Store::new(vec![location(root.path(), Layout::PerDirectory)], &environment("/w"));
    let cached = plain.clone().with_cache(cache.path().to_owned());
    let mut names = Vec::new();
    for name in ["p/m.jsonl", "p/z.jsonl", "a/m.jsonl", "p/a.jsonl", "p-q/m.jsonl", "z/a.jsonl"] {
        let path = root.path().join(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(&path, "a note\n").unwrap();
        // Long past, so that the cache relies on what it has read.
        let file = fs_err::OpenOptions::new().write(true).open(&path).unwrap();
        file.file().set_modified(std::time::UNIX_EPOCH).unwrap();
        names.push(path);
        names.sort();
        for (store, what) in [(&plain, "cold"), (&cached, "some known"), (&cached, "all known")] {
            assert_eq!(store.list_all().not_sessions(), names, "{what} after {name}");
        }
    }
}
