//! `python`: the Python package on the store of 1 GB. What it answers in its process is timed
//! against the command, which prints the same to nowhere; its samples against a plain extractor in
//! Python that applies the same rules, on every tenth session.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::extract::part_of;
use crate::many::{self, USUAL};
use crate::process::pitree;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/python.py");
const PLAIN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/extract.py");
const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../redact/src/rules/table.txt");

/// Measures and prints the figures; fails if one is beyond its limit.
pub(crate) fn run(rounds: usize) -> Result<()> {
    let python = std::env::var_os("PITREE_PYTHON");
    let python = python.context("PITREE_PYTHON is not set; start this with `cargo xtask bench`")?;
    let folder = many::folder()?;
    let store = USUAL.store()?;
    let part = part_of(&store, &folder.join("python-part"))?;
    let home = folder.join("python-home");
    fs_err::create_dir_all(&home)?;
    let status = Command::new(python)
        .arg(SCRIPT)
        .args([&pitree()?, &store.agent, &part])
        .args([Path::new(PLAIN), Path::new(TABLE)])
        .arg(rounds.to_string())
        .env("HOME", &home)
        .env("XDG_CACHE_HOME", folder.join("python-cache"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env_remove("PI_CODING_AGENT_SESSION_DIR")
        .env_remove("PI_SESSIONS_DIR")
        .status()?;
    ensure!(status.success(), "a figure is beyond its limit");
    Ok(())
}
