//! What the user chose about redaction, and the redactor that it makes.

use std::path::{Path, PathBuf};

use clap::Args;
use pitree_host::auth::ApiKey;
use pitree_host::secrets::{env_file, known_secrets};
use pitree_redact::{Key, Literals, Pseudonyms, Redactor, Skipped};
use pitree_session::{Environment, paths};

use crate::error::Result;
use crate::key;
use crate::output::Output;
use crate::target::Workspace;

/// What may be chosen wherever secrets are replaced.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct KnownSecrets {
    /// Also treat the values in this file of `NAME=value` lines as secrets; repeatable
    #[arg(long, value_name = "FILE")]
    env_file: Vec<PathBuf>,
}

/// What may be chosen about placeholders.
#[derive(Args, Clone, Debug, Default)]
pub(crate) struct PlaceholderArgs {
    /// Key file for the placeholders, created if missing: with the same key, a secret gets the same
    /// placeholder in every export. Default: a random key, which `extract` keeps per output folder
    /// and other commands discard
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,

    /// Also replace home directories, your user name, this machine's name and email addresses
    #[arg(long)]
    pseudonyms: bool,
}

impl PlaceholderArgs {
    /// Whether the user chose anything here.
    pub(crate) fn are_given(&self) -> bool {
        self.key.is_some() || self.pseudonyms
    }

    /// Whether everything that tells who the user is shall be replaced.
    pub(crate) fn are_pseudonyms_wanted(&self) -> bool {
        self.pseudonyms
    }

    /// The file of the key that the user named.
    pub(crate) fn key(&self, workspace: &Workspace) -> Option<PathBuf> {
        self.key.as_deref().map(|path| paths::resolve(path, &workspace.environment))
    }
}

impl KnownSecrets {
    /// Whether the user chose anything here.
    pub(crate) fn are_given(&self) -> bool {
        !self.env_file.is_empty()
    }

    /// The files that the user named.
    pub(crate) fn files(&self, environment: &Environment) -> Vec<PathBuf> {
        self.env_file.iter().map(|path| paths::resolve(path, environment)).collect()
    }

    /// The values of Pi's own files and of the files that the user named. Values that are left out
    /// are named; of Pi's own files only if `tells_all`.
    fn literals(
        &self,
        tells_all: bool,
        workspace: &Workspace,
        output: &mut Output,
    ) -> Result<Literals> {
        let secrets = known_secrets(&workspace.environment)?;
        let mut variables = Vec::new();
        for path in self.files(&workspace.environment) {
            variables.extend(env_file(&path)?);
        }
        let shown = |named: &'_ (String, ApiKey)| (named.0.clone(), named.1.reveal().to_owned());
        let literals =
            Literals::with_variables(secrets.iter().map(shown), variables.iter().map(shown));
        let is_of_pi = |skipped: &Skipped| secrets.iter().any(|(name, _)| *name == skipped.name);
        let skipped = literals.skipped().iter().filter(|it| tells_all || !is_of_pi(it));
        match skipped.collect::<Vec<_>>()[..] {
            [] => {}
            [one] => {
                let (name, why) = (shown_name(&one.name), one.why);
                output.remark(&format!("note: {name} is {why}, so it is not redacted"))?;
            }
            ref many => {
                let named = many.iter().map(|it| format!("{} ({})", shown_name(&it.name), it.why));
                let named = named.collect::<Vec<_>>().join(", ");
                output.remark(&format!("note: these values are not redacted: {named}"))?;
            }
        }
        Ok(literals)
    }
}

/// The name of a value: what it is in which of Pi's files, or a variable.
fn shown_name(name: &str) -> String {
    match name.split_once(' ') {
        Some((file, what)) if file.ends_with(".json") => format!("`{what}` in {file}"),
        _ => format!("`{name}`"),
    }
}

/// A redactor for output that is handed out, with the key in a file, or with one that is forgotten.
/// `usual` is replaced where the user does not ask for all pseudonyms.
pub(crate) fn redactor(
    known: &KnownSecrets,
    placeholders: &PlaceholderArgs,
    usual: Pseudonyms,
    key: Option<&Path>,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<Redactor> {
    let key = key.map_or_else(key::of_process, key::stored)?;
    let pseudonyms = if placeholders.pseudonyms { of_this_machine(workspace) } else { usual };
    Ok(Redactor::new(key, known.literals(true, workspace, output)?, pseudonyms))
}

/// A redactor that only looks.
pub(crate) fn scanner(
    known: &KnownSecrets,
    workspace: &Workspace,
    output: &mut Output,
) -> Result<Redactor> {
    let literals = known.literals(false, workspace, output)?;
    // Nothing is replaced, so no key is needed.
    Ok(Redactor::new(Key::new([0; Key::LEN]), literals, Pseudonyms::default()))
}

/// A redactor that only looks, and knows no values.
pub(crate) fn rules_alone() -> Redactor {
    Redactor::new(Key::new([0; Key::LEN]), Literals::default(), Pseudonyms::default())
}

/// Everything that tells who the user is.
pub(crate) fn of_this_machine(workspace: &Workspace) -> Pseudonyms {
    let environment = &workspace.environment;
    let home = || environment.home().file_name().map(|name| name.to_string_lossy().into_owned());
    let user = environment.var("USER").map(str::to_owned).or_else(home);
    let host = fs_err::read_to_string("/etc/hostname").ok();
    let host = host.or_else(|| environment.var("HOSTNAME").map(str::to_owned));
    Pseudonyms {
        homes: true,
        emails: true,
        users: user.into_iter().collect(),
        hosts: host.into_iter().map(|host| host.trim().to_owned()).collect(),
    }
}
