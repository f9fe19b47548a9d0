//! Where sessions lie: the order of flags, variables and settings, and how a session is found.

use std::path::PathBuf;

use crate::common::{BRANCHED, Sandbox, VERSION_1};

/// The folder of a session that was just made.
#[track_caller]
fn folder(run: &crate::common::Run) -> PathBuf {
    let path = run.printed_path();
    assert!(path.is_file(), "{run:?}");
    path.parent().unwrap().to_owned()
}

#[test]
fn session_dir_is_flat() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(["new", "--session-dir", "flat"]).ok();
    assert_eq!(folder(&run), sandbox.project().join("flat"), "counted from the working directory");
    let run = sandbox.run(["new", "--session-dir", "~/flat"]).ok();
    assert_eq!(folder(&run), sandbox.home().join("flat"));
}

#[test]
fn an_id_is_given_once() {
    let sandbox = Sandbox::new();
    let first = sandbox.run(["new", "--id", "my-id-1"]).ok();
    let again = sandbox.run(["new", "--id", "my-id-1", "--cwd", "/"]).exits(4);
    assert!(again.stderr.contains(first.line()), "it names the file: {again:?}");
    assert_eq!(again.stdout, "");
    assert_eq!(crate::common::files_below(&sandbox.default_folder()).len(), 1);
    let _ = sandbox.run(["new", "--id", "my-id"]).ok();
    // Where two have one id all the same, more of the id would not help.
    let text = fs_err::read_to_string(first.printed_path()).unwrap();
    fs_err::write(sandbox.default_folder().join("copy.jsonl"), text).unwrap();
    let run = sandbox.run(["show", "my-id-1"]).exits(2);
    assert!(run.stderr.contains("hint: they have the same id; pass the path"), "{run:?}");
    let run = sandbox.run(["show", "my-i"]).exits(2);
    assert!(run.stderr.contains("hint: type more of the id"), "{run:?}");
}

#[test]
fn sessions_root_has_a_folder_for_each_directory() {
    let sandbox = Sandbox::new();
    let root = sandbox.path("root");
    let run = sandbox.run(["new", "--sessions-root", root.to_str().unwrap()]).ok();
    assert_eq!(folder(&run), sandbox.folder_below(&root));
}

#[test]
fn without_a_word_it_is_the_folder_of_pi() {
    let sandbox = Sandbox::new();
    assert_eq!(folder(&sandbox.run(["new"]).ok()), sandbox.default_folder());
}

#[test]
fn the_variables_of_both_programs_count() {
    let sandbox = Sandbox::new();
    let place = sandbox.path("place");
    let new = |name: &str| folder(&sandbox.call(["new"]).env(name, &place).run().ok());
    assert_eq!(new("PI_CODING_AGENT_SESSION_DIR"), place);
    assert_eq!(new("PI_SESSIONS_DIR"), sandbox.folder_below(&place));
    assert_eq!(new("PI_CODING_AGENT_DIR"), sandbox.folder_below(&place.join("sessions")));
}

/// Each line takes away what the line before it followed.
#[test]
fn the_order_is_flags_variables_settings_agent_directory() {
    let sandbox = Sandbox::new();
    let at = |name: &str| sandbox.path(name).to_string_lossy().into_owned();
    let settings = format!(r#"{{"sessionDir":"{}"}}"#, at("setting"));
    let _ = sandbox.write("agent/settings.json", &settings);
    let (flat, root) = (at("flag-flat"), at("flag-root"));
    let (flat, root) = (["--session-dir", &flat], ["--sessions-root", &root]);
    let made = |flags: &[&str], variables: &[&str]| {
        let mut call = sandbox.call([&["new"], flags].concat());
        for name in variables {
            call = call.env(name, at(name));
        }
        folder(&call.env("PI_CODING_AGENT_DIR", at("agent")).run().ok())
    };
    let both = ["PI_CODING_AGENT_SESSION_DIR", "PI_SESSIONS_DIR"];
    let below = |name: &str| sandbox.folder_below(&sandbox.path(name));
    assert_eq!(made(&[flat, root].concat(), &both), sandbox.path("flag-flat"));
    assert_eq!(made(&root, &both), below("flag-root"));
    assert_eq!(made(&[], &both), sandbox.path("PI_CODING_AGENT_SESSION_DIR"));
    assert_eq!(made(&[], &["PI_SESSIONS_DIR"]), below("PI_SESSIONS_DIR"));
    assert_eq!(made(&[], &[]), sandbox.path("setting"));
    fs_err::remove_file(sandbox.path("agent/settings.json")).unwrap();
    assert_eq!(made(&[], &[]), below("agent/sessions"));
}

#[test]
fn the_setting_of_the_user_counts() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("home/.pi/agent/settings.json", r#"{"sessionDir":"~/kept"}"#);
    assert_eq!(folder(&sandbox.run(["new"]).ok()), sandbox.home().join("kept"));
    let _ = sandbox.write("home/.pi/agent/settings.json", r#"{"sessionDir":"kept"}"#);
    assert_eq!(folder(&sandbox.run(["new"]).ok()), sandbox.project().join("kept"));
    for useless in ["{", r#"{"sessionDir":""}"#, r#"{"sessionDir":5}"#, "[]"] {
        let _ = sandbox.write("home/.pi/agent/settings.json", useless);
        assert_eq!(folder(&sandbox.run(["new"]).ok()), sandbox.default_folder(), "{useless}");
    }
}

#[test]
fn the_setting_of_a_project_counts_only_inside_it() {
    let sandbox = Sandbox::new();
    let project = |path: &str| {
        let settings = format!(r#"{{"sessionDir":"{path}"}}"#);
        let _ = sandbox.write("project/.pi/settings.json", &settings);
        folder(&sandbox.run(["new"]).ok())
    };
    let inside = sandbox.project().join("notes");
    assert_eq!(project("notes"), inside);
    assert_eq!(project(inside.to_str().unwrap()), inside);
    let outside = sandbox.path("outside");
    for path in ["../outside", "notes/../../outside", "~/outside", outside.to_str().unwrap()] {
        assert_eq!(project(path), sandbox.default_folder(), "{path}");
    }
    // A folder beside the project whose name only begins alike is outside too.
    assert_eq!(project("../project-two"), sandbox.default_folder());
    // The user's own setting is next in line.
    let _ = sandbox.write("home/.pi/agent/settings.json", r#"{"sessionDir":"~/kept"}"#);
    assert_eq!(project("../outside"), sandbox.home().join("kept"));
    assert_eq!(project("notes"), inside);
}

#[test]
fn a_setting_of_a_project_cannot_leave_it_by_a_link() {
    let sandbox = Sandbox::new();
    fs_err::create_dir(sandbox.path("outside")).unwrap();
    fs_err::os::unix::fs::symlink(sandbox.path("outside"), sandbox.project().join("link")).unwrap();
    let _ = sandbox.write("project/.pi/settings.json", r#"{"sessionDir":"link"}"#);
    assert_eq!(folder(&sandbox.run(["new"]).ok()), sandbox.default_folder());
}

#[test]
fn a_session_is_found_by_a_prefix_that_fits_no_other() {
    let sandbox = Sandbox::new();
    let root = "home/.pi/agent/sessions";
    let _ = sandbox.write(&format!("{root}/--elsewhere--/a.jsonl"), BRANCHED);
    let _ = sandbox.write(&format!("{root}/--elsewhere--/b.jsonl"), VERSION_1);
    let id = "01a00000-0000-7000-8000-00000000000a";
    assert_eq!(sandbox.run(["cat", id]).ok().stdout, BRANCHED);
    let _ = sandbox.run(["cat", &id[..8]]).exits(2);
    let run = sandbox.run(["cat", "02"]).exits(1);
    assert!(run.stderr.contains("No session found matching '02'"), "{run:?}");
    let hint = "`pitree list --scope all` shows the ids; if your sessions are elsewhere, pass \
                --session-dir DIR\n";
    assert!(run.stderr.contains(&format!("hint: {hint}")), "{run:?}");
    // There words are searched for, too.
    let run = sandbox.run(["resume", "no such words", "--print"]).exits(1);
    assert!(run.stderr.contains("No session found matching 'no such words'"), "{run:?}");
    assert!(run.stderr.contains("hint: try other words, or an id or a path; "), "{run:?}");
    assert!(run.stderr.ends_with(hint), "{run:?}");
}

#[test]
fn an_empty_file_is_named_with_what_becomes_of_it() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", "");
    let run = sandbox.run(["show", "../s.jsonl"]).exits(3);
    assert!(run.stderr.contains("s.jsonl is empty"), "{run:?}");
    assert!(run.stderr.contains("hint: there is nothing to read; you can delete"), "{run:?}");
}

#[test]
fn a_prefix_of_several_ids_is_refused_by_every_verb() {
    let sandbox = Sandbox::new();
    let own = sandbox.run(["new", "--id", "abc-own"]).ok().printed_path();
    let other = sandbox.run(["new", "--id", "abc-other", "--cwd", "/usr"]).ok().printed_path();
    let _ = sandbox.run(["name", "abc-ot", "Other work"]).ok();
    let bytes = || [&own, &other].map(|path| fs_err::read_to_string(path).unwrap());
    let before = bytes();
    for verb in [
        &["cat", "abc"][..],
        &["show", "abc"],
        &["tree", "abc"],
        &["entries", "abc"],
        &["check", "abc"],
        &["name", "abc", "x"],
        &["append", "abc"],
        &["fork", "abc"],
        &["clone", "abc"],
        &["migrate", "abc"],
        &["export", "abc"],
        &["watch", "abc"],
        &["delete", "abc"],
        &["delete", "--force", "abc"],
        &["extract", "abc", "--output", "data"],
        &["delete", "--json", "abc"],
    ] {
        // With the cache of a list and without.
        for list in [false, true] {
            if list {
                let _ = sandbox.run(["list", "--scope", "all"]).ok();
            }
            let run = sandbox.call(verb.iter().copied()).input("hi").run().exits(2);
            assert!(run.stderr.contains("`abc` matches 2 sessions"), "{verb:?}: {run:?}");
            for shown in ["abc-own", "abc-othe", "Other work", "hint: "] {
                assert!(run.stderr.contains(shown), "{verb:?}, {shown}: {run:?}");
            }
        }
    }
    assert_eq!(bytes(), before);
    // A longer prefix, a whole id that is the beginning of another, and a path name one.
    assert_eq!(sandbox.run(["cat", "abc-ot"]).ok().stdout, before[1]);
    let whole = sandbox.run(["new", "--id", "abc"]).ok().printed_path();
    assert_eq!(sandbox.run(["cat", "abc"]).ok().stdout, fs_err::read_to_string(whole).unwrap());
    assert_eq!(sandbox.run(["cat", own.to_str().unwrap()]).ok().stdout, before[0]);
    // Two files with one id are told apart by their paths alone.
    let copy = sandbox.default_folder().join("copy.jsonl");
    fs_err::write(&copy, &before[0]).unwrap();
    let run = sandbox.run(["cat", "abc-own"]).exits(2);
    assert!(run.stderr.contains("copy.jsonl"), "{run:?}");
    // A location that is named twice has each session once.
    let root = sandbox.path("home/.pi/agent/sessions");
    let root = root.to_str().unwrap();
    let twice = ["cat", "abc-ot", "--sessions-root", root, "--sessions-root", root];
    assert_eq!(sandbox.run(twice).ok().stdout, before[1]);
}

#[test]
fn a_list_shows_ids_that_name_one_session() {
    let sandbox = Sandbox::new();
    let ids = ["0123456789-a", "0123456789-b", "01234567", "0123", "other-session-with-a-long-id"];
    for id in ids {
        let _ = sandbox.run(["new", "--id", id]).ok();
    }
    // A session of another directory counts too, with a name that does not tell its id.
    let elsewhere = sandbox.run(["new", "--id", "other-session-2", "--cwd", "/usr"]).ok();
    let elsewhere = elsewhere.printed_path();
    fs_err::rename(&elsewhere, elsewhere.with_file_name("renamed.jsonl")).unwrap();
    for index in [&["--no-index"][..], &[], &[]] {
        let list = sandbox.run(["list"].iter().chain(index).copied()).ok().stdout;
        let mut shown: Vec<&str> =
            list.lines().map(|line| line.split_whitespace().nth(1).unwrap()).collect();
        shown.sort_unstable();
        let expected = ["0123", "01234567", "0123456789-a", "0123456789-b", "other-session-w"];
        assert_eq!(shown, expected, "{list}");
        for id in shown {
            let _ = sandbox.run(["cat", id]).ok();
        }
    }
}

#[test]
fn writing_verbs_find_by_id_too() {
    let sandbox = Sandbox::new();
    let path = sandbox.run(["new", "--session-dir", "flat", "--id", "xyz"]).ok().printed_path();
    let _ = sandbox.call(["append", "xy", "--session-dir", "flat"]).input("hi").run().ok();
    assert_eq!(crate::common::lines(&path).len(), 2);
    let _ = sandbox.call(["append", "xy"]).input("hi").run().exits(1);
}
