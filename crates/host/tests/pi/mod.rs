//! The real Pi judges: the same settings, models, keys and commands on both sides.
//!
//! Run through `cargo xtask test`, which installs the real Pi; without it nothing is compared.

mod models;
mod settings;
mod shell;
mod thinking;
mod usage;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};

use pitree_session::Environment;
use pitree_testkit::PiRpc;
use tempfile::TempDir;

/// A home folder for both sides, with files of the agent folder and variables.
struct Home {
    folder: TempDir,
    variables: Vec<(String, String)>,
}

impl Home {
    fn new(files: &[(&str, &str)], variables: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join("agent").join(name);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, text).unwrap();
        }
        fs_err::create_dir_all(folder.path().join("agent")).unwrap();
        fs_err::create_dir_all(folder.path().join("project")).unwrap();
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Self { folder, variables: variables.iter().map(owned).collect() }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn project(&self) -> PathBuf {
        self.path().join("project")
    }

    fn environment(&self) -> Environment {
        let agent = self.path().join("agent");
        static COUNTER: AtomicU8 = AtomicU8::new(0);
        let random = |bytes: &mut [u8]| bytes.fill(COUNTER.fetch_add(1, Ordering::Relaxed));
        let environment = Environment::new(self.path(), self.project(), || 0, random)
            .with_var("TMPDIR", self.path().to_str().unwrap())
            .with_var("PI_CODING_AGENT_DIR", agent.to_str().unwrap());
        self.variables
            .iter()
            .fold(environment, |environment, (name, value)| environment.with_var(name, value))
    }

    fn pi(&self, args: &[&str]) -> PiRpc {
        let variables: Vec<(&str, &str)> =
            self.variables.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let mut all = vec!["--no-session"];
        all.extend(args);
        PiRpc::start(self.path(), &self.project(), &variables, &all).unwrap()
    }
}
