//! One session takes the place of another.

use std::os::unix::fs::symlink;

use pitree_format::js::stringify;
use pitree_host::events::{BeforeReply, EventKind, ForkPosition};
use pitree_host::live::{LiveOptions, LiveSession, StartingModel};

use crate::live::world::{Answers, World, answer, user};

fn spoken(world: &World) -> LiveSession {
    let mut live = world.live(LiveOptions::default());
    speak(&mut live);
    live
}

fn speak(live: &mut LiveSession) {
    live.append_message(user("How do I read a file?")).unwrap();
    live.append_message(answer("With fs_err::read.", 10.0)).unwrap();
}

fn file(live: &LiveSession) -> String {
    live.session().path().unwrap().to_str().unwrap().to_owned()
}

#[test]
fn a_session_starts_once_and_ends_once() {
    let world = World::new();
    let mut live = world.live(LiveOptions::default());
    live.shutdown();
    live.start().unwrap();
    live.start().unwrap();
    live.shutdown();
    live.shutdown();
    assert_eq!(world.names(), ["session_start startup", "session_shutdown quit"]);
}

#[test]
fn switch_and_fork_are_told_with_the_payloads_of_the_port() {
    let world = World::new();
    let mut live = spoken(&world);
    let (source, source_file) = (live.session().id(), file(&live));
    let first = live.session().at(0).unwrap().id().to_owned();
    live.fork(&first, ForkPosition::Before).unwrap();
    let fork = live.session().id();
    let told = world.heard().pop().unwrap();
    assert_eq!(
        stringify(&told),
        format!(
            r#"{{"type":"session_fork","entryId":"{first}","summary":"How do I read a file?","sessionId":"{source}","newSessionId":"{fork}","previousSessionFile":"{source_file}"}}"#
        )
    );
    let before = file(&live);
    live.switch_session(&source_file).unwrap();
    let told = world.heard().pop().unwrap();
    assert_eq!(
        stringify(&told),
        format!(
            r#"{{"type":"session_switch","reason":"resume","previousSessionFile":"{before}","targetSessionFile":"{source_file}","sessionId":"{source}"}}"#
        )
    );
}

#[test]
fn sessions_in_memory_stay_there() {
    let world = World::new();
    let starting_model = StartingModel {
        model: Some(("anthropic".into(), "claude-sonnet-4-5".into())),
        thinking_level: Some("high".into()),
    };
    let mut live = world.in_memory(LiveOptions { starting_model, ..LiveOptions::default() });
    live.start().unwrap();
    assert_eq!(live.session().len(), 2);
    speak(&mut live);
    live.clone_session().unwrap();
    assert_eq!(live.session().len(), 4);
    let user = live.session().at(2).unwrap().id().to_owned();
    live.fork(&user, ForkPosition::Before).unwrap();
    // The model and the level came along, and are set again since nobody has spoken.
    assert_eq!(live.session().len(), 4);
    live.new_session(Some("/srv/parent.jsonl")).unwrap();
    assert_eq!(live.session().len(), 2);
    let parent = live.session().header().parent_session.as_ref().unwrap();
    assert_eq!(parent.to_string(), "/srv/parent.jsonl");
    assert!(live.session().path().is_none());
    assert!(!world.path("sessions").exists());
}

#[test]
fn a_model_that_is_set_is_the_sessions_and_new_ones_begin_with_the_usual() {
    let world = World::new();
    let starting_model = StartingModel {
        model: Some(("anthropic".into(), "claude-sonnet-4-5".into())),
        thinking_level: Some("high".into()),
    };
    let mut live = world.live(LiveOptions { starting_model, ..LiveOptions::default() });
    live.set_model("openai", "gpt-5").unwrap();
    live.set_thinking_level("low").unwrap();
    assert_eq!(world.names(), ["thinking_level_changed"]);
    assert_eq!(live.session().context().unwrap().thinking_level, Some("low".into()));
    live.new_session(None).unwrap();
    let context = live.session().context().unwrap();
    assert_eq!(context.thinking_level, Some("high".into()));
    let model = context.model.unwrap();
    assert_eq!(model.model_id, Some("claude-sonnet-4-5".into()));
    assert_eq!(live.session().len(), 2);
}

#[test]
fn a_session_whose_folder_is_gone_is_refused_unless_another_one_is_named() {
    let world = World::new();
    let mut live = spoken(&world);
    let own = live.session().id();
    let lost = world.path("sessions/lost.jsonl");
    let header = r#"{"type":"session","version":3,"id":"lost","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/srv/gone"}"#;
    fs_err::write(&lost, format!("{header}\n")).unwrap();
    let error = live.switch_session(lost.to_str().unwrap()).unwrap_err();
    assert!(
        error.to_string().starts_with(
            "Stored session working directory does not exist: /srv/gone\nSession file: "
        )
    );
    assert_eq!(live.session().id(), own);
    live.switch_session_into(lost.to_str().unwrap(), &world.path("project")).unwrap();
    assert_eq!(live.session().id(), "lost");
}

#[test]
fn the_open_session_cannot_be_deleted_under_any_name() {
    let world = World::new();
    let live = spoken(&world);
    let own = live.session().path().unwrap();
    let link = world.path("link.jsonl");
    symlink(own, &link).unwrap();
    let roundabout = own.parent().unwrap().join("../sessions").join(own.file_name().unwrap());
    for path in [own, &link, &roundabout] {
        live.ensure_deletable(path).unwrap_err();
    }
    live.ensure_deletable(&world.path("sessions/other.jsonl")).unwrap();
}

#[test]
fn an_import_asks_first_and_then_copies() {
    let world = World::new();
    let mut live = spoken(&world);
    let source = live.session().path().unwrap().to_owned();
    let copy_to = |to: &std::path::Path| {
        fs_err::copy(&source, to)
            .map(drop)
            .map_err(|error| pitree_host::live::LiveError::Refused(error.to_string()))
    };
    let target = world.path("sessions/imported.jsonl");
    live.import_session(&target, None, copy_to).unwrap();
    assert_eq!(live.session().path(), Some(target.as_path()));
    assert_eq!(
        world.names(),
        [
            "session_before_switch resume",
            "session_shutdown resume",
            "session_start resume",
            "session_switch resume"
        ]
    );
    live.observe(Box::new(Answers(EventKind::SessionBeforeSwitch, BeforeReply::cancelled())));
    let other = world.path("sessions/other.jsonl");
    assert!(live.import_session(&other, None, copy_to).unwrap().cancelled);
    assert!(!other.exists());
}
