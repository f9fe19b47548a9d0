//! What of the suite has passed already, so that a run that was cut off can be resumed.
//!
//! The notes are a file in the target folder. Its first line says what they hold for: the commit,
//! the kind of run and the seed. Notes for anything else are worth nothing and are dropped.

use std::path::PathBuf;

use anyhow::{Result, ensure};

use crate::process::{self, Workspace};

const FILE: &str = "suite-progress.txt";

/// Names of what has passed.
pub(crate) struct Progress {
    file: PathBuf,
    key: String,
    passed: Vec<String>,
}

impl Progress {
    /// Starts from nothing, for a run that this text describes.
    pub(crate) fn begin(workspace: &Workspace, run: &str) -> Result<Self> {
        let file = workspace.target.join(FILE);
        let progress = Self { file, key: key(workspace, run), passed: Vec::new() };
        progress.write()?;
        Ok(progress)
    }

    /// Goes on from what an earlier run of the same commit has noted.
    pub(crate) fn resume(workspace: &Workspace, run: &str) -> Result<Self> {
        let changes = process::capture(&mut workspace.command("git", &["status", "--porcelain"]))?;
        ensure!(
            changes.trim().is_empty(),
            "there are uncommitted changes; only a run of one and the same commit can be resumed"
        );
        let file = workspace.target.join(FILE);
        let key = key(workspace, run);
        let noted = fs_err::read_to_string(&file).unwrap_or_default();
        let passed = match noted.split_once('\n') {
            Some((noted, names)) if noted == key => names.lines().map(str::to_owned).collect(),
            _ => Vec::new(),
        };
        let progress = Self { file, key, passed };
        progress.write()?;
        Ok(progress)
    }

    /// The kind of run that the notes are about, if there are any.
    pub(crate) fn noted_run(workspace: &Workspace) -> Option<String> {
        let noted = fs_err::read_to_string(workspace.target.join(FILE)).ok()?;
        let (_, run) = noted.lines().next()?.split_once(' ')?;
        Some(run.to_owned())
    }

    pub(crate) fn has_passed(&self, name: &str) -> bool {
        self.passed.iter().any(|passed| passed == name)
    }

    /// Notes at once, so that a kill loses nothing.
    pub(crate) fn pass(&mut self, name: &str) -> Result<()> {
        self.passed.push(name.to_owned());
        self.write()
    }

    fn write(&self) -> Result<()> {
        let text = format!("{}\n{}\n", self.key, self.passed.join("\n"));
        Ok(fs_err::write(&self.file, text)?)
    }
}

fn key(workspace: &Workspace, run: &str) -> String {
    let commit = process::capture(&mut workspace.command("git", &["rev-parse", "HEAD"]));
    format!("{} {run}", commit.as_deref().unwrap_or("unknown").trim())
}
