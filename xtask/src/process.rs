//! Where the workspace is, and how other programs are started in it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

/// The checkout and the folder that Cargo builds into, both absolute.
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    pub(crate) target: PathBuf,
}

impl Workspace {
    /// Finds the checkout from what `cargo run` tells the program that it starts.
    pub(crate) fn find() -> Result<Self> {
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
            .context("CARGO_MANIFEST_DIR is not set; start this with `cargo xtask`")?;
        let root = Path::new(&manifest).parent().context("xtask has no parent folder")?.to_owned();
        let target = match std::env::var_os("CARGO_TARGET_DIR") {
            Some(given) if !given.is_empty() => std::path::absolute(given)?,
            _ => root.join("target"),
        };
        Ok(Self { root, target })
    }

    /// A Cargo call in the root of the checkout.
    pub(crate) fn cargo(&self, args: &[&str]) -> Command {
        let mut command = self.command("cargo", args);
        command.env("CARGO_TARGET_DIR", &self.target);
        command
    }

    /// A call of any other program in the root of the checkout.
    pub(crate) fn command(&self, program: &str, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).current_dir(&self.root);
        command
    }
}

/// Shows the command, runs it with our own input and output, and fails if it fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let shown = show(command);
    println!("$ {shown}");
    let status = command.status().with_context(|| format!("cannot start `{shown}`"))?;
    ensure!(status.success(), "`{shown}` failed ({status})");
    Ok(())
}

/// Shows the command, runs it and returns what it printed; its error output stays visible.
pub(crate) fn capture(command: &mut Command) -> Result<String> {
    let shown = show(command);
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start `{shown}`"))?;
    if !output.status.success() {
        bail!("`{shown}` failed ({}): {}", output.status, String::from_utf8_lossy(&output.stdout));
    }
    String::from_utf8(output.stdout).with_context(|| format!("`{shown}` did not print UTF-8"))
}

/// The command as one would type it, with the variables that were added for it.
pub(crate) fn show(command: &Command) -> String {
    let variables = command
        .get_envs()
        .filter(|(name, _)| *name != "CARGO_TARGET_DIR")
        .filter_map(|(name, value)| Some(format!("{}={}", name.display(), quote(value?))));
    let words = std::iter::once(command.get_program()).chain(command.get_args()).map(quote);
    variables.chain(words).collect::<Vec<_>>().join(" ")
}

fn quote(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    if word.contains(char::is_whitespace) { format!("'{word}'") } else { word.into_owned() }
}

/// Whether a program of this name is in the search path.
pub(crate) fn is_installed(program: &str) -> bool {
    std::env::var_os("PATH").is_some_and(|path| {
        std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_typed() {
        let mut command = Command::new("cargo");
        command.args(["test", "two words"]).env("CARGO_TARGET_DIR", "t").env("PITREE_SEED", "7");
        assert_eq!(show(&command), "PITREE_SEED=7 cargo test 'two words'");
    }
}
