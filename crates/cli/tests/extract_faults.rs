//! `pitree extract` where something is missing, full, taken or interrupted: it says why, leaves
//! nothing half done, and the next run makes it right.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{BRANCHED, Run, Sandbox, files_below, mode};

/// A sandbox with one session, whose first message has so many bytes.
fn sandbox(bytes: usize) -> Sandbox {
    let sandbox = Sandbox::new();
    let said = "first question ".repeat(bytes / 15 + 1);
    let _ = sandbox.write("s.jsonl", &BRANCHED.replace("first question", &said));
    sandbox
}

fn extract<'a>(args: &[&'a str]) -> Vec<&'a str> {
    [&["extract", "../s.jsonl"], args].concat()
}

#[track_caller]
fn says(run: &Run, words: &[&str]) {
    for word in words {
        assert!(run.stderr.contains(word), "no {word:?} in {run:#?}");
    }
    assert!(!run.stderr.contains("failed to"), "{run:#?}");
}

#[test]
fn what_the_system_said_is_told() {
    let sandbox = sandbox(20);
    let missing = "No such file or directory";
    for (args, words) in [
        (&["--output", "d", "--role-rules", "no/rules"][..], ["no/rules", missing]),
        (&["--output", "d", "--outcomes", "no/outcomes"], ["no/outcomes", missing]),
        (&["--output", "d", "--key", "no/key"], ["Cannot create the key", missing]),
        (&["--output", "d", "--env-file", "no/env"], ["no/env", "the file does not exist"]),
        (&["--output", "../s.jsonl/d"], ["Cannot access ", "Not a directory"]),
    ] {
        let run = sandbox.run(extract(args));
        assert_ne!(run.code, Some(0));
        says(&run, &words);
    }
    // Nothing can be made there, and the name of what was tried is nobody's business.
    let run = sandbox.run(extract(&["--output", "/proc/d"])).exits(3);
    says(&run, &["error: Cannot write to /proc: ", missing, "pass another folder with --output"]);
    assert!(!run.stderr.contains(".pitree-extract"), "{run:?}");
    let run = sandbox.run(extract(&["--output", "d", "--key", "/proc/k"])).exits(3);
    says(&run, &["Cannot create the key /proc/k: ", missing, "pass another file with --key"]);
    assert!(!run.stderr.contains(".pitree-key"), "{run:?}");
    // Copies of small sessions stay in memory.
    let large = self::sandbox(9 << 20);
    for (sandbox, out) in [(&large, "d"), (&sandbox, "-")] {
        let run = sandbox.call(extract(&["--output", out])).env("TMPDIR", "/no/tmp").run().exits(3);
        says(&run, &["in /no/tmp", missing]);
        assert!(!run.stderr.contains("s.jsonl"), "the session is blamed: {run:?}");
    }
    let full = fs_err::OpenOptions::new().write(true).open("/dev/full").unwrap().into_parts().0;
    let run = sandbox.call(extract(&["--output", "-"])).stdout(full).exits(3);
    says(&run, &["No space left on device"]);
    assert_eq!(files_below(&sandbox.project()), [""; 0]);
}

/// Files may have so many blocks of 512 bytes.
const LIMITED: [&str; 4] = ["sh", "-c", "ulimit -f \"$1\"; shift; exec \"$@\"", "sh"];

#[test]
fn a_file_that_may_not_grow_is_named_and_nothing_is_left() {
    let sandbox = sandbox(200_000);
    let keys = sandbox.home().join(".local/state/pitree/keys");
    for (blocks, words) in [("0", "Cannot create the key"), ("20", "make copies of sessions in")] {
        let limited = [&LIMITED[..], &[blocks]].concat();
        let run = sandbox.call(extract(&["--output", "d"])).within(&limited).run().exits(3);
        says(&run, &[words, "File too large"]);
        assert_eq!(files_below(&sandbox.project()), [""; 0]);
        // Half a key would make every later run fail.
        let sizes =
            files_below(&keys).into_iter().map(|it| keys.join(it).metadata().unwrap().len());
        assert!(sizes.into_iter().all(|size| size == 65), "{:?}", files_below(&keys));
    }
    let _ = sandbox.run(extract(&["--output", "d"])).ok();
}

/// Runs the rest with this folder on a small disk of its own.
const SMALL_DISK: [&str; 5] = [
    "unshare",
    "-rm",
    "sh",
    "-c",
    "mount -t tmpfs -o size=512k none \"$0\" && cp -r \"$1/.\" \"$0\" && shift && \"$@\"; \
     code=$?; cp -r \"$0/.\" \"$0.after\"; exit $code",
];

#[test]
fn a_full_disk_is_named_and_the_data_set_before_stays() {
    let sandbox = sandbox(20);
    let _ = sandbox.run(extract(&["--output", "before/d"])).ok();
    let before = files_below(&sandbox.project().join("before"));
    let said = "first question ".repeat(40_000);
    let _ = sandbox.write("s.jsonl", &BRANCHED.replace("first question", &said));
    let disk = sandbox.project().join("disk");
    fs_err::create_dir(&disk).unwrap();
    let disk = disk.to_string_lossy().into_owned();
    let small = [&SMALL_DISK[..], &[&disk, "before"]].concat();
    let run = sandbox.call(extract(&["--output", "disk/d"])).within(&small).run();
    if run.stderr.contains("unshare") || run.stderr.contains("mount") {
        pitree_testkit::skip("a_full_disk_is_named", &format!("no small disk: {}", run.stderr));
        return;
    }
    says(&run, &["No space left on device", "/disk/"]);
    assert_eq!(run.code, Some(3), "{run:?}");
    let after = sandbox.project().join("disk.after");
    assert_eq!(files_below(&after), before);
    for name in &before {
        let bytes = |folder: &str| fs_err::read(sandbox.project().join(folder).join(name)).unwrap();
        assert!(bytes("before") == bytes("disk.after"), "{name}");
    }
}

#[test]
fn every_place_has_a_key_of_its_own_however_long_its_name() {
    let sandbox = sandbox(20);
    let long = ["x".repeat(200), "y".repeat(200)].join("/");
    for out in ["a/b", "a-b", &long] {
        let _ = sandbox.run(extract(&["--output", out])).ok();
        let _ = sandbox.run(extract(&["--output", out])).ok();
    }
    let keys = sandbox.home().join(".local/state/pitree/keys");
    let names = files_below(&keys);
    assert_eq!(names.len(), 3, "{names:?}");
    assert!(names.iter().any(|name| name.starts_with("a-b-")), "{names:?}");
    let texts: std::collections::HashSet<Vec<u8>> =
        names.iter().map(|name| fs_err::read(keys.join(name)).unwrap()).collect();
    assert_eq!(texts.len(), 3);
    assert!(names.iter().all(|name| mode(&keys.join(name)) == 0o600));
}

#[test]
fn an_edited_data_set_is_replaced_on_demand_only() {
    let sandbox = sandbox(20);
    let _ = sandbox.run(extract(&["--output", "d"])).ok();
    let _ = sandbox.run(extract(&["--output", "d"])).ok();
    for name in ["data.jsonl", "README.md"] {
        let path = sandbox.project().join("d").join(name);
        let mut text = fs_err::read_to_string(&path).unwrap();
        text.push_str("mine\n");
        fs_err::write(&path, &text).unwrap();
        let run = sandbox.run(extract(&["--output", "d"])).exits(4);
        says(&run, &["Cannot replace ", name, "edited", "--force"]);
        assert_eq!(fs_err::read_to_string(&path).unwrap(), text);
        let _ = sandbox.run(extract(&["--output", "d", "--force"])).ok();
        assert!(!fs_err::read_to_string(&path).unwrap().contains("mine"));
    }
    let card = fs_err::read_to_string(sandbox.project().join("d/card.json")).unwrap();
    assert!(!card.contains("--force"), "it does not change the data");
    fs_err::write(sandbox.project().join("d/notes"), "mine").unwrap();
    let run = sandbox.run(extract(&["--output", "d", "--force"])).exits(4);
    says(&run, &["did not write notes"]);
}

#[test]
fn nothing_is_written_among_sessions_or_to_a_file_called_dash() {
    let sandbox = sandbox(20);
    let root = sandbox.home().join(".pi/agent/sessions");
    fs_err::create_dir_all(&root).unwrap();
    fs_err::os::unix::fs::symlink(&root, sandbox.project().join("link")).unwrap();
    let inside = root.join("--p--/set");
    for out in [inside.to_str().unwrap(), "link/set", "../home/.pi/agent/sessions"] {
        let run = sandbox.run(extract(&["--output", out])).exits(2);
        says(&run, &["--output", "in the sessions folder", "outside of it"]);
        let list = format!("{out}/list.jsonl");
        let run = sandbox.run(extract(&["--output", "d", "--redaction-log", &list])).exits(2);
        says(&run, &["--redaction-log", "in the sessions folder"]);
    }
    let own = ["--session-dir", "own", "extract", "../s.jsonl", "--output", "own/set"];
    says(&sandbox.run(own).exits(2), &["in the sessions folder"]);
    for out in ["d", "-"] {
        let run = sandbox.run(extract(&["--output", out, "--redaction-log", "-"])).exits(2);
        says(&run, &["--redaction-log does not print to standard output", "--redaction-log FILE"]);
    }
    assert_eq!(files_below(&root), [""; 0]);
    assert_eq!(files_below(&sandbox.project()), [""; 0]);
}

/// A session in which two models take turns, so that each reply is a sample with all before it.
fn alternating(rounds: usize) -> String {
    let said = "A long text that is repeated in every later sample. ".repeat(40);
    let mut lines = vec![BRANCHED.lines().next().unwrap().to_owned()];
    for round in 0..2 * rounds {
        let parent = if round > 0 { format!("\"e{}\"", round - 1) } else { "null".to_owned() };
        let (role, more) = match (round % 2, round % 4) {
            (0, _) => ("user", String::new()),
            (_, part) => {
                let model = r#","provider":"p","api":"openai-completions","stopReason":"stop""#;
                ("assistant", format!(r#"{model},"model":"m{part}""#))
            }
        };
        lines.push(format!(
            r#"{{"type":"message","id":"e{round}","parentId":{parent},"timestamp":"2026-02-03T22:52:07.000Z","message":{{"role":"{role}","content":[{{"type":"text","text":"{round} {said}"}}]{more}}}}}"#
        ));
    }
    lines.push(String::new());
    lines.join("\n")
}

#[test]
fn a_data_set_that_is_much_larger_than_its_sessions_is_announced_and_can_be_refused() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", &alternating(100));
    for format in ["chat", "lora-forge"] {
        let args =
            ["--format", format, "--unit", "request", "--output", "d", "--max-output", "4MB"];
        let run = sandbox.run(extract(&args)).exits(4);
        says(&run, &["would be", "over the --max-output limit of 3.8 MiB", "raise --max-output"]);
        assert_eq!(files_below(&sandbox.project()), [""; 0], "{format}");
    }
    let run = sandbox.run(extract(&["--unit", "request", "--output", "d"])).ok();
    let advice = "`--unit path` repeats the least; `--max-output SIZE` sets a limit";
    says(&run, &["writing ", " MiB for sessions of ", advice]);
    let size = sandbox.project().join("d/data.jsonl").metadata().unwrap().len();
    let told = format!("writing {:.1} MiB", size as f64 / f64::from(1 << 20));
    says(&run, &[&told]);
    let run = sandbox.run(extract(&["--output", "e"])).ok();
    assert!(!run.stderr.contains("writing "), "{run:?}");
}

fn token() -> String {
    ["gh", "p_", "R8xK2mQ5vT9wZ3nB6cJ1hL4dF7gS0pYaUeIo"].concat()
}

#[test]
fn printed_lines_have_a_key_that_is_forgotten_unless_one_is_named() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", &BRANCHED.replace("first question", &token()));
    let printed = |args: &[&str]| {
        let run = sandbox.run(extract(&[&["--output", "-"], args].concat())).ok();
        assert!(run.stdout.contains("[REDACTED:"), "{run:?}");
        run.stdout
    };
    assert_ne!(printed(&[]), printed(&[]));
    assert!(!sandbox.home().join(".local").exists(), "a key was kept");
    assert_eq!(printed(&["--key", "k"]), printed(&["--key", "k"]));
}

#[test]
fn with_a_key_that_is_named_no_other_place_is_needed() {
    let sandbox = sandbox(20);
    // Nothing can be made below a file.
    let _ = sandbox.write("home/.local", "in the way");
    let _ = sandbox.run(extract(&["--output", "d", "--key", "k"])).ok();
    let run = sandbox.run(extract(&["--output", "e"])).exits(3);
    says(&run, &["Not a directory", "--key"]);
}

#[test]
fn a_key_in_the_data_set_is_refused() {
    let sandbox = sandbox(20);
    fs_err::create_dir_all(sandbox.project().join("real")).unwrap();
    fs_err::os::unix::fs::symlink("real", sandbox.project().join("link")).unwrap();
    for (out, key) in [("d", "d/key"), ("d", "./d/sub/../key"), ("real/d", "link/d/key")] {
        let run = sandbox.run(extract(&["--output", out, "--key", key])).exits(2);
        says(&run, &["is inside the dataset", "outside of --output"]);
    }
    assert_eq!(files_below(&sandbox.project()), [""; 0]);
    let _ = sandbox.run(extract(&["--output", "d", "--key", "d-key"])).ok();
}

#[test]
fn first_runs_at_once_share_one_key_and_one_folder() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", &BRANCHED.replace("first question", &token()));
    for round in 0..4 {
        let out = format!("d{round}");
        let args = extract(&["--output", &out]);
        let children: Vec<_> =
            (0..6).map(|_| sandbox.call(args.clone()).spawn(Stdio::null())).collect();
        for child in children {
            let output = child.wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "round {round}: {said}");
        }
        let names = files_below(&sandbox.project());
        assert!(names.iter().all(|name| !name.contains(".pitree")), "{names:?}");
        assert_eq!(names.len(), (round + 1) * 6, "{names:?}");
    }
    assert_eq!(files_below(&sandbox.home().join(".local/state/pitree/keys")).len(), 4);
}

/// Lets a run of the command begin and ends it by a signal; gives its exit code.
fn ended_by(signal: &str, sandbox: &Sandbox) -> Option<i32> {
    // A test that runs in the background inherits that interrupts are ignored.
    let call = sandbox.call(extract(&["--output", "d", "--key", "../k"]));
    let mut child = call.within(&["env", "--default-signal=INT"]).spawn(Stdio::null());
    let is_begun =
        || files_below(&sandbox.project()).iter().any(|name| name.starts_with(".pitree"));
    while !is_begun() {
        assert!(child.try_wait().unwrap().is_none(), "the run has ended before it could be");
        std::thread::sleep(Duration::from_micros(200));
    }
    let pid = child.id().to_string();
    assert!(Command::new("kill").args([signal, &pid]).status().unwrap().success());
    child.wait().unwrap().code()
}

#[test]
fn a_command_that_is_killed_leaves_no_data_set_and_the_next_one_clears_up() {
    let sandbox = sandbox(4_000_000);
    assert_eq!(ended_by("-KILL", &sandbox), None);
    let left = files_below(&sandbox.project());
    assert!(left.iter().any(|name| name.starts_with(".pitree-extract-")), "{left:?}");
    assert!(!sandbox.project().join("d").exists());
    let _ = sandbox.run(extract(&["--output", "d", "--key", "../k"])).ok();
    let names = files_below(&sandbox.project());
    assert!(names.iter().all(|name| name.starts_with("d/")), "{names:?}");
    let first = fs_err::read(sandbox.project().join("d/data.jsonl")).unwrap();
    assert_eq!(ended_by("-KILL", &sandbox), None);
    assert!(fs_err::read(sandbox.project().join("d/data.jsonl")).unwrap() == first);
}

#[test]
fn a_command_that_is_interrupted_leaves_nothing() {
    for signal in ["-INT", "-TERM"] {
        let sandbox = sandbox(4_000_000);
        assert_eq!(ended_by(signal, &sandbox), Some(130), "{signal}");
        assert_eq!(files_below(&sandbox.project()), [""; 0], "{signal}");
        assert_eq!(files_below(&sandbox.path("tmp")), [""; 0], "{signal}");
    }
}
