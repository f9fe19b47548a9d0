//! The consumers of training data: Python packages that must take what `pitree extract` writes.
//!
//! They lie in virtual environments, `<target>/consumers` and `<target>/harbor`, with exactly the
//! packages of a list in `crates/extract/tests/consumers`. The servers of the tests of object stores
//! are installed with them, into `<target>/moto` and `<target>/azurite`. The file `installed` of an environment
//! holds its list and is written last: without it, or with another list in it, all is redone.
//!
//! Where they cannot be installed, nothing fails: the tests that need them say that they are
//! skipped.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::process::{self, Workspace};
use crate::{azurite, tools};

const STAMP: &str = "installed";

/// An environment.
struct Set {
    /// Its folder in the target folder.
    folder: &'static str,
    /// The list of its packages.
    requirements: &'static str,
    /// The Pythons that may do, the best first.
    pythons: &'static [&'static str],
    /// The oldest Python 3 that does.
    minor: u32,
}

const CONSUMERS: Set = Set {
    folder: "consumers",
    requirements: "crates/extract/tests/consumers/requirements.txt",
    pythons: &["python3"],
    minor: 11,
};

/// Not a consumer, but a server: the tests of object stores read from it and write to it.
const MOTO: Set = Set {
    folder: "moto",
    requirements: "crates/extract/tests/consumers/requirements-moto.txt",
    pythons: &["python3"],
    minor: 10,
};

const HARBOR: Set = Set {
    folder: "harbor",
    requirements: "crates/extract/tests/consumers/requirements-harbor.txt",
    pythons: &["python3.12", "python3.13", "python3.14", "python3"],
    minor: 12,
};

/// Installs the consumers unless they are there, and Harbor and the object stores beside them. `None`, after a word about
/// it, where the consumers cannot be; of the others a word is enough.
pub(crate) fn install(workspace: &Workspace) -> Result<Option<PathBuf>> {
    fs_err::create_dir_all(&workspace.target)?;
    // Two commands at once must not install into the same folder; closing the file unlocks it.
    let lock = fs_err::File::create(workspace.target.join("consumers.lock"))?;
    lock.lock()?;
    HARBOR.install(workspace)?;
    MOTO.install(workspace)?;
    azurite::install(workspace)?;
    CONSUMERS.install(workspace)
}

impl Set {
    fn install(&self, workspace: &Workspace) -> Result<Option<PathBuf>> {
        let folder = workspace.target.join(self.folder);
        let requirements = fs_err::read_to_string(workspace.root.join(self.requirements))?;
        let stamp = fs_err::read_to_string(folder.join(STAMP));
        if stamp.is_ok_and(|installed| installed == requirements) {
            return Ok(Some(folder));
        }
        match self.set_up(workspace, &folder) {
            Ok(()) => {
                fs_err::write(folder.join(STAMP), requirements)?;
                Ok(Some(folder))
            }
            Err(error) => {
                let name = self.folder;
                println!("{name} cannot be installed, its tests are skipped: {error:#}");
                Ok(None)
            }
        }
    }

    fn set_up(&self, workspace: &Workspace, folder: &Path) -> Result<()> {
        let python = self.python()?;
        println!("installing the packages of {} into {}", self.requirements, folder.display());
        if folder.exists() {
            fs_err::remove_dir_all(folder)?;
        }
        // Debian has the part of Python that makes environments in a package of its own.
        make_environment(python, folder).or_else(|error| {
            tools::apt_get_as_root(workspace, &["python3-venv"]);
            make_environment(python, folder).map_err(|_| error)
        })?;
        let pip = folder.join("bin/pip");
        let mut command = workspace.command(&pip.to_string_lossy(), &["install", "--quiet"]);
        command.args(["--disable-pip-version-check", "--no-warn-conflicts"]);
        command.args(["--no-deps", "--requirement", self.requirements]);
        println!("$ {}", process::show(&command));
        process::capture(&mut command).map(drop)
    }

    /// The first Python that is there and new enough.
    fn python(&self) -> Result<&'static str> {
        let minor = self.minor;
        let is_new = format!("import sys; sys.exit(sys.version_info < (3, {minor}))");
        let is_fit = |name: &&&str| {
            let mut command = python_command(name);
            process::capture(command.args(["-c", &is_new])).is_ok()
        };
        let found = self.pythons.iter().find(is_fit);
        found.copied().with_context(|| format!("there is no Python 3.{minor} or newer"))
    }
}

/// Where pyenv stands between, it is told to take the version that the name says.
fn python_command(name: &str) -> Command {
    let mut command = Command::new(name);
    if let Some(version) = name.strip_prefix("python").filter(|version| version.contains('.')) {
        command.env("PYENV_VERSION", version);
    }
    command
}

fn make_environment(python: &str, folder: &Path) -> Result<()> {
    let mut command = python_command(python);
    command.args(["-m", "venv"]).arg(folder);
    println!("$ {}", process::show(&command));
    process::capture(&mut command).map(drop)
}
