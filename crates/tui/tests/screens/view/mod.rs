//! The session view.

mod agent;
mod changes;
mod commands;
mod hostile;
mod open_screens;
mod pi;
mod reader;
mod reading;
mod shared_index;
mod slow;
mod summaries;

use std::path::{Path, PathBuf};

use pitree_session::{Environment, Session};
use pitree_tui::state::AppState;
use pitree_tui::view::SessionView;
use tempfile::TempDir;

use crate::screens::harness::{Driven, environment, state};

/// A home with one session, and the environment of a program that runs in it.
pub(crate) struct Home {
    pub(crate) folder: TempDir,
    pub(crate) file: PathBuf,
    pub(crate) environment: Environment,
}

impl Home {
    /// A session of these entries, each after the one before it, in the directory `~/project`.
    pub(crate) fn with(entries: &[String]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path();
        let cwd = home.join("project");
        fs_err::create_dir_all(&cwd).unwrap();
        let environment = environment(home, &cwd);
        let sessions =
            state(&environment, &home.join("sessions")).store.locations()[0].directory_for(&cwd);
        fs_err::create_dir_all(&sessions).unwrap();
        let file = sessions.join("2026-02-03T22-00-00-000Z_0190aaaa.jsonl");
        let header = format!(
            r#"{{"type":"session","version":3,"id":"0190aaaa","timestamp":"2026-02-03T22:00:00.000Z","cwd":"{}"}}"#,
            cwd.display()
        );
        let mut text = header + "\n";
        for (at, entry) in entries.iter().enumerate() {
            text.push_str(&line(at, entry));
        }
        fs_err::write(&file, text).unwrap();
        Self { folder, file, environment }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The folder with the session.
    pub(crate) fn sessions(&self) -> &Path {
        self.file.parent().unwrap()
    }

    pub(crate) fn state(&self) -> AppState {
        let mut state = state(&self.environment, &self.path().join("sessions"));
        state.begin(Session::open(&self.file, &self.environment).unwrap()).unwrap();
        state
    }

    /// The view of the session.
    pub(crate) fn view(&self, size: (u16, u16)) -> Driven {
        view_of(self.state(), size)
    }

    /// The lines of the session's file.
    pub(crate) fn lines(&self) -> Vec<serde_json::Value> {
        lines_of(&self.file)
    }

    /// What another program appends after the entry before it.
    pub(crate) fn append(&self, at: usize, entry: &str) {
        self.append_line(&line(at, entry));
    }

    pub(crate) fn append_line(&self, line: &str) {
        use std::io::Write;
        let mut file = fs_err::OpenOptions::new().append(true).open(&self.file).unwrap();
        file.write_all(line.as_bytes()).unwrap();
    }
}

/// The view with the composer open.
pub(crate) fn view_of(mut state: AppState, size: (u16, u16)) -> Driven {
    state.opens_writing = true;
    reader_of(state, size)
}

/// The view as it opens by default.
pub(crate) fn reader_of(state: AppState, size: (u16, u16)) -> Driven {
    let view = SessionView::new(&state);
    Driven::new(state, Box::new(view), size)
}

/// Types a command and runs it.
pub(crate) fn run(driven: &mut Driven, command: &str) {
    driven.type_text(command);
    // The list of commands would take the first Enter for a choice.
    driven.press("Esc Enter");
}

pub(crate) fn lines_of(file: &Path) -> Vec<serde_json::Value> {
    let text = fs_err::read_to_string(file).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// An entry with its id, parent and time. `entry` is what stands after them, without its brackets.
pub(crate) fn line(at: usize, entry: &str) -> String {
    let parent = match at {
        0 => "null".to_owned(),
        at => format!("\"{:08x}\"", at - 1),
    };
    let minute = at % 60;
    format!(
        "{{\"id\":\"{at:08x}\",\"parentId\":{parent},\"timestamp\":\"2026-02-03T22:{minute:02}:00.000Z\",{entry}}}\n"
    )
}

pub(crate) fn user(text: &str) -> String {
    let text = serde_json::Value::from(text);
    format!(r#""type":"message","message":{{"role":"user","content":{text},"timestamp":1}}"#)
}

pub(crate) fn answer(text: &str) -> String {
    let block = format!(r#"{{"type":"text","text":{}}}"#, serde_json::Value::from(text));
    answer_of(&block)
}

/// An answer of these blocks.
pub(crate) fn answer_of(blocks: &str) -> String {
    format!(
        r#""type":"message","message":{{"role":"assistant","content":[{blocks}],"provider":"anthropic","model":"claude-sonnet-4-5","usage":{{"input":1000,"output":200,"cacheRead":0,"cacheWrite":0,"totalTokens":1200,"cost":{{"total":0.0123}}}},"stopReason":"stop","timestamp":2}}"#
    )
}
