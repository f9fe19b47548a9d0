//! What somebody wants to get done, from the prompt of the shell to the result, with the keys that
//! it takes.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::screens::picker::{GO, Home};
use crate::screens::tmux::Terminal;

const FORECAST: &str = include_str!("../../src/verbs/demo/sample/forecast.jsonl");

/// A folder of sessions that `go` shows, as [`Home`] has one, without sessions.
struct Desk {
    home: Home,
}

impl Desk {
    fn new() -> Self {
        Self { home: Home::empty() }
    }

    /// Writes a session that was changed so many hours ago. Its lines are `LINE`s of JSON without
    /// ids: each follows the one before it.
    fn session(&self, id: &str, hours_ago: u64, entries: &[String]) -> PathBuf {
        let cwd = self.home.path("project");
        let header =
            format!(r#"{{"type":"session","version":3,"id":"{id}","cwd":"{}"}}"#, cwd.display());
        let mut text = header + "\n";
        let mut parent = "null".to_owned();
        for (at, entry) in entries.iter().enumerate() {
            let time = format!("2026-03-{:02}T10:{:02}:00.000Z", 28 - hours_ago.min(27), at);
            text += &format!(
                "{{\"id\":\"{at:08x}\",\"parentId\":{parent},\"timestamp\":\"{time}\",{entry}}}\n"
            );
            parent = format!("\"{at:08x}\"");
        }
        self.write(id, hours_ago, &text)
    }

    fn write(&self, id: &str, hours_ago: u64, text: &str) -> PathBuf {
        let path = self.home.session_file(id);
        fs_err::write(&path, text).unwrap();
        let file = fs_err::OpenOptions::new().append(true).open(&path).unwrap();
        let time = SystemTime::now() - Duration::from_secs(3600 * hours_ago + 1800);
        file.file().set_modified(time).unwrap();
        path
    }

    fn terminal(&self, test: &str) -> Option<Terminal> {
        let terminal = self.home.terminal(test)?;
        terminal.run(GO);
        Some(terminal)
    }
}

fn user(text: &str) -> String {
    format!(r#""type":"message","message":{{"role":"user","content":"{text}"}}"#)
}

fn reply(text: &str) -> String {
    blocks(&format!(r#"{{"type":"text","text":"{text}"}}"#))
}

fn blocks(blocks: &str) -> String {
    format!(
        r#""type":"message","message":{{"role":"assistant","content":[{blocks}],"provider":"p","model":"m","stopReason":"stop"}}"#
    )
}

fn bash(id: &str, command: &str) -> String {
    blocks(&format!(
        r#"{{"type":"toolCall","id":"{id}","name":"bash","arguments":{{"command":"{command}"}}}}"#
    ))
}

fn result(id: &str, is_error: bool, text: &str) -> String {
    format!(
        r#""type":"message","message":{{"role":"toolResult","toolCallId":"{id}","toolName":"bash","isError":{is_error},"content":[{{"type":"text","text":"{text}"}}]}}"#
    )
}

fn lines_of(path: &Path) -> Vec<serde_json::Value> {
    let text = fs_err::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Find the session where the cache was discussed, and resume it from before the idea with SQLite.
#[test]
fn resume_from_before_an_idea() {
    let desk = Desk::new();
    let cwd = desk.home.path("project");
    let text = FORECAST.replace("/home/ana/projects/weather", cwd.to_str().unwrap());
    let path = desk.write("forecast", 30, &text);
    for (at, said) in [(1, "Print the week as a table"), (2, "Why is the first call so slow?")] {
        desk.session(&format!("other-{at}"), at, &[user(said), reply("Done.")]);
    }
    let Some(terminal) = desk.terminal("resume_from_before_an_idea") else { return };
    terminal.wait_for("› Print the week").type_text("cache").wait_for("› Five-day forecast");
    // The best match is the idea itself, and the fork list begins at what is being read.
    terminal.wait_for("1/1").press("Enter").wait_for("/cache 1/5").press("f");
    terminal.wait_until("the idea", |screen| {
        screen.lines().any(|line| line.starts_with('›') && line.contains("Cache the answers"))
    });
    terminal.press("Enter").wait_for("Forked to a new session").press("C-o");
    // By habit the old idea is not sent again.
    terminal.wait_for("send it this message unchanged?").press("n").wait_for("Nothing was changed");
    terminal.type_text(" No, in one file.").wait_for("in one file.").press("C-o");
    terminal.wait_for("--session");
    let is_new = |file: &PathBuf| *file != path && file.to_string_lossy().contains("_");
    let files = fs_err::read_dir(desk.home.path("sessions")).unwrap();
    let fork = files.map(|file| file.unwrap().path()).find(is_new).unwrap();
    let lines = lines_of(&fork);
    assert_eq!(lines[0]["parentSession"], path.to_str().unwrap());
    let messages = |text: &str| {
        let lines = text.lines().filter(|line| line.contains(r#""type":"message""#));
        lines.take_while(|line| !line.contains("in SQLite")).count()
    };
    let forked = fs_err::read_to_string(&fork).unwrap();
    assert_eq!(messages(&forked), messages(&text), "all that was said before the idea");
    assert!(!forked.contains("SQLite"));
    assert_eq!(fs_err::read_to_string(&path).unwrap(), text, "the source is only read");
}

/// Find where an error first appeared, and copy the command that fixed it.
#[test]
fn copy_what_fixed_an_error() {
    let desk = Desk::new();
    let error = "ModuleNotFoundError: No module named httpx";
    let again = [user("Run it"), bash("a", "python run.py"), result("a", true, error)];
    desk.session("again", 2, &again);
    desk.session(
        "first",
        20,
        &[
            user("Run the tests"),
            bash("a", "uv run pytest"),
            result("a", true, error),
            reply("A dependency is missing."),
            bash("b", "uv add httpx && uv run pytest"),
            result("b", false, "4 passed"),
            reply("It works now."),
        ],
    );
    desk.session("other", 1, &[user("hello"), reply("hello")]);
    let Some(terminal) = desk.terminal("copy_what_fixed_an_error") else { return };
    terminal.accept_clipboard();
    terminal.wait_for("› hello").type_text("no module named").wait_for("1/2");
    // The newest first, so the last one is where it began.
    terminal.press("C-s").wait_for("recent").press("Down").wait_for("› Run the tests");
    terminal.press("Enter").wait_for("›   └ ModuleNotFoundError");
    terminal.press("Down Down Down Down").wait_for("› ▸ bash uv add httpx");
    terminal.press("Y").wait_for("The command was sent");
    assert_eq!(terminal.clipboard().trim_end(), "uv add httpx && uv run pytest");
}

/// Delete the ten oldest sessions of this project.
#[test]
fn delete_the_ten_oldest() {
    let desk = Desk::new();
    for at in 1..=13 {
        desk.session(&format!("s-{at:02}"), at, &[user(&format!("task {at}")), reply("Done.")]);
    }
    let Some(terminal) = desk.terminal("delete_the_ten_oldest") else { return };
    terminal.wait_for("› task 1 ").wait_for("1/13");
    // Up by ten from the last one is the eleventh.
    terminal.press("End PPage Down").wait_for("› task 4 ");
    terminal.press(&["Space"; 10].join(" ")).wait_for("10 marked");
    terminal.press("C-d").wait_for("Delete 10 sessions? y moves them to the trash").press("y");
    terminal.wait_for("10 sessions moved to the trash");
    let left = |name: &str| fs_err::read_dir(desk.home.path(name)).unwrap().count();
    assert_eq!((left("sessions"), left("trash")), (3, 10));
    for at in 1..=3 {
        assert!(desk.home.session_file(&format!("s-{at:02}")).exists());
    }
}

/// Give three sessions a name.
#[test]
fn rename_three() {
    let desk = Desk::new();
    for at in 1..=5 {
        desk.session(&format!("s-{at}"), at, &[user(&format!("task {at}")), reply("Done.")]);
    }
    let Some(terminal) = desk.terminal("rename_three") else { return };
    terminal.wait_for("› task 1 ").wait_for("1/5");
    terminal.press("Space Space Space").wait_for("3 marked");
    terminal
        .press("C-r")
        .wait_for("New name (1 to 3 will be added)")
        .type_text("Week 12")
        .press("Enter");
    terminal.wait_for("Week 12 1").wait_for("Week 12 2").wait_for("Week 12 3");
    for at in 1..=5 {
        let lines = lines_of(&desk.home.session_file(&format!("s-{at}")));
        let name = lines.last().unwrap()["name"].as_str().map(str::to_owned);
        assert_eq!(name, (at <= 3).then(|| format!("Week 12 {at}")));
    }
}

/// Read what the third sub-agent said last.
#[test]
fn read_the_third_sub_agent() {
    let desk = Desk::new();
    let run = |at: u64| {
        let entries =
            [user(&format!("scout {at}")), reply(&format!("I am number {at}, and done."))];
        desk.session(&format!("run-{at}"), 40 + at, &entries)
    };
    let results: Vec<String> = (1..=3)
        .map(|at| {
            let file = run(at);
            format!(
                r#"{{"agent":"scout","task":"scout {at}","exitCode":0,"messages":[],"sessionFile":"{}"}}"#,
                file.display()
            )
        })
        .collect();
    let details = format!(r#"{{"mode":"parallel","results":[{}]}}"#, results.join(","));
    let report = result("c", false, "all back")
        .replace(r#""isError":false"#, &format!(r#""isError":false,"details":{details}"#));
    let report = report.replace(r#""toolName":"bash""#, r#""toolName":"subagent""#);
    desk.session("parent", 1, &[user("Send three scouts"), report, reply("All are back.")]);
    let Some(terminal) = desk.terminal("read_the_third_sub_agent") else { return };
    terminal.wait_for("› ⊞ Send three scouts").press("Right").wait_for("scout: scout 3");
    terminal.press("Down Down Down").wait_until("the third", |screen| {
        screen.lines().any(|line| line.starts_with('›') && line.contains("scout: scout 3"))
    });
    terminal.press("Enter").wait_for("I am number 3, and done.").wait_for("reading");
}
