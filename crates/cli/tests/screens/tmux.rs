//! The real program in a real terminal: tmux presses keys and reads the screen.

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// So long the screen has to show what is expected.
const PATIENCE: Duration = Duration::from_secs(20);

/// A terminal with a shell in it; gone when it is dropped.
pub(crate) struct Terminal {
    /// The folder of the server's socket, so that no other tmux is met.
    folder: TempDir,
}

impl Terminal {
    /// A terminal of 80 by 24 with a plain shell; `None` if there is no tmux.
    pub(crate) fn open(test: &str, home: &Path, directory: &Path) -> Option<Self> {
        if Command::new("tmux").arg("-V").output().is_err() {
            pitree_testkit::tell(&format!("skipped {test}: there is no `tmux`"));
            return None;
        }
        let terminal = Self { folder: tempfile::tempdir().unwrap() };
        let home = format!("HOME={}", home.display());
        let shell =
            ["env", "-i", &home, "TERM=tmux-256color", "LC_ALL=C.UTF-8", "PS1=$ ", "/bin/sh"];
        let directory = directory.to_str().unwrap();
        let new = ["-f", "/dev/null", "new-session", "-d", "-s", "t", "-x", "80", "-y", "24"];
        terminal.tmux(&[&new[..], &["-c", directory], &shell].concat());
        terminal.wait_for("$");
        Some(terminal)
    }

    /// Types a line into the shell.
    pub(crate) fn run(&self, command: &str) {
        self.type_text(command);
        self.press("Enter");
    }

    /// Presses keys by the names that tmux has for them: `Enter`, `C-d`, `Down`.
    pub(crate) fn press(&self, keys: &str) -> &Self {
        for key in keys.split(' ') {
            self.tmux(&["send-keys", "-t", "t", key]);
        }
        self
    }

    pub(crate) fn type_text(&self, text: &str) -> &Self {
        self.tmux(&["send-keys", "-t", "t", "-l", text]);
        self
    }

    pub(crate) fn resize(&self, columns: u16, rows: u16) {
        let (columns, rows) = (columns.to_string(), rows.to_string());
        self.tmux(&["resize-window", "-t", "t", "-x", &columns, "-y", &rows]);
    }

    pub(crate) fn screen(&self) -> String {
        String::from_utf8(self.tmux(&["capture-pane", "-p", "-t", "t"]).stdout).unwrap()
    }

    /// The same with the sequences of its colors.
    pub(crate) fn colored_screen(&self) -> String {
        String::from_utf8(self.tmux(&["capture-pane", "-p", "-e", "-t", "t"]).stdout).unwrap()
    }

    /// The same with lines that were wrapped in one piece.
    pub(crate) fn joined_screen(&self) -> String {
        String::from_utf8(self.tmux(&["capture-pane", "-p", "-J", "-t", "t"]).stdout).unwrap()
    }

    /// Writes all that the terminal is sent from now on into a file.
    pub(crate) fn record(&self, file: &Path) {
        self.tmux(&["pipe-pane", "-t", "t", &format!("cat >'{}'", file.display())]);
    }

    /// Lets programs put text into the clipboard, which tmux keeps to itself otherwise.
    pub(crate) fn accept_clipboard(&self) {
        self.tmux(&["set-option", "-s", "set-clipboard", "on"]);
    }

    /// What a program has put into the clipboard.
    pub(crate) fn clipboard(&self) -> String {
        String::from_utf8(self.tmux(&["show-buffer"]).stdout).unwrap()
    }

    /// The value of `TMUX` for programs in this terminal, whose shell has an empty environment.
    pub(crate) fn tmux_variable(&self) -> String {
        let format = "#{socket_path},#{pid},0";
        let value = self.tmux(&["display-message", "-p", "-t", "t", format]).stdout;
        String::from_utf8(value).unwrap().trim_end().to_owned()
    }

    #[track_caller]
    pub(crate) fn wait_for(&self, text: &str) -> &Self {
        self.wait_until(text, |screen| screen.contains(text))
    }

    #[track_caller]
    pub(crate) fn wait_until_gone(&self, text: &str) -> &Self {
        self.wait_until(text, |screen| !screen.contains(text))
    }

    #[track_caller]
    pub(crate) fn wait_until(&self, what: &str, is_so: impl Fn(&str) -> bool) -> &Self {
        let begun = Instant::now();
        while !is_so(&self.screen()) {
            assert!(begun.elapsed() < PATIENCE, "never: {what}\n{}", self.screen());
            std::thread::sleep(Duration::from_millis(20));
        }
        self
    }

    fn tmux(&self, arguments: &[&str]) -> Output {
        let socket = self.folder.path().join("socket");
        let output =
            Command::new("tmux").env_remove("TMUX").arg("-S").arg(socket).args(arguments).output();
        let output = output.unwrap();
        let complaint = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {complaint}");
        output
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let socket = self.folder.path().join("socket");
        let _ = Command::new("tmux").arg("-S").arg(socket).arg("kill-server").output();
    }
}
