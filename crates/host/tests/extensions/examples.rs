//! The examples that come with pitree do what they say.

use std::path::Path;
use std::process::Command;

use pitree_format::{Object, Value};
use pitree_host::events::ForkPosition;
use pitree_session::compaction::NavigateOptions;
use pitree_session::summary::Cancel;

use crate::extensions::world::{World, first_user, message, patient, troubles, write_script};

/// Puts an example where the user would.
fn install(world: &World, name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../extras/extensions");
    let text = fs_err::read_to_string(folder.join(name)).unwrap();
    write_script(&world.folder().join(name), &text);
}

fn has_python(test: &str) -> bool {
    let is_there = Command::new("python3").arg("--version").output().is_ok();
    if !is_there {
        pitree_testkit::tell(&format!("skipped {test}: there is no python3"));
    }
    is_there
}

fn call(path: &str) -> Value {
    let call = Object::new()
        .with("type", "toolCall")
        .with("id", "call")
        .with("name", "read")
        .with("arguments", Object::new().with("path", path));
    Object::new().with("role", "assistant").with("content", vec![Value::Object(call)]).into()
}

#[test]
fn the_journal_writes_down_every_event_and_holds_a_session() {
    let world = World::new();
    install(&world, "journal.sh");
    let mut live = world.live(patient());
    live.start().unwrap();
    // Text of a session that looks like a line of the protocol changes nothing.
    let name = r#""session":{"id":"fake"},"event":{"type":"fake""#;
    live.set_name(name).unwrap();
    let user = first_user(&live);
    let (first, leaf) = (live.session().id(), live.session().leaf_id().map(str::to_owned));
    fs_err::write(world.folder().join("hold"), "").unwrap();
    assert!(live.fork(&user, ForkPosition::At).unwrap().cancelled);
    assert!(live.new_session(None).unwrap().cancelled);
    let moved = live.navigate_tree(&user, NavigateOptions::default(), &Cancel::new()).unwrap();
    assert!(moved.cancelled);
    assert_eq!(live.session().leaf_id(), leaf.as_deref());
    fs_err::remove_file(world.folder().join("hold")).unwrap();
    assert!(!live.fork(&user, ForkPosition::At).unwrap().cancelled);
    let fork = live.session().id();
    live.shutdown();
    assert_eq!(troubles(&mut live), Vec::<String>::new());
    drop(live);
    let journal = fs_err::read_to_string(world.folder().join("journal.tsv")).unwrap();
    let lines: Vec<(&str, &str)> = journal
        .lines()
        .map(|line| {
            let columns: Vec<&str> = line.split('\t').collect();
            assert_eq!(columns.len(), 3, "{line}");
            (columns[1], columns[2])
        })
        .collect();
    assert_eq!(
        lines,
        [
            ("session_start", first.as_str()),
            ("session_info_changed", &first),
            ("session_before_fork", &first),
            ("session_before_switch", &first),
            ("session_before_tree", &first),
            ("session_before_fork", &first),
            ("session_shutdown", &first),
            ("session_start", &fork),
            ("session_fork", &fork),
            ("session_shutdown", &fork),
        ]
    );
}

#[test]
fn the_requests_become_the_summary_of_a_branch() {
    if !has_python("the_requests_become_the_summary_of_a_branch") {
        return;
    }
    let world = World::new();
    install(&world, "requests.py");
    let mut live = world.live(patient());
    let answer = live.session().leaf_id().unwrap().to_owned();
    live.session_mut().append_message(message("user", "And how\ndo I write one?")).unwrap();
    live.session_mut().append_message(call("/srv/a.rs")).unwrap();
    let plain = live.navigate_tree(&answer, NavigateOptions::default(), &Cancel::new()).unwrap();
    assert!(plain.summary_entry.is_none(), "nobody wanted one");
    let last = live.session().at(3).unwrap().id().to_owned();
    live.navigate_tree(&last, NavigateOptions::default(), &Cancel::new()).unwrap();
    let options = NavigateOptions { summarize: true, ..NavigateOptions::default() };
    let moved = live.navigate_tree(&answer, options, &Cancel::new()).unwrap();
    let summary = moved.summary_entry.unwrap().get_string("summary").unwrap().to_string();
    assert_eq!(
        summary,
        "The user asked for:\n- And how do I write one?\n\n\
         Files that were read or changed:\n- /srv/a.rs"
    );
    assert_eq!(troubles(&mut live), Vec::<String>::new());
}

#[test]
fn the_requests_become_a_compaction_that_the_next_one_goes_on_from() {
    if !has_python("the_requests_become_a_compaction_that_the_next_one_goes_on_from") {
        return;
    }
    let world = World::new();
    install(&world, "requests.py");
    let mut live = world.live(patient());
    live.options_mut().compaction.settings.keep_recent_tokens = 1;
    let mut compact = |request: &str| {
        live.session_mut().append_message(message("user", request)).unwrap();
        let result = live.compact(None, &Cancel::new()).unwrap();
        assert_eq!(troubles(&mut live), Vec::<String>::new());
        result.compaction.summary.to_string()
    };
    let first = compact("And how do I write one? \u{1F600}");
    assert_eq!(first, "The user asked for:\n- How do I read a file?");
    let second = compact("Is there a shorter way?");
    assert!(second.starts_with(&first), "{second}");
    assert!(second.contains("- And how do I write one? \u{1F600}"), "{second}");
}
