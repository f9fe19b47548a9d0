//! Real files: `PITREE_FILES` names a folder, and every session below it is read by both sides.
//! Nothing in the folder is changed; files that both refuse are counted.

use std::path::{Path, PathBuf};

use pitree_format::Value;
use pitree_session::{Session, SessionError};
use pitree_testkit::PiVersion;

use crate::answer::environment;
use crate::old_versions::differences_in;
use crate::reading::Bench;
use crate::ready;

fn jsonl_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs_err::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            jsonl_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            found.push(path);
        }
    }
}

#[test]
fn given_files_read_as_by_pi() {
    let Some(folder) = std::env::var_os("PITREE_FILES") else { return };
    if !ready("given_files_read_as_by_pi") {
        return;
    }
    let mut files = Vec::new();
    jsonl_files(Path::new(&folder), &mut files);
    let mut bench = Bench::new(PiVersion::Current);
    let (mut equal, mut refused) = (0, Vec::new());
    for file in &files {
        let bytes = fs_err::read(file).unwrap();
        let name = file.display();
        match Session::open(file, &environment()) {
            Err(error @ (SessionError::NotASession { .. } | SessionError::Empty { .. })) => {
                let theirs = bench.ask(&bytes, &[]).1;
                // A look-alike behind a header is opened by Pi and named by pitree.
                let pi_opens = theirs.get("ok") == Some(&Value::Bool(true));
                refused.push(format!(
                    "{name}: {error}{}",
                    if pi_opens { " (Pi opens it)" } else { "" }
                ));
            }
            Err(error) => panic!("{name}: {error}"),
            Ok(_) => {
                let found = differences_in(&mut bench, &bytes, 1);
                assert!(found.is_empty(), "{name}: {found:?}");
                equal += 1;
            }
        }
    }
    println!("given files: {} in all, {equal} equal to Pi 1.5.0, refused:", files.len());
    for line in refused {
        println!("  {line}");
    }
}
