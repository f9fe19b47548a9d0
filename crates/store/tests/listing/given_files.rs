//! Real files: `PITREE_FILES` names a folder, and both sides list the sessions below it.

use std::path::{Path, PathBuf};

use pitree_format::Value;
use pitree_format::js::stringify;
use pitree_session::location::Layout;
use pitree_store::{FileStamp, Listing, NotListed, Store, read_facts};
use pitree_testkit::{Oracle, PiVersion, has_pi};

use crate::listing::{environment, location, ours, theirs};

/// All `.jsonl` files below a folder.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs_err::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => open.push(path),
                false => found.push(path),
            }
        }
    }
    found.retain(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    found.sort();
    found
}

/// Copies all files, each under a name and with a time of its own.
fn copy(files: &[PathBuf], folder: &dyn Fn(&Path) -> PathBuf) {
    for (number, file) in files.iter().enumerate() {
        let folder = folder(file);
        fs_err::create_dir_all(&folder).unwrap();
        let name = file.file_name().unwrap().to_string_lossy();
        let path = folder.join(format!("{number:04}-{name}"));
        fs_err::write(&path, fs_err::read(file).unwrap()).unwrap();
        let seconds = 1_760_000_000 + 977 * number as u64;
        let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        let opened = fs_err::OpenOptions::new().append(true).open(&path).unwrap();
        opened.file().set_modified(time).unwrap();
    }
}

/// What differs, a line for each session. That `branchedFrom` names a parent, and that a file of
/// another program is no session, are known differences.
fn differences(listing: &Listing, theirs: &[Value]) -> Vec<String> {
    let path = |row: &Value| row.get_string("path").unwrap().to_string();
    let missing = |rows: &[Value], row: &Value| rows.iter().all(|other| path(other) != path(row));
    let mut ours = ours(listing);
    for row in &mut ours {
        let other = theirs.iter().find(|other| path(other) == path(row));
        if other.is_some_and(|other| other.get("parentSessionPath").is_none()) {
            row.as_object_mut().unwrap().remove("parentSessionPath");
        }
    }
    let is_look_alike = |path: &str| {
        let mut left_out = listing.left_out.iter();
        left_out.any(|(other, why)| {
            other == Path::new(path) && matches!(why, NotListed::NotASession(Some(_)))
        })
    };
    let mut found = Vec::new();
    for row in ours.iter().filter(|row| missing(theirs, row)) {
        found.push(format!("only ours: {}", stringify(row)));
    }
    for row in theirs {
        match ours.iter().find(|other| path(other) == path(row)) {
            None if is_look_alike(&path(row)) => {}
            None => found.push(format!("only Pi's: {}", stringify(row))),
            Some(own) if stringify(own) != stringify(row) => {
                found.push(format!("ours: {}\n  Pi's: {}", stringify(own), stringify(row)));
            }
            Some(_) => {}
        }
    }
    let both = |rows: &[Value], others: &[Value]| -> Vec<String> {
        rows.iter().filter(|row| !missing(others, row)).map(path).collect()
    };
    if both(&ours, theirs) != both(theirs, &ours) {
        found.push("the order is another".to_owned());
    }
    found
}

#[test]
fn given_files_list_as_by_pi() {
    let Some(folder) = std::env::var_os("PITREE_FILES") else { return };
    if !has_pi("given_files_list_as_by_pi") {
        return;
    }
    let files = files_below(Path::new(&folder));
    let flat = tempfile::tempdir().unwrap();
    copy(&files, &|_| flat.path().to_owned());
    let mut oracle = Oracle::start(PiVersion::Current).unwrap();
    let root = oracle.agent_folder().join("sessions");
    copy(&files, &|file| {
        let facts = read_facts(file, FileStamp::of(file).unwrap());
        let cwd = facts.map_or_else(|_| "/".to_owned(), |facts| facts.cwd.to_string());
        location(&root, Layout::PerDirectory).directory_for(Path::new(&cwd))
    });
    let mut found = Vec::new();
    let flat = location(flat.path(), Layout::Flat);
    let store = Store::new(vec![flat.clone()], &environment("/"));
    let listing = store.list_all();
    for (path, reason) in &listing.left_out {
        println!("left out: {} {reason:?}", path.file_name().unwrap().display());
    }
    println!("{} files, {} listed", files.len(), listing.sessions.len());
    found.extend(differences(&listing, &theirs(&mut oracle, Some(&flat.path), None)));
    let per_directory = location(&root, Layout::PerDirectory);
    let store = Store::new(vec![per_directory.clone()], &environment("/"));
    let all = store.list_all();
    found.extend(differences(&all, &theirs(&mut oracle, None, None)));
    let mut cwds: Vec<&str> = all.sessions.iter().map(|facts| &*facts.cwd).collect();
    cwds.sort_unstable();
    cwds.dedup();
    for cwd in cwds {
        for place in [&flat, &per_directory] {
            let store = Store::new(vec![place.clone()], &environment(cwd));
            let dir = (place.layout == Layout::Flat).then_some(&*place.path);
            let here = theirs(&mut oracle, dir, Some(cwd));
            found.extend(differences(&store.list(), &here));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
