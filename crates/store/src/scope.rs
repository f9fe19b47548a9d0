//! Which sessions a list is about.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use pitree_format::named_enum;
use pitree_session::{Environment, paths};

use crate::facts::SessionFacts;

named_enum! {
    /// Which sessions a list is about.
    #[derive(Default)]
    pub enum Scope {
        #[default]
        Directory = "dir": "This working directory",
        Repository = "repo": "This repository, in all its working trees",
        All = "all": "All sessions",
    }
}

/// Tells which sessions belong to a scope.
pub(crate) struct ScopeFilter {
    scope: Scope,
    cwd: PathBuf,
    repository: Option<PathBuf>,
    environment: Environment,
    /// The repository of each directory that was asked for.
    known: HashMap<String, Option<PathBuf>>,
}

impl ScopeFilter {
    pub(crate) fn new(scope: Scope, environment: &Environment) -> Self {
        let cwd = paths::resolve(environment.cwd(), environment);
        let repository = repository_of(&cwd);
        Self { scope, cwd, repository, environment: environment.clone(), known: HashMap::new() }
    }

    pub(crate) fn contains(&mut self, facts: &SessionFacts) -> bool {
        self.contains_directory(&facts.cwd)
    }

    /// Whether sessions of a working directory belong to the scope.
    pub(crate) fn contains_directory(&mut self, cwd: &str) -> bool {
        match self.scope {
            Scope::All => true,
            Scope::Directory => self.is_here(cwd),
            Scope::Repository => {
                if self.is_here(cwd) {
                    return true;
                }
                let Some(ours) = self.repository.clone() else { return false };
                if !self.known.contains_key(cwd) {
                    let repository = repository_of(Path::new(cwd));
                    self.known.insert(cwd.to_owned(), repository);
                }
                self.known.get(cwd).is_some_and(|other| other.as_ref() == Some(&ours))
            }
        }
    }

    fn is_here(&self, cwd: &str) -> bool {
        !cwd.is_empty() && paths::resolve(Path::new(cwd), &self.environment) == self.cwd
    }
}

/// What identifies a repository: its common git directory, which all working trees share.
pub fn repository_of(directory: &Path) -> Option<PathBuf> {
    let git = directory.ancestors().map(|folder| folder.join(".git")).find(|git| git.exists())?;
    if git.is_dir() {
        return fs_err::canonicalize(git).ok();
    }
    // A working tree has a file that leads to `<repository>/.git/worktrees/<name>`.
    let text = fs_err::read_to_string(&git).ok().filter(|text| text.len() < 4096)?;
    let target = Path::new(text.trim().strip_prefix("gitdir:")?.trim()).to_owned();
    let target = if target.is_relative() { git.parent()?.join(target) } else { target };
    let target = fs_err::canonicalize(target).ok()?;
    let worktrees = target.parent()?;
    if worktrees.file_name()? == "worktrees" {
        worktrees.parent().map(Path::to_owned)
    } else {
        Some(target)
    }
}
