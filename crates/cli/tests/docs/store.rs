//! The machine on which the commands of a page run: Ana's, with the sessions of the tour.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use pitree_testkit::planted_secrets;
use serde_json::json;

use crate::common::{Sandbox, VERSION_1};

const FORECAST: &str = include_str!("../../src/verbs/demo/sample/forecast.jsonl");
const WIND: &str = include_str!("../../src/verbs/demo/sample/wind.jsonl");
const TEAM: &str = include_str!("team.jsonl");

/// What stands for a word that the reader replaces. The session has branches and a damaged line, and
/// the entry is one of the user's messages.
const PLACEHOLDERS: [(&str, &str); 4] =
    [("FILE", "019cadd3"), ("ENTRY", "b3e7a20c"), ("DIR", "data"), ("OTHER", "019cb2b8")];

/// Programs that pitree or a page starts, as short scripts.
const PROGRAMS: [(&str, &str); 3] = [
    ("pi", "echo \"pi $*\""),
    ("llm", "cat > /dev/null; echo 'The forecast shows five days, from a JSON cache.'"),
    ("less", "cat"),
];

/// A home with sessions, programs and a project.
pub(super) struct Store {
    sandbox: Sandbox,
    placeholders: Vec<(&'static str, &'static str)>,
}

/// A session in which somebody pasted a key.
fn with_key() -> String {
    let key = planted_secrets(1).into_iter().find(|planted| planted.kind == "github-pat").unwrap();
    let header = json!({
        "type": "session", "version": 3, "id": "019cb5a1-70c2-7d1b-9f35-8be2046cd177",
        "timestamp": "2026-03-03T20:11:00.000Z", "cwd": "/home/ana/projects/weather",
    });
    let message = json!({
        "type": "message", "id": "4a9d17c3", "parentId": null,
        "timestamp": "2026-03-03T20:11:02.000Z",
        "message": {"role": "user", "content": format!("Deploy it. The token is {}", key.secret)},
    });
    format!("{header}\n{message}\n")
}

/// Writes a file that nobody has touched for a while.
fn write_old(path: &Path, text: &str) {
    fs_err::write(path, text).unwrap();
    let file = fs_err::OpenOptions::new().write(true).open(path).unwrap();
    let long_ago = SystemTime::now() - Duration::from_secs(3600);
    file.set_modified(long_ago).unwrap();
}

/// How a command ended, and what it wrote to both of its outputs.
pub(super) struct Ran {
    pub(super) code: Option<i32>,
    pub(super) output: String,
}

impl Store {
    pub(super) fn new(page: &str) -> Self {
        let sandbox = Sandbox::new();
        let mut placeholders = PLACEHOLDERS.to_vec();
        if page.ends_with("subagents.md") {
            placeholders[0].1 = "team.jsonl";
        }
        if page.ends_with("compaction.md") || page.ends_with("summarizers.md") {
            // The session is short; so that there is something to summarize, little is kept.
            let settings = r#"{"compaction":{"keepRecentTokens":10}}"#;
            let _ = sandbox.write("home/.pi/agent/settings.json", settings);
        }
        let store = Self { sandbox, placeholders };
        fs_err::create_dir_all(store.project()).unwrap();
        store.session("2026-03-02T09-14-07-312Z_019cadd3-8850-7c41-9a5e-3f0b6d18e274", FORECAST);
        store.session("2026-03-03T08-02-51-940Z_019cb2b8-a7a4-7193-8d2f-64a8c05be91d", WIND);
        // Files that are not among the sessions of the project.
        for (name, text) in [
            ("old.jsonl", VERSION_1),
            ("deploy.jsonl", &with_key()),
            ("from-ana.jsonl", &WIND.replace("019cb2b8-", "019cb9e6-")),
            ("team.jsonl", TEAM),
        ] {
            write_old(&store.project().join(name), &store.localized(text));
        }
        for (name, script) in PROGRAMS {
            let path =
                store.sandbox.write(&format!("bin/{name}"), &format!("#!/bin/sh\n{script}\n"));
            fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        store
    }

    fn project(&self) -> PathBuf {
        self.sandbox.home().join("projects/weather")
    }

    /// The folder of the project's sessions, below that of all sessions.
    fn folder_name(&self) -> String {
        format!("-{}--", self.project().to_string_lossy().replace('/', "-"))
    }

    /// A text of Ana's machine as it is on this one.
    fn localized(&self, text: &str) -> String {
        let text = text.replace("--home-ana-projects-weather--", &self.folder_name());
        text.replace("/home/ana", self.sandbox.home().to_str().unwrap())
    }

    fn session(&self, name: &str, text: &str) {
        let sessions = self.sandbox.home().join(".pi/agent/sessions");
        let folder = sessions.join(self.folder_name());
        fs_err::create_dir_all(&folder).unwrap();
        write_old(&folder.join(format!("{name}.jsonl")), &self.localized(text));
    }

    /// Runs a command in the project, as the shell reads it.
    pub(super) fn run(&mut self, command: &str) -> Ran {
        let command = self.resolved(command);
        let program = Path::new(env!("CARGO_BIN_EXE_pitree")).parent().unwrap();
        let path = format!(
            "{}:{}:/usr/local/bin:/usr/bin:/bin",
            self.sandbox.path("bin").display(),
            program.display()
        );
        let output = Command::new("/bin/sh")
            .args(["-c", &format!("exec 2>&1\n{command}")])
            .env_clear()
            .env("HOME", self.sandbox.home())
            .env("PATH", path)
            .env("TZ", "UTC")
            .env("TERM", "xterm-256color")
            .env("EDITOR", "vim")
            .env("LC_ALL", "C.UTF-8")
            .env("TMPDIR", self.sandbox.path("tmp"))
            .current_dir(self.project())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let text = text.replace(&self.folder_name(), "--home-ana-projects-weather--");
        let bin = self.sandbox.path("bin");
        let text = text.replace(bin.to_str().unwrap(), "/usr/local/bin");
        let text = text.replace(self.sandbox.home().to_str().unwrap(), "/home/ana");
        Ran { code: output.status.code(), output: text }
    }

    /// The command with sessions, entries and folders for the words that stand for them.
    fn resolved(&self, command: &str) -> String {
        let mut resolved = command.to_owned();
        for (word, value) in &self.placeholders {
            let mut parts = Vec::new();
            for part in resolved.split(' ') {
                parts.push(if part == *word { value } else { part });
            }
            resolved = parts.join(" ");
        }
        resolved
    }
}
