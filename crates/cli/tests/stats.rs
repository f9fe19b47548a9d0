//! `pitree stats` as a user runs it.

use crate::common::{BRANCHED, Sandbox, VERSION_1};
use crate::screens::tmux::Terminal;
use serde_json::{Value, json};

/// A session with tools that fail, and commands of the user.
const WORK: &str = concat!(
    r#"{"type":"session","version":3,"id":"01a00000-0000-7000-8000-00000000000c","timestamp":"2026-02-04T08:00:00.000Z","cwd":"/home/ana/projects/a-project-with-a-long-name"}"#,
    "\n",
    r#"{"type":"message","id":"a","parentId":null,"timestamp":"2026-02-04T08:00:01.000Z","message":{"role":"user","content":"go"}}"#,
    "\n",
    r#"{"type":"message","id":"b","parentId":"a","timestamp":"2026-02-04T08:00:02.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"1","name":"bash","arguments":{"command":"cd web && npm run build"}},{"type":"toolCall","id":"2","name":"edit","arguments":{"path":"source/components/of/the/dashboard/page.tsx"}},{"type":"toolCall","id":"3","name":"read","arguments":{"path":"README.md"}}],"provider":"anthropic","model":"claude-opus-4-5-20251101","stopReason":"toolUse"}}"#,
    "\n",
    r#"{"type":"message","id":"c","parentId":"b","timestamp":"2026-02-04T08:00:03.000Z","message":{"role":"toolResult","toolCallId":"1","toolName":"bash","content":[],"isError":true}}"#,
    "\n",
    r#"{"type":"message","id":"d","parentId":"c","timestamp":"2026-02-04T08:00:04.000Z","message":{"role":"bashExecution","command":"npm run build","output":"","exitCode":0}}"#,
    "\n",
);

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let folder = "home/.pi/agent/sessions/--home-ana-projects-weather--";
    let _ = sandbox.write(&format!("{folder}/2026_a.jsonl"), BRANCHED);
    let _ = sandbox.write(&format!("{folder}/2025_b.jsonl"), VERSION_1);
    let copy = BRANCHED.replace("00000000000a", "00000000000b").replace("22:52:06", "22:53:06");
    let _ = sandbox.write(&format!("{folder}/2026_copy.jsonl"), &copy);
    let _ = sandbox.write("home/.pi/agent/sessions/--work--/2026_c.jsonl", WORK);
    sandbox
}

fn stats(sandbox: &Sandbox, more: &[&str]) -> Value {
    let args = [&["stats", "--json"], more].concat();
    sandbox.run(args).ok().json()
}

#[test]
fn the_json_has_every_count() {
    let value = stats(&sandbox(), &[]);
    let expected = json!({
        "totals": {
            "sessions": 4,
            "projects": 2,
            "activeDays": 3,
            "first": "2025-11-20T10:00:01.000Z",
            "last": "2026-02-04T08:00:04.000Z",
            "messages": {
                "total": 11,
                "user": 5,
                "assistant": 4,
                "toolResult": 1,
                "bashExecution": 1,
                "custom": 0,
                "other": 0
            },
            "replies": 4,
            "failedReplies": 0
        },
        "tools": [
            {"name": "bash", "calls": 1, "errors": 1, "errorPercent": 100},
            {"name": "edit", "calls": 1, "errors": 0, "errorPercent": 0},
            {"name": "read", "calls": 1, "errors": 0, "errorPercent": 0}
        ],
        "files": [
            {
                "path": "README.md",
                "project": "/home/ana/projects/a-project-with-a-long-name",
                "reads": 1,
                "edits": 0,
                "writes": 0
            },
            {
                "path": "source/components/of/the/dashboard/page.tsx",
                "project": "/home/ana/projects/a-project-with-a-long-name",
                "reads": 0,
                "edits": 1,
                "writes": 0
            }
        ],
        "commands": [
            {"command": "npm run build", "runs": 2, "userRuns": 1, "errors": 1, "errorPercent": 50}
        ],
        "models": [
            {"model": "p/m", "replies": 3, "percent": 75},
            {"model": "anthropic/claude-opus-4-5-20251101", "replies": 1, "percent": 25}
        ],
        "hours": [0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0],
        "weekdays": [0, 2, 1, 1, 0, 0, 0],
        "habits": {
            "branchedSessions": 2,
            "branchPoints": 1,
            "forkedSessions": 0,
            "forks": 0,
            "compactions": 0,
            "branchSummaries": 0,
            "labels": 0,
            "subagentRuns": 0
        },
        "others": {
            "tools": {"names": 0, "calls": 0, "errors": 0, "errorPercent": null},
            "files": {"names": 0, "reads": 0, "edits": 0, "writes": 0},
            "commands": {"names": 0, "runs": 0, "userRuns": 0, "errors": 0, "errorPercent": null},
            "models": {"names": 0, "replies": 0, "percent": 0}
        },
        "unreadable": []
    });
    assert_eq!(value, expected, "{value:#}");
}

#[test]
fn the_tables_are_for_people() {
    let sandbox = sandbox();
    let run = sandbox.run(["stats", "--top", "1"]).ok();
    for part in [
        "4 sessions in 2 projects, active on 3 days from 2025-11-20 to 2026-02-04\n\n",
        "tool      calls  errors    rate\nbash          1       1  100.0%\n2 others      2       0\n",
        "file       reads  edits  writes\nREADME.md      1      0       0  /home/ana/projects/a-",
        "command        runs  yours  errors   rate\nnpm run build     2      1       1  50.0%\n",
        "model    replies  share\np/m            3  75.0%\n1 other        1  25.0%\n",
        "\n22          2\n",
        "Tuesday          2  50.0%\n",
        "sessions with branches      2   50.0%\n",
    ] {
        assert!(run.stdout.contains(part), "{part}\n{}", run.stdout);
    }
    assert!(!run.stdout.contains(['█', '\u{1b}']), "{}", run.stdout);
    let one = sandbox.run(["stats", "--cwd", "LONG-NAME"]).ok();
    let head = "1 session in 1 project, active on 1 day: 2026-02-04\n";
    assert!(one.stdout.starts_with(head), "{}", one.stdout);
}

#[test]
fn times_and_zones_select() {
    let sandbox = sandbox();
    let east = stats(&sandbox, &["--utc-offset", "+02:00"]);
    assert_eq!((&east["hours"][0], &east["hours"][10]), (&2.into(), &1.into()));
    assert_eq!(east["weekdays"], json!([0, 0, 3, 1, 0, 0, 0]));
    let zone = sandbox.call(["stats", "--json"]).env("TZ", "XXX-2").run().ok().json();
    assert_eq!(zone, east);
    let late = stats(&sandbox, &["--since", "2026-02-04"]);
    assert_eq!((&late["totals"]["sessions"], &late["totals"]["replies"]), (&1.into(), &1.into()));
    let early = stats(&sandbox, &["--until", "2025-11-20"]);
    assert_eq!(early["totals"]["messages"]["total"], 2);
    let _ = sandbox.run(["stats", "--since", "2026-02-05", "--until", "2026-02-04"]).exits(2);
    let _ = sandbox.run(["stats", "--top", "many"]).exits(2);
}

#[test]
fn where_nothing_is_counted_it_says_what_to_try() {
    let sandbox = sandbox();
    for (args, expected) in [
        (&["--scope", "dir"][..], "; run `pitree list --scope all` to see the others"),
        (&["--scope", "repo", "--cwd", "x"], " matches; leave out `--cwd`, or try `--scope all`"),
        (
            &["--since", "2027-01-01"],
            "no session in ~/.pi/agent/sessions matches; leave out `--since`",
        ),
    ] {
        let run = sandbox.run([&["stats"], args].concat()).exits(1);
        assert!(run.stderr.contains(expected) && run.stdout.is_empty(), "{args:?}: {run:?}");
        let json = sandbox.run([&["stats", "--json"], args].concat()).exits(1).json();
        assert_eq!(json["totals"]["sessions"], 0);
    }
    let empty = Sandbox::new().run(["stats"]).exits(1);
    assert!(empty.stderr.contains("no sessions in ~/.pi/agent/sessions"), "{empty:?}");
}

#[test]
fn hostile_times_overflow_nothing() {
    let sandbox = Sandbox::new();
    for time in ["-1e300", "1e300", "-9.3e18", "9.3e18"] {
        let text = format!(
            r#"{{"type":"session","version":3,"id":"s","timestamp":"2026-02-03T22:52:06.000Z","cwd":"/x","parentSession":"/gone"}}
{{"type":"message","id":"a","message":{{"role":"assistant","content":[],"timestamp":{time}}}}}
"#
        );
        let _ = sandbox.write("home/.pi/agent/sessions/--x--/s.jsonl", &text);
        for offset in ["-11:00", "+13:07"] {
            let _ = sandbox.run(["stats", "--utc-offset", offset]).ok();
            let value = stats(&sandbox, &["--utc-offset", offset]);
            assert_eq!(value["totals"]["replies"], 1, "{time}");
        }
    }
}

/// Whatever the width, each row is one line, and charts fit.
#[test]
fn a_terminal_of_any_width_shows_each_row_on_one_line() {
    let sandbox = sandbox();
    let test = "a_terminal_of_any_width_shows_each_row_on_one_line";
    let Some(terminal) = Terminal::open(test, &sandbox.home(), &sandbox.project()) else { return };
    let rows = |columns: u16| {
        terminal.resize(columns, 110);
        let program = env!("CARGO_BIN_EXE_pitree");
        // tmux takes its time to resize. The line that is typed does not hold what it prints.
        terminal.run(&format!(
            "until [ \"$(stty size)\" = '110 {columns}' ]; do sleep 0.05; done; \
             clear; {program} stats; echo done$(({columns}+1))"
        ));
        let end = format!("done{}", columns + 1);
        terminal.wait_until(&end, |screen| screen.lines().any(|line| line == end));
        let screen = terminal.screen();
        let lines = screen.lines().map(str::trim_end);
        let lines = lines.skip_while(|line| !line.starts_with("messages"));
        let lines: Vec<String> =
            lines.take_while(|line| *line != end).map(ToOwned::to_owned).collect();
        let longest = lines.iter().map(|line| line.chars().count()).max();
        assert!(longest <= Some(usize::from(columns)), "{screen}");
        (lines.len(), screen)
    };
    let (expected, wide) = rows(120);
    assert!(wide.contains("replies by hour  most at 22:00 (2)"), "{wide}");
    assert!(wide.contains("source/components/of/the/dashboard/page.tsx"), "{wide}");
    assert!(wide.contains('█') && wide.contains("/home/ana/projects/a-project"), "{wide}");
    for columns in [80, 40] {
        let (found, screen) = rows(columns);
        assert_eq!(found, expected, "{columns}\n{screen}\n{wide}");
        assert!(screen.contains("page.tsx"), "{screen}");
    }
}
