//! The skill for coding agents: every command in it runs on a sample store and is short.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::{BRANCHED, Sandbox, files_below};

const ID: &str = "01a00000";
const ENTRY: &str = "dddd0001";

/// A tool call with its result, and a name.
const MORE: &str = concat!(
    r#"{"type":"message","id":"dddd0003","parentId":"dddd0002","timestamp":"2026-02-03T22:52:12.000Z","message":{"role":"assistant","content":[{"type":"toolCall","id":"t1","name":"read","arguments":{"path":"cache.py"}}],"provider":"p","model":"m","stopReason":"toolUse","timestamp":1770159132000}}"#,
    "\n",
    r#"{"type":"message","id":"dddd0004","parentId":"dddd0003","timestamp":"2026-02-03T22:52:13.000Z","message":{"role":"toolResult","toolCallId":"t1","toolName":"read","content":[{"type":"text","text":"cache = {}"}],"isError":false,"timestamp":1770159133000}}"#,
    "\n",
    r#"{"type":"session_info","id":"eeee0001","parentId":"dddd0004","timestamp":"2026-02-03T22:52:14.000Z","name":"the cache"}"#,
    "\n",
);

fn skill() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    fs_err::read_to_string(root.join("extras/skills/pi-sessions/SKILL.md")).unwrap()
}

/// The lines of the code blocks.
fn commands(text: &str) -> Vec<&str> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.starts_with("```") {
            inside = !inside;
        } else if inside {
            found.push(line);
        }
    }
    found
}

/// A store with a session of the project, which is a repository, and one of another directory.
fn store() -> Sandbox {
    let sandbox = Sandbox::new();
    fs_err::create_dir(sandbox.project().join(".git")).unwrap();
    let project = sandbox.project();
    let text = BRANCHED.replace("/home/ana/projects/weather", project.to_str().unwrap());
    let text = text.replace("second question", "the cache migration, again");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let text = text.replace("1770159131000", &now.as_millis().to_string());
    let text = text + MORE;
    let folder = sandbox.default_folder();
    fs_err::create_dir_all(&folder).unwrap();
    fs_err::write(folder.join("a.jsonl"), text).unwrap();
    let other = folder.parent().unwrap().join("--tmp-other--");
    fs_err::create_dir_all(&other).unwrap();
    let text = BRANCHED.replace("01a0", "02b0");
    fs_err::write(other.join("b.jsonl"), text).unwrap();
    sandbox
}

#[test]
fn every_command_of_the_skill_runs() {
    let sandbox = store();
    let verbs = sandbox.verbs();
    let text = skill();
    let before = files_below(&sandbox.home().join(".pi"));
    let program = PathBuf::from(env!("CARGO_BIN_EXE_pitree"));
    let mut run = 0;
    for line in commands(&text) {
        let words = line.strip_prefix("pitree ").expect("every command is a pitree command");
        let verb = words.split_whitespace().next().unwrap();
        if !verbs.iter().any(|known| known == verb) {
            pitree_testkit::tell(&format!("skipped, there is no verb {verb} yet: {line}"));
            assert_eq!(verb, "search", "the skill names a verb that is not there");
            continue;
        }
        let line = line.replace(" ID", &format!(" {ID}")).replace(" ENTRY", &format!(" {ENTRY}"));
        let script = format!("set -o pipefail; {line}");
        let output = Command::new("bash")
            .args(["-c", &script])
            .env_clear()
            .env("PATH", format!("{}:/usr/bin:/bin", program.parent().unwrap().display()))
            .env("HOME", sandbox.home())
            .env("XDG_CACHE_HOME", sandbox.path("tmp"))
            .current_dir(sandbox.project())
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(output.status.success(), "{line}: {output:?}");
        let size = output.stdout.len();
        // `tree --branch-points` and all the others have something to say, and not much of it.
        assert!(size > 0 && size < 4001, "{line} prints {size} bytes");
        run += 1;
    }
    assert!(run >= 12, "only {run} commands were run");
    assert_eq!(files_below(&sandbox.home().join(".pi")), before);
}

#[test]
fn the_skill_has_the_head_that_agents_expect() {
    let text = skill();
    let head = text.strip_prefix("---\n").unwrap().split("\n---\n").next().unwrap();
    let member = |name: &str| {
        let found = head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        found.unwrap_or_else(|| panic!("no {name}"))
    };
    assert_eq!(member("name"), "pi-sessions");
    let length = member("description").len();
    assert!(length > 50 && length <= 1024, "the description has {length} characters");
    assert!(!member("description").contains(": "), "YAML would take that for a map");
    // It is read whole each time, so it stays short.
    assert!(text.len() < 4000, "{} bytes", text.len());
}
