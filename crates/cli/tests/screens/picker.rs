//! The resume picker: search, delete, choose, and the terminal as it was found.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use crate::screens::tmux::Terminal;

/// A home directory with a project and three sessions of it.
pub(crate) struct Home {
    folder: TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        let home = Self::empty();
        home.session("s-one", 30, "fix the login page");
        home.session("s-two", 20, "why does it fail");
        home.session("s-three", 10, "write a parser for dates");
        home
    }

    /// The same without sessions.
    pub(crate) fn empty() -> Self {
        let home = Self { folder: tempfile::tempdir().unwrap() };
        for name in ["project", "sessions", "bin", "trash"] {
            fs_err::create_dir(home.path(name)).unwrap();
        }
        home.program("trash", &format!("mv \"$1\" '{}'", home.path("trash").display()));
        home.program("pi", "echo \"pi $PWD $*\"; read answer; echo \"heard $answer\"; read more");
        home
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn session_file(&self, id: &str) -> PathBuf {
        self.path(&format!("sessions/{id}.jsonl"))
    }

    fn session(&self, id: &str, minutes: u64, said: &str) {
        let time = SystemTime::now() - Duration::from_secs(60 * minutes);
        let ms = time.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis();
        let cwd = self.path("project");
        let text = format!(
            "{{\"type\":\"session\",\"version\":3,\"id\":\"{id}\",\"cwd\":\"{}\"}}\n{{\"type\":\"message\",\"id\":\"a\",\"parentId\":null,\"message\":{{\"role\":\"user\",\"content\":\"{said}\",\"timestamp\":{ms}}}}}\n",
            cwd.display()
        );
        fs_err::write(self.session_file(id), text).unwrap();
        let file = fs_err::OpenOptions::new().append(true).open(self.session_file(id)).unwrap();
        file.file().set_modified(time).unwrap();
    }

    pub(crate) fn program(&self, name: &str, script: &str) {
        let path = self.path("bin").join(name);
        fs_err::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs_err::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    }

    /// A terminal in which `go` runs the command and then says how it ended and whether the
    /// terminal is as it was.
    pub(crate) fn terminal(&self, test: &str) -> Option<Terminal> {
        let terminal = Terminal::open(test, self.folder.path(), &self.path("project"))?;
        let pitree = Path::new(env!("CARGO_BIN_EXE_pitree"));
        // The shell survives Ctrl+C, and leaves the number of the process behind.
        let script = format!(
            r#"PATH='{}':/usr/bin:/bin; export PATH; trap : INT
before=$(stty -g)
sh -c 'echo $$ >../pid; exec "$@"' sh '{}' --session-dir ../sessions "$@"
echo "ended with $?"
[ "$before" = "$(stty -g)" ] && echo 'as it was'"#,
            self.path("bin").display(),
            pitree.display()
        );
        self.program("go", &script);
        Some(terminal)
    }
}

pub(crate) const GO: &str = "../bin/go";

#[test]
fn search_delete_and_choose() {
    let home = Home::new();
    let Some(terminal) = home.terminal("search_delete_and_choose") else { return };
    terminal.run(&format!("{GO} resume --print"));
    terminal.wait_for("› write a parser");
    terminal.press("C-d");
    terminal.wait_for("Delete “write a parser for dates”?");
    terminal.press("n");
    terminal.wait_for("Enter resume in Pi");
    // A question takes only keys that were pressed after it was drawn.
    terminal.press("C-d");
    terminal.wait_for("Delete “write a parser for dates”?");
    terminal.press("Escape");
    terminal.wait_for("Enter resume in Pi");
    assert!(home.session_file("s-three").exists());
    terminal.press("C-d");
    terminal.wait_for("Delete “write a parser for dates”?");
    terminal.press("y");
    terminal.wait_for("moved to the trash");
    assert!(!home.session_file("s-three").exists());
    assert!(home.path("trash/s-three.jsonl").exists());
    terminal.type_text("login");
    terminal.wait_for("› fix the login page");
    terminal.resize(130, 30);
    terminal.wait_for("│ fix the login page");
    terminal.press("Enter");
    terminal.wait_for("as it was");
    let screen = terminal.screen();
    assert!(screen.contains("ended with 0"), "{screen}");
    assert!(screen.contains("--session"), "{screen}");
    assert!(screen.contains("s-one.jsonl"), "{screen}");
}

#[test]
fn pi_gets_the_terminal_and_gives_it_back() {
    let home = Home::new();
    let Some(terminal) = home.terminal("pi_gets_the_terminal_and_gives_it_back") else { return };
    terminal.run(GO);
    terminal.wait_for("› write a parser");
    terminal.press("C-o");
    terminal.wait_for("--session");
    terminal.type_text("hello");
    terminal.press("Enter");
    terminal.wait_for("heard hello");
    // Ctrl+C is for the program that has the terminal.
    terminal.press("C-c");
    terminal.wait_for("› write a parser");
    terminal.press("Down");
    terminal.wait_for("› why does it fail");
    terminal.press("C-c");
    terminal.wait_for("as it was");
}

#[test]
fn resume_resumes_with_enter_and_reads_with_control_o() {
    let home = Home::new();
    let Some(terminal) = home.terminal("resume_resumes_with_enter") else { return };
    terminal.run(&format!("{GO} resume"));
    terminal.wait_for("› write a parser").wait_for("Enter resume in Pi · ^O read");
    terminal.press("Down").wait_for("› why does it fail");
    terminal.press("C-o").wait_for("reading").wait_for("why does it fail");
    assert!(!terminal.screen().contains("--session"), "Pi is not started to read");
    terminal.press("q").wait_for("as it was");
    terminal.run(&format!("clear; {GO} resume"));
    terminal.wait_for("› write a parser").press("Enter");
    terminal.wait_for("--session").wait_for("s-three.jsonl");
    terminal.type_text("hello").press("Enter").wait_for("heard hello");
    terminal.press("Enter").wait_for("ended with 0");
}

#[test]
fn words_that_fit_several_sessions_or_only_their_messages_are_in_the_search_field() {
    let home = Home::new();
    home.session("s-four", 5, "write a lexer for dates");
    let answer = r#"{"type":"message","id":"b","parentId":"a","message":{"role":"assistant","content":[{"type":"text","text":"the xylophone is out of tune"}],"timestamp":1}}"#;
    let file = home.session_file("s-one");
    let text = fs_err::read_to_string(&file).unwrap();
    fs_err::write(&file, format!("{text}{answer}\n")).unwrap();
    let Some(terminal) = home.terminal("words_that_fit_several_sessions") else { return };
    terminal.run(&format!("{GO} resume dates --print"));
    terminal.wait_for("/ dates").wait_for("› write a").wait_until_gone("fix the login page");
    terminal.press("C-c").wait_for("as it was");
    // No name, first message or directory has this word.
    terminal.run(&format!("clear; {GO} resume xylophone --print"));
    terminal.wait_for("/ xylophone").wait_for("› fix the login page");
    terminal.wait_until_gone("write a").press("Enter").wait_for("as it was");
    let screen = terminal.joined_screen();
    assert!(screen.contains("s-one.jsonl") && screen.contains("ended with 0"), "{screen}");
    // A number is one of a list.
    terminal.run(&format!("clear; {GO} resume xylophone --pick 1"));
    terminal.wait_for("No session found matching").wait_for("ended with 1");
}

#[test]
fn the_configuration_may_begin_with_a_search() {
    let home = Home::new();
    let Some(terminal) = home.terminal("the_configuration_may_begin_with_a_search") else { return };
    fs_err::create_dir_all(home.path(".config/pitree")).unwrap();
    let config = home.path(".config/pitree/config.json");
    fs_err::write(&config, r#"{"picker": {"start": "search"}}"#).unwrap();
    terminal.run(GO);
    terminal.wait_for("› write a parser").type_text("jk").wait_for("/ jk");
    terminal.press("C-u").type_text("login").wait_for("› fix the login page");
    terminal.press("C-c").wait_for("as it was");
    fs_err::write(&config, r#"{"picker": {"start": "list"}}"#).unwrap();
    terminal.run(&format!("clear; {GO}"));
    terminal.wait_for("› write a parser").press("j").wait_for("› why does it fail");
    terminal.press("C-c").wait_for("as it was");
}

#[test]
fn a_signal_leaves_the_terminal_as_it_was() {
    let home = Home::new();
    let Some(terminal) = home.terminal("a_signal_leaves_the_terminal_as_it_was") else { return };
    for (signal, code) in [("TERM", 143), ("HUP", 129), ("INT", 130)] {
        terminal.run(&format!("clear; {GO} resume"));
        terminal.wait_for("› write a parser");
        let pid = fs_err::read_to_string(home.path("pid")).unwrap();
        let kill = Command::new("kill").args(["-s", signal, pid.trim()]).status().unwrap();
        assert!(kill.success());
        terminal.wait_for("as it was");
        let screen = terminal.screen();
        assert!(screen.contains(&format!("ended with {code}")), "{screen}");
    }
}

#[test]
fn the_users_keys_count_on_the_screen() {
    let home = Home::new();
    let Some(terminal) = home.terminal("the_users_keys_count") else { return };
    let write = |path: &str, text: &str| {
        let path = home.path(path);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    };
    write(".pi/agent/keybindings.json", r#"{"app.session.rename": "f2"}"#);
    write(".config/pitree/config.json", r#"{"keys": {"picker.openInPi": "f3"}}"#);
    terminal.run(&format!("clear; {GO}"));
    terminal.wait_for("F3 resume in Pi");
    // While the list is loading the key only says so.
    terminal.wait_until("Name", |screen| {
        let is_asked = screen.contains("Name");
        if !is_asked {
            terminal.press("F2");
        }
        is_asked
    });
    terminal.press("Escape");
    terminal.wait_for("F3 resume in Pi");
    terminal.press("C-c");
    terminal.wait_for("as it was");
    write(".config/pitree/config.json", r#"{"keys": {"picker.renam": "f3"}}"#);
    terminal.run(&format!("clear; {GO}"));
    terminal.wait_for("did you mean `picker.rename`?").wait_for("as it was");
}
