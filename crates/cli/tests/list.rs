//! `pitree list` as a user runs it.

use crate::common::{BRANCHED, Run, Sandbox, files_below};
use serde_json::Value;

/// A session as text: header, one question, and more lines.
struct Draft<'a> {
    id: &'a str,
    cwd: &'a str,
    /// Seconds after a fixed moment.
    at: u64,
    parent: Option<&'a str>,
    more: &'a str,
}

impl Draft<'_> {
    fn text(&self) -> String {
        let parent =
            self.parent.map(|path| format!(",\"parentSession\":\"{path}\"")).unwrap_or_default();
        let ms = 1_770_159_126_000 + self.at * 1000;
        let (id, cwd, more) = (self.id, self.cwd, self.more);
        format!(
            "{{\"type\":\"session\",\"version\":3,\"id\":\"{id}\",\"timestamp\":\"2026-02-03T22:52:06.000Z\",\"cwd\":\"{cwd}\"{parent}}}\n{{\"type\":\"message\",\"id\":\"q\",\"parentId\":null,\"timestamp\":\"2026-02-03T22:52:07.000Z\",\"message\":{{\"role\":\"user\",\"content\":\"question of {id}\",\"timestamp\":{ms}}}}}\n{more}"
        )
    }
}

fn draft<'a>(id: &'a str, cwd: &'a str, at: u64) -> Draft<'a> {
    Draft { id, cwd, at, parent: None, more: "" }
}

const ROOT: &str = "home/.pi/agent/sessions";

/// Writes a session into the folder of its directory below a sessions root.
fn put(sandbox: &Sandbox, root: &str, draft: &Draft<'_>) -> String {
    let folder = format!("-{}--", draft.cwd.replace('/', "-"));
    let name = format!("{root}/{folder}/{}.jsonl", draft.id);
    sandbox.write(&name, &draft.text()).to_string_lossy().into_owned()
}

fn ids(run: &Run) -> Vec<String> {
    let rows = run.json();
    rows.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

fn list(sandbox: &Sandbox, args: &[&str]) -> Vec<String> {
    let all: Vec<&str> = ["list", "--json"].iter().chain(args).copied().collect();
    let run = sandbox.run(&all);
    assert!(matches!(run.code, Some(0 | 1)), "{run:?}");
    let found = ids(&run);
    // With a cache that is there now, and without any, the answer is the same.
    assert_eq!(ids(&sandbox.run(&all)), found, "{args:?} from the cache");
    let without: Vec<&str> = all.iter().copied().chain(["--no-index"]).collect();
    assert_eq!(ids(&sandbox.run(&without)), found, "{args:?} without the cache");
    found
}

#[test]
fn the_scopes() {
    let sandbox = Sandbox::new();
    let project = sandbox.project().to_string_lossy().into_owned();
    let inside = format!("{project}/inside");
    let tree = sandbox.path("tree").to_string_lossy().into_owned();
    let other = sandbox.path("other").to_string_lossy().into_owned();
    for folder in [&inside, &tree, &other] {
        fs_err::create_dir_all(folder).unwrap();
    }
    // A second working tree has a file that leads to the repository.
    fs_err::create_dir_all(format!("{project}/.git/worktrees/tree")).unwrap();
    fs_err::write(format!("{tree}/.git"), format!("gitdir: {project}/.git/worktrees/tree\n"))
        .unwrap();
    fs_err::create_dir_all(format!("{other}/.git")).unwrap();
    for (number, (id, cwd)) in
        [("here", &project), ("inside", &inside), ("tree", &tree), ("other", &other)]
            .iter()
            .enumerate()
    {
        put(&sandbox, ROOT, &draft(id, cwd, 10 - number as u64));
    }
    assert_eq!(list(&sandbox, &[]), ["here"]);
    assert_eq!(list(&sandbox, &["--scope", "dir"]), ["here"]);
    assert_eq!(list(&sandbox, &["--scope", "repo"]), ["here", "inside", "tree"]);
    assert_eq!(list(&sandbox, &["--scope", "all"]), ["here", "inside", "tree", "other"]);
}

#[test]
fn both_layouts_and_several_locations() {
    let sandbox = Sandbox::new();
    let project = sandbox.project().to_string_lossy().into_owned();
    sandbox.write("flat/a.jsonl", &draft("flat-here", &project, 1).text());
    sandbox.write("flat/b.jsonl", &draft("flat-other", "/home/ana/x", 2).text());
    put(&sandbox, "root", &draft("root-here", &project, 3));
    put(&sandbox, "root", &draft("root-other", "/home/ana/x", 4));
    let flat = ["--session-dir", "../flat"];
    let root = ["--sessions-root", "../root"];
    let all = ["--scope", "all"];
    let join = |parts: &[&[&'static str]]| parts.concat();
    assert_eq!(list(&sandbox, &flat), ["flat-here"]);
    assert_eq!(list(&sandbox, &join(&[&flat, &all])), ["flat-other", "flat-here"]);
    assert_eq!(list(&sandbox, &root), ["root-here"]);
    assert_eq!(list(&sandbox, &join(&[&root, &all])), ["root-other", "root-here"]);
    assert_eq!(list(&sandbox, &join(&[&flat, &root])), ["root-here", "flat-here"]);
    assert_eq!(list(&sandbox, &join(&[&root, &root, &flat, &all])).len(), 4, "each once");
    let run = sandbox.call(["list", "--json"]).env("PI_SESSIONS_DIR", "../root").run();
    assert_eq!(ids(&run), ["root-here"]);
    assert!(list(&sandbox, &[]).is_empty());
    let _ = sandbox.run(["list"]).exits(1);
}

#[test]
fn links_collisions_artifacts_and_look_alikes() {
    let sandbox = Sandbox::new();
    put(&sandbox, "root", &draft("one", "/home/ana/a/b", 1));
    // Both directories have the same folder name.
    let collides =
        sandbox.write("root/--home-ana-a-b--/two.jsonl", &draft("two", "/home/ana/a-b", 2).text());
    fs_err::os::unix::fs::symlink(collides.parent().unwrap(), sandbox.path("root/--link--"))
        .unwrap();
    fs_err::os::unix::fs::symlink("/nowhere", sandbox.path("root/--home-ana-a-b--/gone.jsonl"))
        .unwrap();
    let artifact = draft("artifact", "/home/ana/a/b", 3).text();
    sandbox.write("root/--home-ana-a-b--/subagent-artifacts/x.jsonl", &artifact);
    sandbox.write("root/--home-ana-a-b--/notes.jsonl", "no session\n");
    sandbox.write(
        "root/--home-ana-a-b--/claude.jsonl",
        "{\"type\":\"user\",\"sessionId\":\"x\",\"uuid\":\"y\"}\n",
    );
    let args = ["--sessions-root", "../root", "--scope", "all"];
    assert_eq!(list(&sandbox, &args), ["two", "one"]);
    for _ in 0..2 {
        let run = sandbox.run(["list", "--sessions-root", "../root", "--scope", "all"]).ok();
        assert_eq!(run.stdout.lines().count(), 2);
        // In one line, with what explains them.
        assert_eq!(run.stderr.lines().count(), 1, "{run:?}");
        assert!(run.stderr.starts_with("skipped 2 files that are not sessions ("), "{run:?}");
        assert!(
            run.stderr.ends_with("; `pitree check --scope all --sessions-root ../root` says why\n"),
            "{run:?}"
        );
        assert!(run.stderr.contains("/--home-ana-a-b--/notes.jsonl"), "{run:?}");
        assert!(run.stderr.contains("/--home-ana-a-b--/claude.jsonl"), "{run:?}");
        let run = sandbox.run(["list", "--json", "--sessions-root", "../root", "--scope", "all"]);
        let named: Value = serde_json::from_str(run.stderr.lines().last().unwrap()).unwrap();
        assert_eq!(named["notSessions"].as_array().unwrap().len(), 2, "{run:?}");
        // None of them lies where this repository has sessions.
        let run = sandbox.run(["list", "--sessions-root", "../root", "--scope", "repo"]).exits(1);
        assert!(!run.stderr.contains("not sessions"), "{run:?}");
        assert!(run.stderr.contains(", which is not in a repository; run `pitree list"), "{run:?}");
    }
    fs_err::create_dir_all(sandbox.path("elsewhere")).unwrap();
    assert_eq!(
        list(&sandbox, &["--sessions-root", "../root", "--scope", "all", "--cwd", "a-b"]),
        ["two"]
    );
}

fn varied() -> Sandbox {
    let sandbox = Sandbox::new();
    let usage = |cost: f64| {
        format!(
            "{{\"type\":\"message\",\"id\":\"u\",\"parentId\":\"q\",\"message\":{{\"role\":\"assistant\",\"content\":[],\"provider\":\"p\",\"model\":\"big-model\",\"usage\":{{\"input\":1,\"output\":1,\"cacheRead\":0,\"cacheWrite\":0,\"cost\":{{\"total\":{cost}}}}},\"stopReason\":\"error\"}}}}\n"
        )
    };
    let mores = [
        ("cheap", usage(0.5)),
        ("dear", usage(5.0)),
        ("named", "{\"type\":\"session_info\",\"id\":\"n\",\"parentId\":\"q\",\"name\":\"A Fine Name\"}\n".to_owned()),
        ("compacted", "{\"type\":\"compaction\",\"id\":\"c\",\"parentId\":\"q\",\"summary\":\"s\"}\n".to_owned()),
        ("branched", "{\"type\":\"label\",\"id\":\"x\",\"parentId\":\"q\"}\n{\"type\":\"label\",\"id\":\"y\",\"parentId\":\"q\"}\n".to_owned()),
        ("helped", "{\"type\":\"message\",\"id\":\"r\",\"parentId\":\"q\",\"message\":{\"role\":\"toolResult\",\"content\":[],\"details\":{\"results\":[{\"agent\":\"scout\"}]}}}\n".to_owned()),
        ("large", format!("{{\"type\":\"message\",\"id\":\"b\",\"parentId\":\"q\",\"message\":{{\"role\":\"user\",\"content\":\"{}\"}}}}\n", "x".repeat(5000))),
    ];
    for (at, (id, more)) in mores.iter().enumerate() {
        let draft = Draft { more, ..draft(id, "/home/ana/p", at as u64) };
        put(&sandbox, ROOT, &draft);
    }
    put(&sandbox, ROOT, &draft("deacon", "/home/ana/gt/deacon", 100));
    sandbox
}

#[test]
fn filters() {
    let sandbox = varied();
    let only = |args: &[&str]| list(&sandbox, &[&["--scope", "all"], args].concat());
    assert_eq!(only(&["--name", "fine"]), ["named"]);
    assert_eq!(only(&["--model", "BIG"]), ["dear", "cheap"]);
    assert_eq!(only(&["--model", "p/big"]), ["dear", "cheap"]);
    assert_eq!(only(&["--cwd", "gt/"]), ["deacon"]);
    assert_eq!(only(&["--role", "deacon"]), ["deacon"]);
    assert_eq!(only(&["--has", "compaction"]), ["compacted"]);
    assert_eq!(only(&["--has", "branch"]), ["branched"]);
    assert_eq!(only(&["--has", "subagent"]), ["helped"]);
    assert_eq!(only(&["--has", "error"]), ["dear", "cheap"]);
    assert_eq!(only(&["--has", "error", "--has", "branch"]), Vec::<String>::new());
    assert_eq!(only(&["--since", "2026-02-03T22:53:00Z"]), ["deacon"]);
    assert_eq!(only(&["--since", "5m"]), Vec::<String>::new());
    assert_eq!(only(&["--since", "5000w"]).len(), 8);
    // A date includes that day.
    assert_eq!(only(&["--until", "2026-02-03"]).len(), 8);
    assert_eq!(only(&["--since", "2026-02-03", "--until", "2026-02-03"]).len(), 8);
    assert_eq!(only(&["--until", "2026-02-03T22:53:00Z"]).len(), 7);
    assert_eq!(only(&["--until", "2026-02-02"]), Vec::<String>::new());
    assert_eq!(only(&["--limit", "2"]), ["deacon", "large"]);
    for bad in
        [&["--since", "soon"][..], &["--since", "é"], &["--scope", "moon"], &["--limit", "0"]]
    {
        let _ = sandbox.run(["list"].iter().chain(bad)).exits(2);
    }
}

#[test]
fn orders() {
    let sandbox = varied();
    let first = |sort: &str| list(&sandbox, &["--scope", "all", "--sort", sort])[0].clone();
    assert_eq!(first("recent"), "deacon");
    assert_eq!(first("cost"), "dear");
    assert_eq!(first("size"), "large");
    let by_messages = list(&sandbox, &["--scope", "all", "--sort", "messages"]);
    let most: Vec<_> = by_messages[..4].iter().map(String::as_str).collect();
    assert_eq!(most, ["large", "helped", "dear", "cheap"], "equal ones by activity");
}

#[test]
fn families() {
    let sandbox = Sandbox::new();
    fn fork<'a>(id: &'a str, at: u64, parent: Option<&'a str>) -> Draft<'a> {
        Draft { parent, ..draft(id, "/home/ana/p", at) }
    }
    let old = put(&sandbox, ROOT, &fork("old", 1, None));
    let child = put(&sandbox, ROOT, &fork("child", 50, Some(&old)));
    put(&sandbox, ROOT, &fork("grandchild", 60, Some(&child)));
    put(&sandbox, ROOT, &fork("young", 30, None));
    // Named as Pi may name it: from the folder of the fork.
    put(&sandbox, ROOT, &fork("relative", 20, Some("old.jsonl")));
    put(&sandbox, ROOT, &fork("orphan", 10, Some("/home/ana/gone.jsonl")));
    let folder = format!("{}/--home-ana-p--", sandbox.path(ROOT).display());
    put(&sandbox, ROOT, &fork("self", 5, Some(&format!("{folder}/self.jsonl"))));
    put(&sandbox, ROOT, &fork("loop-a", 4, Some(&format!("{folder}/loop-b.jsonl"))));
    put(&sandbox, ROOT, &fork("loop-b", 3, Some(&format!("{folder}/loop-a.jsonl"))));
    let threaded = list(&sandbox, &["--scope", "all", "--sort", "threaded"]);
    assert_eq!(threaded[..6], ["old", "child", "grandchild", "relative", "young", "orphan"]);
    assert_eq!(threaded.len(), 9, "a circle hides nobody: {threaded:?}");
    let run = sandbox.run(["list", "--scope", "all", "--sort", "threaded"]).ok();
    let line = |text: &str| run.stdout.lines().find(|line| line.contains(text)).unwrap().to_owned();
    assert!(line("question of child").contains("  └ question"), "{run:?}");
    assert!(line("question of grandchild").contains("    └ question"), "{run:?}");
    let run = sandbox.run(["list", "--scope", "all", "--json"]).ok();
    let rows = run.json();
    let family = |id: &str| {
        let row = rows.as_array().unwrap().iter().find(|row| row["id"] == id).unwrap().clone();
        row["family"].as_str().unwrap().to_owned()
    };
    assert_eq!((family("grandchild"), family("young")), ("old".to_owned(), "young".to_owned()));
    let forks = list(&sandbox, &["--scope", "all", "--has", "fork"]);
    assert!(!forks.contains(&"young".to_owned()) && forks.len() == 8, "{forks:?}");
}

#[test]
fn the_shape_of_the_json() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("flat/s.jsonl", BRANCHED);
    let args = ["list", "--session-dir", "../flat", "--scope", "all", "--json"];
    let rows = sandbox.run(args).ok().json();
    let expected = serde_json::json!([{
        "path": path.to_string_lossy(),
        "id": "01a00000-0000-7000-8000-00000000000a",
        "cwd": "/home/ana/projects/weather",
        "created": "2026-02-03T22:52:06.410Z",
        "modified": "2026-02-03T22:52:11.000Z",
        "messageCount": 5,
        "firstMessage": "first question",
        "size": BRANCHED.len(),
        "entries": 5,
        "branches": 2,
        "compactions": 0,
        "errors": 0,
        "subagents": 0,
        "damagedLines": 0,
        "models": [{"provider": "p", "model": "m", "answers": 2}],
        "spend": {"cost": 0.75, "tokens": 6, "unknownCosts": 0},
        "family": "01a00000-0000-7000-8000-00000000000a",
        "role": null,
    }]);
    assert_eq!(rows, expected);
    let with_text = sandbox.run(args.iter().chain(&["--text"])).ok().json();
    assert_eq!(
        with_text[0]["allMessagesText"],
        "first question first answer left behind second question second answer"
    );
    let _ = sandbox.run(["list", "--text"]).exits(2);
}

#[test]
fn roles() {
    let sandbox = Sandbox::new();
    for (at, cwd) in
        ["/home/ana/gt/deacon", "/home/ana/gt/rig/crew/joe", "/home/ana/plain"].iter().enumerate()
    {
        put(&sandbox, ROOT, &draft(["d", "c", "p"][at], cwd, at as u64));
    }
    let role = |args: &[&str]| -> Vec<Value> {
        let all: Vec<&str> =
            ["list", "--scope", "all", "--json"].iter().chain(args).copied().collect();
        let rows = sandbox.run(&all).ok().json();
        rows.as_array().unwrap().iter().map(|row| row["role"]["role"].clone()).collect()
    };
    assert_eq!(role(&["--role-rules", "seed"]), [Value::Null, "crew".into(), "deacon".into()]);
    let full = role(&[]);
    assert_eq!(full[0], Value::Null);
    let run = sandbox.run(["list", "--scope", "all"]).ok();
    assert!(run.stdout.contains("deacon?"), "known from the directory alone: {run:?}");
    let run = sandbox.run(["list", "--scope", "all", "--role", "nobody"]).exits(2);
    assert!(run.stderr.contains("the roles are mayor"), "{run:?}");
    let _ = sandbox.run(["list", "--scope", "all", "--role", "witness"]).exits(1);
}

#[test]
fn nothing_is_kept_without_an_index() {
    let sandbox = varied();
    let before = files_below(&sandbox.home());
    let _ = sandbox.run(["list", "--scope", "all", "--no-index"]).ok();
    assert_eq!(files_below(&sandbox.home()), before);
    let _ = sandbox.run(["list", "--scope", "all"]).ok();
    assert!(
        files_below(&sandbox.home()).iter().any(|name| name.starts_with(".cache/pitree/sessions-"))
    );
}

#[test]
fn what_cannot_be_read_is_reported_by_list_cost_and_search() {
    let sandbox = Sandbox::new();
    put(&sandbox, "root", &draft("one", "/home/ana/a", 1));
    let link = fs_err::os::unix::fs::symlink::<&str, std::path::PathBuf>;
    // Links to themselves: a file and a folder that nobody can read, root neither.
    link("loop.jsonl", sandbox.path("root/--home-ana-a--/loop.jsonl")).unwrap();
    link("--loop--", sandbox.path("root/--loop--")).unwrap();
    let is_named = |text: &str| {
        text.contains("loop.jsonl") && text.contains("--loop--") && text.contains("symbolic link")
    };
    for no_index in [&["--no-index"][..], &[], &[]] {
        for verb in [&["list"][..], &["cost"], &["search", "question"], &["search", "qestn"]] {
            let mut args = vec!["--sessions-root", "../root", "--scope", "all"];
            args.extend_from_slice(no_index);
            let text = sandbox.run(verb.iter().chain(&args).copied());
            assert!(is_named(&text.stderr), "{verb:?}: {text:?}");
            args.push("--json");
            let json = sandbox.run(verb.iter().chain(&args).copied());
            let value: Value = match verb[0] {
                "list" => serde_json::from_str(json.stderr.lines().next().unwrap()).unwrap(),
                _ => json.json(),
            };
            assert_eq!(value["unreadable"].as_array().unwrap().len(), 2, "{verb:?}: {json:?}");
            assert!(is_named(&value.to_string()), "{verb:?}: {json:?}");
            assert!(value["unreadable"][0]["reason"].is_string(), "{verb:?}: {json:?}");
        }
    }
    // A folder that is none.
    let file = sandbox.write("file", "");
    let run = sandbox.run(["list", "--session-dir", file.to_str().unwrap()]).exits(2);
    assert!(run.stderr.contains("file is a file, not a folder\n"), "{run:?}");
}

#[test]
fn nothing_is_not_silent() {
    let sandbox = Sandbox::new();
    let said = |args: &[&str], code: i32| {
        let run = sandbox.run([&["list"], args].concat()).exits(code);
        assert!(run.stdout.is_empty() || run.stdout == "[]\n", "{run:?}");
        run.stderr
    };
    // Where there are no others, nobody is sent to look for them.
    for args in [&[][..], &["--json"], &["--scope", "repo"], &["--scope", "all"]] {
        let nothing = said(args, 1);
        assert!(nothing.contains("no sessions in ~/.pi/agent/sessions; "), "{nothing}");
        assert!(nothing.contains("`pitree demo` shows a sample"), "{nothing}");
        assert!(!nothing.contains("the others"), "{nothing}");
    }
    let elsewhere = sandbox.default_folder().parent().unwrap().join("--elsewhere--");
    fs_err::create_dir_all(&elsewhere).unwrap();
    fs_err::write(elsewhere.join("s.jsonl"), BRANCHED.replace("01a0", "02a0")).unwrap();
    let here = format!("no sessions in {}; ", sandbox.project().display());
    assert_eq!(said(&[], 1), format!("{here}run `pitree list --scope all` to see the others\n"));
    assert!(said(&["--json"], 1).contains(&here));
    for flag in ["--session-dir", "--sessions-root"] {
        let wrong = said(&[flag, "/nonexist", "--scope", "all"], 2);
        assert!(wrong.contains("The folder /nonexist does not exist"), "{wrong}");
    }
    // A folder of sessions, named by the wrong one of the two options.
    sandbox.write("flat/s.jsonl", BRANCHED);
    sandbox.write("root/--a--/s.jsonl", BRANCHED);
    for (wrong, folder, right) in
        [("--sessions-root", "flat", "--session-dir"), ("--session-dir", "root", "--sessions-root")]
    {
        let folder = sandbox.path(folder);
        let folder = folder.to_str().unwrap();
        let said = said(&[wrong, folder, "--scope", "all"], 1);
        assert!(said.contains(&format!("name it with `{right}`")), "{said}");
        let run = sandbox.run(["list", right, folder, "--scope", "all"]).ok();
        assert_eq!(run.stderr, "");
    }
    let cwd = sandbox.project();
    let here = BRANCHED.replace("/home/ana/projects/weather", cwd.to_str().unwrap());
    fs_err::create_dir_all(sandbox.default_folder()).unwrap();
    fs_err::write(sandbox.default_folder().join("s.jsonl"), here).unwrap();
    let filtered = said(&["--name", "nobody"], 1);
    let place = sandbox.project().display().to_string();
    let expected =
        format!("the 1 session in {place} does not match; remove a filter, or try `--scope all`\n");
    assert_eq!(filtered, expected);
    let run = sandbox.run(["list"]).ok();
    assert_eq!(run.stderr, "");
}

#[test]
fn a_new_fork_is_marked_and_as_old_as_itself() {
    let sandbox = Sandbox::new();
    let project = sandbox.project().to_string_lossy().into_owned();
    let path = put(&sandbox, ROOT, &draft("01a00000-first", &project, 10));
    let fork = sandbox.run(["clone", &path, "--json"]).ok().json()["id"].clone();
    let fork = fork.as_str().unwrap();
    let text = sandbox.run(["list"]).ok().stdout;
    let line_of = |id: &str| {
        let found = text.lines().find(|line| line.contains(&format!("  {}  ", &id[..8])));
        found.unwrap_or_else(|| panic!("no {id}: {text}")).to_owned()
    };
    let forked = line_of(fork);
    assert!(forked.trim_start().starts_with("now  "), "{text}");
    assert!(forked.contains("  ⑂ question of 01a00000-first  fork of 01a00000"), "{text}");
    let first = line_of("01a00000-first");
    assert!(!first.contains("now ") && !first.contains(['⑂', '└']), "{text}");
    // Below its parent it is known for a fork.
    let threaded = sandbox.run(["list", "--sort", "threaded"]).ok().stdout;
    let last = threaded.lines().last().unwrap();
    assert!(last.contains("└ question") && !last.contains("fork of"), "{threaded}");
    // Programs get the time that Pi has.
    let rows = sandbox.run(["list", "--json"]).ok().json();
    assert_eq!(rows[0]["modified"], rows[1]["modified"]);
    assert!(rows.as_array().unwrap().iter().any(|row| row["parentSessionPath"] == path.as_str()));
    assert_eq!(list(&sandbox, &["--since", "yesterday"]), [fork]);
    assert_eq!(list(&sandbox, &["--until", "2 days ago"]), ["01a00000-first"]);
    // The ages are in order, although the fork's last message is older.
    put(&sandbox, ROOT, &draft("later", &project, 20));
    assert_eq!(list(&sandbox, &[]), [fork, "later", "01a00000-first"]);
}

#[test]
fn times_are_typed_as_people_say_them() {
    let sandbox = Sandbox::new();
    // 2026-02-03, a Tuesday.
    put(&sandbox, ROOT, &draft("one", "/home/ana/a", 1));
    let keeps = |option: &str, time: &str| {
        let args = ["list", "--scope", "all", option, time];
        match sandbox.run(args).code {
            Some(0) => true,
            Some(1) => false,
            other => panic!("{other:?}: {time}"),
        }
    };
    for (time, since, until) in [
        ("2026-W06", true, true),
        ("2026-W05", true, false),
        ("2026-W07", false, true),
        ("2026-02", true, true),
        ("today", false, true),
        ("yesterday", false, true),
        ("last week", false, true),
        ("last-week", false, true),
        ("this month", false, true),
        ("3 days ago", false, true),
        ("40 years ago", true, false),
    ] {
        assert_eq!((keeps("--since", time), keeps("--until", time)), (since, until), "{time}");
    }
    // Where the day is a day later.
    let args = ["list", "--scope", "all", "--since", "2026-02-04"];
    let _ = sandbox.call(args).env("TZ", "UTC").run().exits(1);
    let _ = sandbox.call(args).env("TZ", "Asia/Tokyo").run().ok();
    for verb in ["list", "cost", "stats", "extract"] {
        let mut args = vec![verb, "--since", "someday"];
        args.extend(["--output", "x"].iter().filter(|_| verb == "extract"));
        let wrong = sandbox.run(args).exits(2).stderr;
        assert!(wrong.contains("yesterday, \"3 days ago\", \"last week\""), "{verb}: {wrong}");
        let times = ["--since", "today", "--until", "yesterday"];
        let end: &[&str] = if verb == "extract" { &["--output", "x"] } else { &[] };
        let wrong = sandbox.run([&[verb], &times[..], end].concat()).exits(2).stderr;
        assert!(wrong.contains("`--since` is later than `--until`"), "{verb}: {wrong}");
    }
    for to_come in ["--since=-1d", "--since=+3 days ago"] {
        let _ = sandbox.run(["list", to_come]).exits(2);
    }
}
