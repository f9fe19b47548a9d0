//! `pitree export` and `pitree import` as a user runs them.

use crate::common::{BRANCHED, Print, Sandbox, VERSION_1, files_below, lines, mode};

/// A session of the sandbox's project.
fn of_project(sandbox: &Sandbox, text: &str) -> String {
    text.replace("/home/ana/projects/weather", &sandbox.project().to_string_lossy())
}

#[test]
fn the_name_says_the_format() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("s.jsonl", BRANCHED);
    let before = Print::of(&path);
    for (name, begins) in [
        ("a.html", "<!doctype html>"),
        ("a.md", "# first question"),
        ("a.txt", "══ first question"),
        ("a.jsonl", "{\"type\":\"session\",\"version\":3"),
    ] {
        let run = sandbox.run(["export", "../s.jsonl", "-o", name]).ok();
        assert_eq!(run.printed_path(), sandbox.project().join(name));
        let text = fs_err::read_to_string(run.printed_path()).unwrap();
        assert!(text.starts_with(begins), "{text}");
        assert_eq!(mode(&run.printed_path()), 0o600);
    }
    let run = sandbox.run(["export", "../s.jsonl", "-o", "a.xyz"]).exits(2);
    assert!(run.stderr.contains("--format"), "{run:?}");
    fs_err::create_dir(sandbox.project().join("pages")).unwrap();
    let run = sandbox.run(["export", "../s.jsonl", "-o", "pages"]).exits(2);
    assert!(run.stderr.contains("pages is a directory"), "{run:?}");
    assert!(run.stderr.contains("hint: name a file in it, such as pages/session.html"), "{run:?}");
    assert_eq!(Print::of(&path), before);
}

#[test]
fn without_a_name_it_is_the_page_that_pi_names() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    let run = sandbox.run(["export", "../s.jsonl", "--json"]).ok().json();
    let path = sandbox.project().join("pi-session-s.html");
    assert_eq!(run["path"], path.to_string_lossy().as_ref());
    assert_eq!((&run["format"], &run["branch"]), (&"html".into(), &"all".into()));
    assert_eq!((&run["entries"], &run["oddLines"]), (&5.into(), &0.into()));
    // Twice is once too often.
    let again = sandbox.run(["export", "../s.jsonl"]).exits(4);
    assert!(again.stderr.contains("pass --force to replace it"), "{again:?}");
    let _ = sandbox.run(["export", "../s.jsonl", "--force"]).ok();
    assert_eq!(files_below(&sandbox.project()), ["pi-session-s.html"]);
}

#[test]
fn branches_are_chosen() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    let ids = |branch: &str| -> Vec<String> {
        let name = format!("{branch}.jsonl");
        let args = ["export", "../s.jsonl", "-o", &name, "--branches", branch];
        let path = sandbox.run(args).ok().printed_path();
        let id = |line: &serde_json::Value| line["id"].as_str().unwrap().to_owned();
        lines(&path).iter().skip(1).map(id).collect()
    };
    assert_eq!(ids("active"), ["aaaa0001", "bbbb0001", "dddd0001", "dddd0002"]);
    assert_eq!(ids("cccc"), ["aaaa0001", "bbbb0001", "cccc0001"]);
    assert_eq!(ids("all").len(), 5);
    assert_eq!(fs_err::read_to_string(sandbox.project().join("all.jsonl")).unwrap(), BRANCHED);
    let _ = sandbox.run(["export", "../s.jsonl", "--branches", "zzzz"]).exits(1);
}

#[test]
fn standard_output_takes_every_format() {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", &format!("{BRANCHED}{{torn\n"));
    let text = sandbox.run(["export", "../s.jsonl", "-o", "-"]).ok();
    assert!(text.stdout.contains("second answer") && text.stdout.contains("{torn"), "{text:?}");
    let page = sandbox.run(["export", "../s.jsonl", "-o", "-", "--format", "html"]).ok();
    assert!(page.stdout.ends_with("</html>\n"), "{page:?}");
    let branch = sandbox.run(["export", "../s.jsonl", "-o", "-", "--format", "jsonl"]).ok();
    assert!(branch.stderr.contains("`--branches all` keeps it\n"), "{branch:?}");
    let _ = sandbox.run(["export", "../s.jsonl", "-o", "-", "--json"]).exits(2);
    assert_eq!(files_below(&sandbox.project()), Vec::<String>::new());
}

/// Not even `--force` replaces a session.
#[test]
fn sessions_are_spared() {
    let sandbox = Sandbox::new();
    let own = sandbox.write("elsewhere/s.jsonl", BRANCHED);
    let other = sandbox.default_folder().join("other.jsonl");
    fs_err::create_dir_all(other.parent().unwrap()).unwrap();
    fs_err::write(&other, BRANCHED).unwrap();
    let stranger = sandbox.write("elsewhere/other.jsonl", BRANCHED);
    // The user's own folder is spared too when another one is named, whatever is in it.
    let torn = sandbox.default_folder().join("torn.jsonl");
    fs_err::write(&torn, "{torn").unwrap();
    for path in [&own, &other, &stranger, &torn] {
        let before = Print::of(path);
        let target = path.to_str().unwrap();
        let _ = sandbox.run(["export", "../elsewhere/s.jsonl", "--force", "-o", target]).exits(4);
        let named = ["--session-dir", "../flat", "export", "../elsewhere/s.jsonl", "--force"];
        let _ = sandbox.run(named.into_iter().chain(["-o", target])).exits(4);
        assert_eq!(Print::of(path), before);
    }
}

#[test]
fn an_imported_session_is_found_again() {
    let sandbox = Sandbox::new();
    let text = of_project(&sandbox, BRANCHED);
    let source = sandbox.write("elsewhere/s.jsonl", &text);
    let before = Print::of(&source);
    let run = sandbox.run(["import", "../elsewhere/s.jsonl"]).ok();
    assert_eq!(Print::of(&source), before);
    assert_eq!(run.printed_path(), sandbox.default_folder().join("s.jsonl"));
    assert_eq!(fs_err::read_to_string(run.printed_path()).unwrap(), text);
    assert_eq!(mode(&run.printed_path()), 0o600);
    let list = sandbox.run(["list", "--json"]).ok().json();
    assert_eq!(list.as_array().unwrap().len(), 1);
    // The same id twice would name neither of the two.
    let _ = sandbox.write("elsewhere/renamed.jsonl", &text);
    for file in ["../elsewhere/s.jsonl", "../elsewhere/renamed.jsonl", "-"] {
        let again = sandbox.call(["import", file, "--json"]).input(&text).run().exits(4);
        assert!(again.stderr.contains(run.line()), "{again:?}");
        assert!(again.stderr.contains("nothing was imported"), "{again:?}");
    }
    assert_eq!(files_below(&sandbox.default_folder()), ["s.jsonl"]);
    // A file that has its name but not its id comes in under another name.
    let other = text.replace("00000000000a", "00000000000b");
    let _ = sandbox.write("other/s.jsonl", &other);
    let other = sandbox.run(["import", "../other/s.jsonl", "--json"]).ok().json();
    assert!(other["path"].as_str().unwrap().ends_with("/s-1.jsonl"), "{other}");
    assert_eq!(other["copied"], true);
    let there = sandbox.run(["import", run.line()]).ok();
    assert!(there.stderr.contains("nothing was copied"), "{there:?}");
}

#[test]
fn standard_input_is_imported() {
    let sandbox = Sandbox::new();
    for text in [BRANCHED, VERSION_1] {
        let text = of_project(&sandbox, text);
        let run = sandbox.call(["import", "-", "--session-dir", "../flat"]).input(&text).run().ok();
        assert_eq!(run.printed_path().parent().unwrap(), sandbox.path("flat"));
        assert_eq!(fs_err::read_to_string(run.printed_path()).unwrap(), text);
    }
    // A pipe that the shell has opened.
    for (name, id) in [("/dev/stdin", "00000000000d"), ("/dev/fd/0", "00000000000e")] {
        let text = of_project(&sandbox, BRANCHED).replace("00000000000a", id);
        let run = sandbox.call(["import", name]).input(&text).run().ok();
        assert_eq!(fs_err::read_to_string(run.printed_path()).unwrap(), text);
        assert!(run.line().ends_with(&format!("{id}.jsonl")), "{run:?}");
    }
    let run = sandbox.call(["import", "-"]).input("{\"no\":1}\n").run().exits(3);
    assert!(run.stderr.contains("The input is not a Pi session"), "{run:?}");
}

#[test]
fn a_session_of_a_missing_directory_is_imported_for_the_current_one_and_a_note_says_so() {
    let sandbox = Sandbox::new();
    let gone = BRANCHED.replace("/home/ana/", "/home/nobody/");
    let _ = sandbox.write("s.jsonl", &gone);
    let run = sandbox.run(["import", "../s.jsonl"]).ok();
    let note = format!(
        "note: the directory of s.jsonl, /home/nobody/projects/weather, does not exist here; the \
         copy belongs to {} (`--cwd DIR` chooses another one)\n",
        sandbox.project().display()
    );
    assert_eq!(run.stderr, note);
    assert_eq!(run.printed_path().parent().unwrap(), sandbox.default_folder());
    // Only the header has changed.
    let project = sandbox.project();
    let here = gone.replacen("/home/nobody/projects/weather", project.to_str().unwrap(), 1);
    assert_eq!(fs_err::read_to_string(run.printed_path()).unwrap(), here);
    let id = "01a00000-0000-7000-8000-00000000000a";
    let resumed = sandbox.run(["resume", id, "--print", "--json"]).ok().json();
    assert_eq!(resumed["cwd"], project.to_str().unwrap());

    // A directory that is named is taken without a word.
    let other = gone.replace("00000000000a", "00000000000b");
    let _ = sandbox.write("other.jsonl", &other);
    let _ = sandbox.run(["import", "../other.jsonl", "--cwd", "nowhere"]).exits(2);
    assert_eq!(files_below(&sandbox.default_folder()), ["s.jsonl"]);
    let run = sandbox.run(["import", "../other.jsonl", "--cwd", "."]).ok();
    assert_eq!(run.stderr, "");
    let _ = sandbox.run(["import", "../no-such.jsonl"]).exits(1);
    let stream = gone.replace("00000000000a", "00000000000c");
    let run = sandbox.call(["import", "-"]).input(&stream).run().ok();
    assert!(run.stderr.starts_with("note: the directory of the input, "), "{run:?}");
}
