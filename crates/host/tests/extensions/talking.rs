//! What extensions are told, and what their answers do.

use pitree_host::events::ForkPosition;
use pitree_host::live::LiveSession;
use pitree_session::compaction::NavigateOptions;
use pitree_session::summary::Cancel;
use serde_json::Value;

use crate::extensions::world::{World, first_user, hello, message, patient, troubles};

/// Answers every event that asks with the same result.
fn answering(events: &[&str], result: &str) -> String {
    let number = r#"sed 's/.*"type":"event","id":\([0-9]*\).*/\1/'"#;
    format!(
        "{}while read -r line; do\n\
         printf '%s\\n' \"$line\" >> heard\n\
         id=$(printf '%s\\n' \"$line\" | {number})\n\
         case $line in *_before_*) printf '%s\\n' \"{{\\\"type\\\":\\\"reply\\\",\\\"id\\\":$id,\\\"result\\\":{}}}\";; esac\n\
         done\n",
        hello(events),
        result.replace('"', "\\\""),
    )
}

fn heard(world: &World) -> Vec<Value> {
    world.written("heard").lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn names(heard: &[Value]) -> Vec<&str> {
    heard.iter().map(|line| line["event"]["type"].as_str().unwrap()).collect()
}

fn end(mut live: LiveSession) -> Vec<String> {
    live.shutdown();
    let troubles = troubles(&mut live);
    drop(live);
    troubles
}

#[test]
fn an_extension_hears_what_it_asked_for_and_nothing_else() {
    let world = World::new();
    let events = ["session_start", "session_before_fork", "session_fork", "session_shutdown"];
    world.extension("all", &answering(&events, "null"));
    let mut live = world.live(patient());
    live.start().unwrap();
    live.set_name("a name").unwrap();
    let user = first_user(&live);
    let source = live.session().id();
    live.fork(&user, ForkPosition::At).unwrap();
    let fork = live.session().id();
    assert_eq!(end(live), Vec::<String>::new());
    let heard = heard(&world);
    assert_eq!(
        names(&heard),
        [
            "session_start",
            "session_before_fork",
            "session_shutdown",
            "session_start",
            "session_fork",
            "session_shutdown"
        ]
    );
    let asked = &heard[1];
    assert_eq!(asked["event"]["entryId"], user.as_str());
    assert_eq!(asked["session"]["id"], source.as_str());
    assert_eq!(asked["session"]["cwd"], world.path("project").to_str().unwrap());
    assert_eq!(asked["limitMs"], 20_000);
    assert!(heard[0]["limitMs"].is_null());
    assert_eq!(heard[4]["event"]["newSessionId"], fork.as_str());
    assert_eq!(heard[4]["session"]["id"], fork.as_str());
    assert_eq!(heard[5]["event"]["reason"], "quit");
}

#[test]
fn an_extension_can_cancel() {
    let world = World::new();
    let events = ["session_before_fork", "session_before_switch", "session_before_tree"];
    world.extension("no", &answering(&events, r#"{"cancel":true}"#));
    let mut live = world.live(patient());
    let user = first_user(&live);
    let (id, leaf) = (live.session().id(), live.session().leaf_id().unwrap().to_owned());
    assert!(live.fork(&user, ForkPosition::Before).unwrap().cancelled);
    assert!(live.clone_session().unwrap().cancelled);
    assert!(live.new_session(None).unwrap().cancelled);
    let moved = live.navigate_tree(&user, NavigateOptions::default(), &Cancel::new()).unwrap();
    assert!(moved.cancelled);
    assert_eq!(live.session().id(), id);
    assert_eq!(live.session().leaf_id(), Some(leaf.as_str()));
    assert_eq!(end(live), Vec::<String>::new());
}

#[test]
fn an_extension_can_give_the_summary_and_the_label_of_a_move() {
    let world = World::new();
    let result =
        r#"{"summary":{"summary":"They read a file.","details":{"own":1}},"label":"left"}"#;
    world.extension("sum", &answering(&["session_before_tree"], result));
    let mut live = world.live(patient());
    let user = first_user(&live);
    let options = NavigateOptions { summarize: true, ..NavigateOptions::default() };
    let moved = live.navigate_tree(&user, options, &Cancel::new()).unwrap();
    let summary = moved.summary_entry.unwrap();
    assert_eq!(summary.get_string("summary").unwrap().to_string(), "They read a file.");
    assert_eq!(summary.get("fromHook"), Some(&true.into()));
    let id = summary.get_string("id").unwrap().to_string();
    assert_eq!(live.session().label(&id).unwrap().unwrap().to_string(), "left");
    assert_eq!(end(live), Vec::<String>::new());
}

#[test]
fn an_extension_can_give_the_compaction() {
    let world = World::new();
    let result = r#"{"compaction":{"summary":"Files were read.","firstKeptEntryId":null}}"#;
    world.extension("sum", &answering(&["session_before_compact", "session_compact"], result));
    let mut live = world.live(patient());
    live.session_mut().append_message(message("user", "And how do I write one?")).unwrap();
    live.options_mut().compaction.settings.keep_recent_tokens = 1;
    let result = live.compact(Some("files"), &Cancel::new()).unwrap();
    assert_eq!(result.compaction.summary.to_string(), "Files were read.");
    let entry = live.session().leaf().unwrap().value().unwrap();
    assert_eq!(entry.get("fromHook"), Some(&true.into()));
    assert_eq!(end(live), Vec::<String>::new());
    let heard = heard(&world);
    assert_eq!(names(&heard), ["session_before_compact", "session_compact"]);
    assert_eq!(heard[0]["event"]["customInstructions"], "files");
    assert_eq!(heard[1]["event"]["compactionEntry"]["summary"], "Files were read.");
}

#[test]
fn the_last_extension_by_name_wins() {
    let world = World::new();
    let label = |text| answering(&["session_before_tree"], &format!(r#"{{"label":"{text}"}}"#));
    world.extension("20-second", &label("second"));
    world.extension("10-first", &label("first"));
    let mut live = world.live(patient());
    let user = first_user(&live);
    live.navigate_tree(&user, NavigateOptions::default(), &Cancel::new()).unwrap();
    assert_eq!(live.session().label(&user).unwrap().unwrap().to_string(), "second");
    assert_eq!(end(live), Vec::<String>::new());
}
