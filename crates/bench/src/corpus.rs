//! The session files that are measured: made once from a seed, kept in the target folder.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::generate::{Lines, write_session};

/// Raised when the generator changes, so that old files are not taken for new ones.
const GENERATION: u32 = 2;
const SEED: u64 = 20_261_115;

/// A session file to make.
#[derive(Clone, Copy)]
pub(crate) struct Recipe {
    pub(crate) name: &'static str,
    pub(crate) entries: usize,
    lines: Lines,
}

/// 500 entries, about 1.3 MB.
pub(crate) const SMALL: Recipe = Recipe { name: "small", entries: 500, lines: Lines::Real };
/// 5,000 entries, about 13 MB; for counting instructions.
pub(crate) const MIDDLE: Recipe = Recipe { name: "middle", entries: 5_000, lines: Lines::Real };
/// 50,000 entries, about 130 MB.
pub(crate) const LARGE: Recipe = Recipe { name: "large", entries: 50_000, lines: Lines::Real };
/// 115,000 entries, about 300 MB; for the page.
pub(crate) const WEB: Recipe = Recipe { name: "web", entries: 115_000, lines: Lines::Real };
/// 100 short entries, to append to.
pub(crate) const FEW: Recipe = Recipe { name: "few", entries: 100, lines: Lines::Short };
/// 100,000 short entries, to append to.
pub(crate) const MANY: Recipe = Recipe { name: "many", entries: 100_000, lines: Lines::Short };

/// How often [`LARGE`] is repeated for the file of 2 GB.
const REPEATS: u64 = 16;

/// The target folder: the one of Cargo's variable, else that in which this program lies.
pub(crate) fn target_folder() -> Result<PathBuf> {
    if let Some(folder) = std::env::var_os("CARGO_TARGET_DIR") {
        return Ok(std::path::absolute(folder)?);
    }
    let program = std::env::current_exe()?;
    let folder = program.ancestors().nth(2).context("this program lies in no target folder")?;
    Ok(folder.to_owned())
}

/// The folder of the session files.
pub(crate) fn folder() -> Result<PathBuf> {
    let folder = target_folder()?.join(format!("bench-corpus-{GENERATION}"));
    fs_err::create_dir_all(&folder)?;
    Ok(folder)
}

impl Recipe {
    /// The file; made if it is not there.
    pub(crate) fn file(self) -> Result<PathBuf> {
        let path = folder()?.join(format!("{}.jsonl", self.name));
        if !path.exists() {
            make(&path, |out| Ok(write_session(out, SEED, self.entries, self.lines)?))?;
        }
        Ok(path)
    }
}

/// A file of 2 GB: the large session many times over.
pub(crate) fn huge() -> Result<PathBuf> {
    let large = LARGE.file()?;
    let path = folder()?.join("huge.jsonl");
    if !path.exists() {
        make(&path, |out| {
            for _ in 0..REPEATS {
                std::io::copy(&mut fs_err::File::open(&large)?, out)?;
            }
            Ok(())
        })?;
    }
    Ok(path)
}

/// Writes a file under another name and renames it, so that one half made is never used.
fn make(path: &Path, fill: impl FnOnce(&mut BufWriter<fs_err::File>) -> Result<()>) -> Result<()> {
    let half = path.with_extension("half");
    let mut out = BufWriter::with_capacity(1 << 20, fs_err::File::create(&half)?);
    fill(&mut out)?;
    out.flush()?;
    Ok(fs_err::rename(half, path)?)
}

/// Prints how long the lines of each file are and how many escapes they hold.
pub(crate) fn describe() -> Result<()> {
    for recipe in [SMALL, MIDDLE, LARGE, FEW, MANY] {
        let path = recipe.file()?;
        let bytes = fs_err::read(&path)?;
        let mut lengths: Vec<usize> =
            bytes.split(|&byte| byte == b'\n').map(<[u8]>::len).filter(|&len| len > 0).collect();
        lengths.sort_unstable();
        let share = |percent: usize| lengths[(lengths.len() - 1) * percent / 100];
        let slashes = bytes.iter().filter(|&&byte| byte == b'\\').count();
        println!(
            "{:<7} {:>7} lines {:>7.1} MB  length mean {} p50 {} p90 {} p99 {} max {}  \
             backslashes/KB {:.1}  {}",
            recipe.name,
            lengths.len(),
            bytes.len() as f64 / 1e6,
            bytes.len() / lengths.len(),
            share(50),
            share(90),
            share(99),
            share(100),
            slashes as f64 * 1000.0 / bytes.len() as f64,
            path.display(),
        );
    }
    Ok(())
}
