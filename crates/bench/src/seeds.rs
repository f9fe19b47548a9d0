//! Seeds for the fuzz targets, from the test kit's sessions and damaged files.

use std::path::Path;

use anyhow::Result;
use pitree_testkit::{damaged_files, session, session_v1, session_v2};

/// Sessions of each version.
const SESSIONS: u64 = 60;
/// Longer lines and files only make the fuzzer slow.
const LONGEST_LINE: usize = 2_000;
const LONGEST_FILE: usize = 6_000;

/// Writes `line` and `open` seeds below a folder.
pub(crate) fn write(folder: &Path) -> Result<()> {
    let files = files();
    let lines = files.iter().flat_map(|file| file.split(|&byte| byte == b'\n'));
    let lines = lines.filter(|line| line.len() > 1 && line.len() <= LONGEST_LINE);
    let line_count = write_all(&folder.join("line"), lines.step_by(5))?;
    let whole = files.iter().map(Vec::as_slice).filter(|file| file.len() <= LONGEST_FILE);
    let file_count = write_all(&folder.join("open"), whole)?;
    println!("{line_count} seeds for `line`, {file_count} for `open` in {}", folder.display());
    Ok(())
}

fn files() -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    for seed in 0..SESSIONS {
        files.extend([session(seed), session_v1(seed), session_v2(seed)].map(|made| made.bytes));
    }
    files.extend(damaged_files().into_iter().map(|file| file.bytes));
    files
}

fn write_all<'a>(folder: &Path, seeds: impl Iterator<Item = &'a [u8]>) -> Result<usize> {
    fs_err::create_dir_all(folder)?;
    let mut count = 0;
    for seed in seeds {
        fs_err::write(folder.join(format!("seed-{count:05}")), seed)?;
        count += 1;
    }
    Ok(count)
}
