//! The programs for which training data is made: Python packages in a virtual environment.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

/// Where `cargo xtask consumers` installs unless it is told another target folder.
const DEFAULT_FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target");

/// The installed packages.
#[derive(Clone, Debug)]
pub struct Consumers {
    folder: PathBuf,
}

impl Consumers {
    /// The packages in the folder that `PITREE_CONSUMERS` names, else in `target/consumers`.
    /// `None`, after a line that names the test as skipped, where they are not installed.
    pub fn find(test: &str) -> Option<Self> {
        Self::installed(test, "consumers", "PITREE_CONSUMERS")
    }

    /// Harbor in the folder that `PITREE_HARBOR` names, else in `target/harbor`.
    pub fn find_harbor(test: &str) -> Option<Self> {
        Self::installed(test, "harbor", "PITREE_HARBOR")
    }

    /// The S3 server in the folder that `PITREE_MOTO` names, else in `target/moto`.
    pub(crate) fn find_moto(test: &str) -> Option<Self> {
        Self::installed(test, "moto", "PITREE_MOTO")
    }

    fn installed(test: &str, name: &str, variable: &str) -> Option<Self> {
        let given = std::env::var_os(variable).filter(|folder| !folder.is_empty());
        let usual = || Path::new(DEFAULT_FOLDER).join(name);
        let folder = given.map_or_else(usual, PathBuf::from);
        if folder.join("installed").is_file() {
            return Some(Self { folder });
        }
        crate::told::tell(&format!(
            "skipped {test}: {name} is not installed (cargo xtask consumers)"
        ));
        None
    }

    /// The path of a program that a package brings, such as `python` or `kingfisher`.
    pub fn program(&self, name: &str) -> PathBuf {
        self.folder.join("bin").join(name)
    }

    /// Runs a file of Python with these arguments and this input, without network, and returns
    /// what it printed. Fails, with what it complained about, if it fails.
    pub fn run<A: AsRef<OsStr>>(
        &self,
        script: &Path,
        args: impl IntoIterator<Item = A>,
        input: &[u8],
    ) -> Result<String> {
        let home = tempfile::tempdir()?;
        let mut child = Command::new(self.program("python"))
            .args(["-B", "-X", "utf8"])
            .arg(script)
            .args(args)
            .env("HOME", home.path())
            .env("HF_HOME", home.path())
            .env("HF_HUB_OFFLINE", "1")
            .env("HF_DATASETS_DISABLE_PROGRESS_BARS", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("cannot start the consumers' python")?;
        let mut stdin = child.stdin.take().context("the child has no input")?;
        let output = std::thread::scope(|scope| {
            scope.spawn(move || stdin.write_all(input));
            child.wait_with_output()
        })?;
        let complaints = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "the consumer failed ({}):\n{complaints}", output.status);
        Ok(String::from_utf8(output.stdout)?)
    }
}
