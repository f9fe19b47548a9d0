//! The command as a user runs it, shut off from the machine: a home of its own, a cleared
//! environment, a working directory in a temporary folder.

pub(crate) mod data_sets;

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::SystemTime;

use serde_json::Value;
use tempfile::TempDir;

use crate::schemas;

/// A session with a branch point at `bbbb0001`: the abandoned `cccc0001`, and the active
/// `dddd0001` and `dddd0002`.
pub(crate) const BRANCHED: &str = concat!(
    r#"{"type":"session","version":3,"id":"01a00000-0000-7000-8000-00000000000a","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/home/ana/projects/weather"}"#,
    "\n",
    r#"{"type":"message","id":"aaaa0001","parentId":null,"timestamp":"2026-02-03T22:52:07.000Z","message":{"role":"user","content":[{"type":"text","text":"first question"}],"timestamp":1770159127000}}"#,
    "\n",
    r#"{"type":"message","id":"bbbb0001","parentId":"aaaa0001","timestamp":"2026-02-03T22:52:08.000Z","message":{"role":"assistant","content":[{"type":"text","text":"first answer"}],"provider":"p","model":"m","usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":3,"cost":{"total":0.5}},"stopReason":"stop","timestamp":1770159128000}}"#,
    "\n",
    r#"{"type":"message","id":"cccc0001","parentId":"bbbb0001","timestamp":"2026-02-03T22:52:09.000Z","message":{"role":"user","content":"left behind","timestamp":1770159129000}}"#,
    "\n",
    r#"{"type":"message","id":"dddd0001","parentId":"bbbb0001","timestamp":"2026-02-03T22:52:10.000Z","message":{"role":"user","content":"second question","timestamp":1770159130000}}"#,
    "\n",
    r#"{"type":"message","id":"dddd0002","parentId":"dddd0001","timestamp":"2026-02-03T22:52:11.000Z","message":{"role":"assistant","content":[{"type":"text","text":"second answer"}],"provider":"p","model":"m","usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":3,"cost":{"total":0.25}},"stopReason":"stop","timestamp":1770159131000}}"#,
    "\n",
);

/// A session of version 1: a plain list, no ids.
pub(crate) const VERSION_1: &str = concat!(
    r#"{"type":"session","id":"01a00000-0000-7000-8000-000000000001","timestamp":"2025-11-20T10:00:00.000Z","cwd":"/home/ana/projects/weather","provider":"p","modelId":"m","thinkingLevel":"off"}"#,
    "\n",
    r#"{"type":"message","timestamp":"2025-11-20T10:00:01.000Z","message":{"role":"user","content":"old question","timestamp":1763632801000}}"#,
    "\n",
    r#"{"type":"message","timestamp":"2025-11-20T10:00:02.000Z","message":{"role":"assistant","content":[{"type":"text","text":"old answer"}],"provider":"p","model":"m","stopReason":"stop","timestamp":1763632802000}}"#,
    "\n",
);

/// A machine with nobody on it.
pub(crate) struct Sandbox {
    root: PathBuf,
    _folder: TempDir,
}

impl Sandbox {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = fs_err::canonicalize(folder.path()).unwrap();
        for name in ["home", "project", "tmp"] {
            fs_err::create_dir(root.join(name)).unwrap();
        }
        Self { root, _folder: folder }
    }

    /// A path in the temporary folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.path("home")
    }

    /// Where commands run.
    pub(crate) fn project(&self) -> PathBuf {
        self.path("project")
    }

    /// The folder that Pi keeps for the sessions of a project below a sessions root.
    pub(crate) fn folder_below(&self, sessions_root: &Path) -> PathBuf {
        let project = self.project().to_string_lossy().replace('/', "-");
        sessions_root.join(format!("-{project}--"))
    }

    /// The default folder for sessions of the project.
    pub(crate) fn default_folder(&self) -> PathBuf {
        self.folder_below(&self.home().join(".pi/agent/sessions"))
    }

    /// Writes a file, with the folders above it.
    pub(crate) fn write(&self, name: &str, content: &str) -> PathBuf {
        let path = self.path(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(&path, content).unwrap();
        path
    }

    /// Runs the command with these arguments.
    pub(crate) fn run<I: IntoIterator<Item: Into<OsString>>>(&self, args: I) -> Run {
        self.call(args).run()
    }

    /// The command with these arguments, not started yet.
    pub(crate) fn call<I: IntoIterator<Item: Into<OsString>>>(&self, args: I) -> Call {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pitree"));
        command
            .args(args.into_iter().map(Into::into))
            .env_clear()
            .env("HOME", self.home())
            .env("TZ", "UTC")
            .env("TMPDIR", self.path("tmp"))
            .current_dir(self.project());
        Call { command, input: Vec::new(), stderr: None }
    }

    /// The verbs that the help lists, in groups.
    pub(crate) fn verbs(&self) -> Vec<String> {
        let help = self.run(["--help"]).ok().stdout;
        let (groups, _) = help.split_once("Global options:").expect("the options follow");
        let (_, groups) = groups.split_once("\nFind:\n").expect("those used most come first");
        let lines = groups.lines().filter_map(|line| line.strip_prefix("  "));
        lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
    }
}

/// A command that is about to run.
#[must_use]
pub(crate) struct Call {
    command: Command,
    input: Vec<u8>,
    /// Where standard error goes, if not to the test.
    stderr: Option<Stdio>,
}

impl Call {
    pub(crate) fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.command.env(name, value.into());
        self
    }

    /// Several variables.
    pub(crate) fn vars(mut self, variables: &[(String, String)]) -> Self {
        let _ = self.command.envs(variables.iter().map(|(name, value)| (name, value)));
        self
    }

    /// What comes on standard input.
    pub(crate) fn input(mut self, input: &str) -> Self {
        self.input = input.into();
        self
    }

    /// Standard error goes where nobody reads it.
    pub(crate) fn closed_stderr(mut self, end: impl Into<Stdio>) -> Self {
        self.stderr = Some(end.into());
        self
    }

    /// Lets another program start it, which gets these words before the command's own.
    pub(crate) fn within(mut self, words: &[&str]) -> Self {
        let inner = std::mem::replace(&mut self.command, Command::new(words[0]));
        let command =
            self.command.args(&words[1..]).arg(inner.get_program()).args(inner.get_args());
        command.env_clear().current_dir(inner.get_current_dir().unwrap());
        command.envs(inner.get_envs().filter_map(|(name, value)| Some((name, value?))));
        self
    }

    /// Starts it with nothing to read and standard output going elsewhere.
    pub(crate) fn spawn(mut self, stdout: impl Into<Stdio>) -> Child {
        let stderr = self.stderr.take().unwrap_or_else(Stdio::piped);
        let command = self.command.stdin(Stdio::null()).stdout(stdout);
        command.stderr(stderr).spawn().unwrap()
    }

    /// Runs it with standard output going elsewhere.
    pub(crate) fn stdout(self, stdout: impl Into<Stdio>) -> Run {
        Run::of(&self.spawn(stdout).wait_with_output().unwrap())
    }

    /// Runs it. What it prints with `--json` must be what its schema says.
    #[track_caller]
    pub(crate) fn run(self) -> Run {
        self.run_and_compare().0
    }

    /// Runs it, and also gives which definitions of which schema were met.
    #[track_caller]
    pub(crate) fn run_and_compare(mut self) -> (Run, Option<(String, BTreeSet<String>)>) {
        let stderr = self.stderr.take().unwrap_or_else(Stdio::piped);
        let command = self.command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(stderr).spawn().unwrap();
        // A command that does not read its input may be gone already.
        let _ = child.stdin.take().unwrap().write_all(&self.input);
        let run = Run::of(&child.wait_with_output().unwrap());
        let met = schemas::check(&self.words(), &run);
        (run, met)
    }

    /// The words after the name of the command, whoever starts it.
    fn words(&self) -> Vec<&OsStr> {
        let words = std::iter::once(self.command.get_program()).chain(self.command.get_args());
        words.skip_while(|word| *word != env!("CARGO_BIN_EXE_pitree")).skip(1).collect()
    }
}

/// What a command said and how it ended.
#[must_use]
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    pub(crate) fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Self {
            code: output.status.code(),
            stdout: text(&output.stdout),
            stderr: text(&output.stderr),
        }
    }

    /// Insists on an exit code.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        self
    }

    /// Insists on success.
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        self.exits(0)
    }

    /// Standard output as one JSON value.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:#?}"))
    }

    /// Standard output without the line feed at its end.
    pub(crate) fn line(&self) -> &str {
        self.stdout.strip_suffix('\n').unwrap_or(&self.stdout)
    }

    /// The path that was printed.
    pub(crate) fn printed_path(&self) -> PathBuf {
        PathBuf::from(self.line())
    }
}

/// The values on the lines of a file.
#[track_caller]
pub(crate) fn lines(path: &Path) -> Vec<Value> {
    let text = fs_err::read_to_string(path).unwrap();
    assert!(text.ends_with('\n'), "the last line has no end: {text}");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The last value of a file.
#[track_caller]
pub(crate) fn last_line(path: &Path) -> Value {
    lines(path).pop().unwrap()
}

/// The permission bits of a file or folder.
#[track_caller]
pub(crate) fn mode(path: &Path) -> u32 {
    fs_err::metadata(path).unwrap().mode() & 0o777
}

/// All that must stay the same when a file is only read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Print {
    bytes: Vec<u8>,
    modified: SystemTime,
    inode: u64,
}

impl Print {
    #[track_caller]
    pub(crate) fn of(path: &Path) -> Self {
        let metadata = fs_err::metadata(path).unwrap();
        let modified = metadata.modified().unwrap();
        Self { bytes: fs_err::read(path).unwrap(), modified, inode: metadata.ino() }
    }
}

/// All files below a folder, by their names from there.
pub(crate) fn files_below(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        let Ok(entries) = fs_err::read_dir(&next) else { continue };
        for path in entries.map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                open.push(path);
            } else {
                found.push(path.strip_prefix(folder).unwrap().to_string_lossy().into_owned());
            }
        }
    }
    found.sort();
    found
}
