//! The pictures of commands in the documentation, taken from a real terminal. `PITREE_BLESS=1`
//! redraws them.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use pitree_format::js::date::{format_iso, parse_iso};
use pitree_testkit::{picture, terminal};
use tempfile::TempDir;

use crate::screens::tmux::Terminal;

const COLUMNS: u16 = 92;

const SONNET: (&str, &str) = ("anthropic", "claude-sonnet-4-5");
const MINI: (&str, &str) = ("openai", "gpt-5-mini");

/// A request: when, to which model, and what it cost.
type Request = (i64, (&'static str, &'static str), f64);

/// A home with sessions in several projects.
struct Home {
    folder: TempDir,
}

impl Home {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Writes a session and returns its file.
    fn session(
        &self,
        id: &str,
        project: &str,
        name: &str,
        parent: Option<&Path>,
        requests: &[Request],
    ) -> PathBuf {
        let cwd = self.path().join(project);
        fs_err::create_dir_all(&cwd).unwrap();
        let encoded = format!("-{}--", cwd.to_string_lossy().replace('/', "-"));
        let folder = self.path().join(".pi/agent/sessions").join(encoded);
        fs_err::create_dir_all(&folder).unwrap();
        let begin = format_iso(requests[0].0);
        let parent = parent.map(|path| format!(r#","parentSession":"{}""#, path.display()));
        let mut text = format!(
            r#"{{"type":"session","version":3,"id":"{id}-0000-7000-8000-00000000000a","timestamp":"{begin}","cwd":"{}"{}}}
{{"type":"session_info","id":"00000000","parentId":null,"timestamp":"{begin}","name":"{name}"}}
"#,
            cwd.display(),
            parent.unwrap_or_default(),
        );
        for (number, ((ms, (provider, model), cost), at)) in requests.iter().zip(1..).enumerate() {
            let (time, before, user) = (format_iso(*ms), number * 2, number * 2 + 1);
            text += &format!(
                r#"{{"type":"message","id":"{user:08}","parentId":"{before:08}","timestamp":"{time}","message":{{"role":"user","content":"{name}, {at}","timestamp":{ms}}}}}
{{"type":"message","id":"{:08}","parentId":"{user:08}","timestamp":"{time}","message":{{"role":"assistant","content":[{{"type":"text","text":"Done."}}],"api":"x","provider":"{provider}","model":"{model}","usage":{{"input":{},"output":900,"cacheRead":0,"cacheWrite":0,"totalTokens":{},"cost":{{"total":{cost}}}}},"stopReason":"stop","timestamp":{ms}}}}}
"#,
                user + 1,
                (cost * 250_000.0) as u64,
                (cost * 250_000.0) as u64 + 900,
            );
        }
        let path = folder.join(format!("{}_{id}.jsonl", begin.replace([':', '.'], "-")));
        fs_err::write(&path, text).unwrap();
        path
    }

    /// Puts one of the sessions of the tour among the others, which it may be a fork of.
    fn sample(&self, file: &str, text: &str) {
        let text = text.replace("/home/ana/.pi/", &format!("{}/.pi/", self.path().display()));
        let folder = self.path().join(".pi/agent/sessions/--home-ana-projects-weather--");
        fs_err::create_dir_all(&folder).unwrap();
        fs_err::write(folder.join(file), text).unwrap();
    }

    /// Runs a command in a terminal and compares what is seen with the picture in the docs.
    fn compare(&self, name: &str, rows: u16, command: &str) {
        let directory = self.path().join("projects/weather");
        fs_err::create_dir_all(&directory).unwrap();
        let test = format!("the picture of `{command}`");
        let Some(shell) = Terminal::open(&test, self.path(), &directory) else { return };
        shell.resize(COLUMNS, rows);
        let program = env!("CARGO_BIN_EXE_pitree");
        let ready = "echo ready-$((40 + 2))";
        shell.run(&format!("pitree() {{ {program} \"$@\"; }}; export TZ=UTC; {ready}"));
        // The screen is as empty before this as after it: what is typed too early is cleared away.
        shell.wait_for("ready-42").run("clear");
        shell.wait_until("clear", |screen| screen.trim() == "$");
        shell.run(command);
        let is_done = |screen: &str| screen.trim_end().ends_with("\n$");
        shell.wait_until("the prompt after it", is_done);
        let seen = shell.colored_screen();
        let (seen, _prompt) = seen.rsplit_once('$').unwrap();
        compare_drawn(name, seen);
    }
}

/// Compares what a terminal shows with the picture in the docs.
fn compare_drawn(name: &str, seen: &str) {
    let drawn = picture(&terminal(COLUMNS, seen));
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = root.join(format!("docs/pictures/{name}.svg"));
    if std::env::var("PITREE_BLESS").is_ok_and(|value| value == "1") {
        fs_err::write(&path, drawn).unwrap();
        return;
    }
    let before = fs_err::read_to_string(&path).unwrap_or_default();
    assert!(
        drawn == before,
        "{} is not what the terminal shows (PITREE_BLESS=1 redraws it)\n{seen}",
        path.display(),
    );
    let pages = crate::reference::pages();
    let link = format!("pictures/{name}.svg)");
    assert!(pages.iter().any(|(_, text)| text.contains(&link)), "no page shows {name}.svg");
}

#[test]
fn the_list() {
    let home = Home::new();
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap();
    // In the middle of a unit, so that the age is the same a minute later.
    let ago = |hours: f64| {
        let span = Duration::from_secs_f64(hours * 3600.0);
        i64::try_from((now - span).as_millis()).unwrap()
    };
    let forecast = home.session(
        "019cadd3",
        "projects/weather",
        "Five-day forecast",
        None,
        &[(ago(31.0), SONNET, 0.12), (ago(30.5), MINI, 0.04)],
    );
    home.session(
        "019cb2b8",
        "projects/weather",
        "Forecast with wind",
        Some(&forecast),
        &[(ago(2.5), SONNET, 0.10)],
    );
    for (id, project, name, hours, cost) in [
        ("019cae01", "projects/shop", "Checkout fails on empty carts", 5.5, 1.37),
        ("019c9f10", "projects/weather", "Print the week as a table", 84.0, 0.31),
        ("019c8a51", "projects/shop", "Move the tests to pytest", 260.0, 2.84),
        ("019c62e7", "dotfiles", "A prompt with the git branch", 420.0, 0.07),
    ] {
        home.session(id, project, name, None, &[(ago(hours), SONNET, cost)]);
    }
    home.compare("list", 12, "pitree list --scope all --sort threaded");
}

#[test]
fn the_cost() {
    let home = Home::new();
    let days = [
        ("02", 1.92, 0.31),
        ("03", 4.05, 0.12),
        ("04", 0.64, 0.88),
        ("05", 7.31, 1.04),
        ("06", 5.20, 0.40),
    ];
    let at = |day: &str, time: &str| {
        parse_iso(format!("2026-03-{day}T{time}:00.000Z").as_bytes()).unwrap()
    };
    let of_sonnet: Vec<Request> =
        days.iter().map(|(day, cost, _)| (at(day, "09:14"), SONNET, *cost)).collect();
    let of_mini: Vec<Request> =
        days.iter().map(|(day, _, cost)| (at(day, "15:40"), MINI, *cost)).collect();
    home.session("019cadd3", "projects/weather", "Five-day forecast", None, &of_sonnet);
    home.session("019cae01", "projects/shop", "Checkout fails", None, &of_mini);
    home.compare("cost", 20, "pitree cost --budget 5/day");
}

#[test]
fn the_help() {
    Home::new().compare("help", 120, "pitree --help");
}

#[test]
fn the_statistics() {
    let home = Home::new();
    let forecast = include_str!("../../src/verbs/demo/sample/forecast.jsonl");
    let wind = include_str!("../../src/verbs/demo/sample/wind.jsonl");
    home.sample("2026-03-02T09-14-07-312Z_019cadd3-8850-7c41-9a5e-3f0b6d18e274.jsonl", forecast);
    home.sample("2026-03-03T08-02-51-940Z_019cb2b8-a7a4-7193-8d2f-64a8c05be91d.jsonl", wind);
    home.compare("stats", 80, "pitree stats --top 3");
}

/// What version 0.1.0 printed for the same sessions, as it was recorded then.
#[test]
fn the_screens_of_version_0_1_0() {
    compare_drawn("before-list", include_str!("before/list.txt"));
    compare_drawn("before-cost", include_str!("before/cost.txt"));
    compare_drawn("before-help", include_str!("before/help.txt"));
}
