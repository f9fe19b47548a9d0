//! Gives the library a hash of all sources that decide what a session gives: its own, those of the
//! crates that it uses, and the versions of all others. By it the cache knows what another build
//! has kept.
#![allow(clippy::print_stdout, reason = "this is how a build script speaks to cargo")]

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hasher};
use std::io;
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    let mut crates = BTreeSet::from([PathBuf::from(".")]);
    let mut waiting: Vec<PathBuf> = crates.iter().cloned().collect();
    while let Some(folder) = waiting.pop() {
        for name in used_crates(&fs_err::read_to_string(folder.join("Cargo.toml"))?) {
            // A crate that was published lies elsewhere, and has a version of its own.
            let used = Path::new("..").join(name);
            if used.join("Cargo.toml").is_file() && crates.insert(used.clone()) {
                waiting.push(used);
            }
        }
    }
    let mut hasher = DefaultHasher::new();
    for folder in &crates {
        add(&folder.join("src"), &mut hasher)?;
    }
    add(Path::new("../../Cargo.lock"), &mut hasher)?;
    println!("cargo::rustc-env=PITREE_SOURCES={:016x}", hasher.finish());
    Ok(())
}

/// The crates of the workspace that a manifest names as dependencies, without what their names have
/// in common.
fn used_crates(manifest: &str) -> impl Iterator<Item = &str> {
    let lines = manifest.lines().skip_while(|line| *line != "[dependencies]").skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    lines.filter_map(|line| line.strip_prefix("pitree-")?.split(['.', ' ']).next())
}

/// Adds a file, or all below a folder, with the paths; nothing if it is not there.
fn add(path: &Path, hasher: &mut DefaultHasher) -> io::Result<()> {
    if path.is_dir() {
        let entries = fs_err::read_dir(path)?.map(|entry| Ok(entry?.path()));
        let mut entries = entries.collect::<io::Result<Vec<PathBuf>>>()?;
        entries.sort_unstable();
        entries.iter().try_for_each(|entry| add(entry, hasher))?;
    } else if path.is_file() {
        let bytes = fs_err::read(path)?;
        for part in [path.as_os_str().as_encoded_bytes(), &bytes] {
            hasher.write_usize(part.len());
            hasher.write(part);
        }
    } else {
        return Ok(());
    }
    println!("cargo::rerun-if-changed={}", path.display());
    Ok(())
}
