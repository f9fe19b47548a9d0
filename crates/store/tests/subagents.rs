//! The records of sub-agents: found where they are, and not followed elsewhere.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use pitree_format::js::parse;
use pitree_session::Environment;
use pitree_session::location::{Layout, Location, Origin};
use pitree_store::subagents::{
    Form, PlaceKind, PlaceState, Refused, Resolution, SubagentCall, Trust, read_messages, resolve,
};
use tempfile::TempDir;

const SESSION: &str = concat!(
    r#"{"type":"session","version":3,"id":"s","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/home/ana/p"}"#,
    "\n",
    r#"{"type":"message","id":"a","parentId":null,"timestamp":"2026-02-03T10:00:01.000Z","message":{"role":"user","content":"look"}}"#,
    "\n",
);

const EVENTS: &str = concat!(
    r#"{"type":"session","version":3,"id":"s","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/home/ana/p"}"#,
    "\n",
    r#"{"type":"agent_start"}"#,
    "\n",
    r#"{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"found"}]}}"#,
    "\n",
);

struct World {
    root: PathBuf,
    trust: Trust,
    _folder: TempDir,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = fs_err::canonicalize(folder.path()).unwrap();
        for name in ["tmp/pi-subagent-session-1/run-0", "sessions/x/subagent-artifacts", "home"] {
            fs_err::create_dir_all(root.join(name)).unwrap();
        }
        let environment = Environment::new(root.clone(), "/home/ana/p", || 0, |_| {})
            .with_var("TMPDIR", root.join("tmp").to_str().unwrap());
        let location = Location {
            path: root.join("sessions"),
            layout: Layout::PerDirectory,
            origin: Origin::SessionsRootFlag,
        };
        let trust = Trust::new(&[location], &environment);
        Self { root, trust, _folder: folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    fn write(&self, name: &str, content: &str) -> PathBuf {
        fs_err::write(self.path(name), content).unwrap();
        self.path(name)
    }

    /// A call with one run in all four places.
    fn call(&self, mode: &str) -> SubagentCall {
        let session = self.path("tmp/pi-subagent-session-1/run-0/s.jsonl");
        decode(&format!(
            r#"{{"mode":"{mode}","results":[{{"agent":"worker","task":"look","exitCode":0,
"messages":[{{"role":"user","content":"look"}}],"sessionFile":"{}",
"artifactPaths":{{"jsonlPath":"~/sessions/x/subagent-artifacts/1_worker.jsonl"}}}}],
"artifacts":{{"dir":"~/sessions/x/subagent-artifacts","files":[{{"jsonlPath":"2_worker.jsonl"}}]}}}}"#,
            session.display()
        ))
    }

    fn resolve_file(&self, path: &Path) -> PlaceState {
        let call = decode(&format!(
            r#"{{"results":[{{"agent":"a","sessionFile":"{}"}}]}}"#,
            path.display()
        ));
        resolve(&call, 0, &self.trust).unwrap().places[0].state.clone()
    }
}

fn decode(details: &str) -> SubagentCall {
    let text = details.replace('\n', "");
    SubagentCall::decode(&parse(text.as_bytes()).unwrap()).unwrap()
}

fn used(resolution: &Resolution) -> Option<PlaceKind> {
    resolution.used().map(|place| place.kind)
}

#[test]
fn the_places_are_tried_in_order_as_each_goes() {
    for mode in ["single", "parallel", "chain"] {
        let world = World::new();
        let files = [
            world.write("tmp/pi-subagent-session-1/run-0/s.jsonl", SESSION),
            world.write("sessions/x/subagent-artifacts/1_worker.jsonl", EVENTS),
            world.write("sessions/x/subagent-artifacts/2_worker.jsonl", SESSION),
        ];
        let call = world.call(mode);
        assert_eq!(call.mode.as_ref().unwrap().to_string(), mode);
        let order = [PlaceKind::SessionFile, PlaceKind::ArtifactPath, PlaceKind::ArtifactFile];
        for (at, kind) in order.into_iter().enumerate() {
            let resolution = resolve(&call, 0, &world.trust).unwrap();
            assert_eq!(resolution.places.len(), 4);
            assert_eq!(used(&resolution), Some(kind), "{resolution:#?}");
            let gone = resolution.places.iter().filter(|p| p.state == PlaceState::Gone).count();
            assert_eq!(gone, at);
            fs_err::remove_file(&files[at]).unwrap();
        }
        let resolution = resolve(&call, 0, &world.trust).unwrap();
        assert_eq!(used(&resolution), Some(PlaceKind::Inline));
        assert_eq!(resolution.used().unwrap().path, None);
    }
}

#[test]
fn each_place_alone_is_enough() {
    for (name, kind, content) in [
        ("tmp/pi-subagent-session-1/run-0/s.jsonl", PlaceKind::SessionFile, EVENTS),
        ("sessions/x/subagent-artifacts/1_worker.jsonl", PlaceKind::ArtifactPath, SESSION),
        ("sessions/x/subagent-artifacts/2_worker.jsonl", PlaceKind::ArtifactFile, SESSION),
    ] {
        let world = World::new();
        let path = world.write(name, content);
        let mut call = world.call("single");
        call.runs[0].messages.clear();
        let resolution = resolve(&call, 0, &world.trust).unwrap();
        assert_eq!(used(&resolution), Some(kind));
        assert_eq!(resolution.used().unwrap().path.as_ref(), Some(&path));
        assert_eq!(resolution.places.len(), 3);
    }
    let world = World::new();
    let mut call = world.call("single");
    call.runs[0].messages.clear();
    assert_eq!(used(&resolve(&call, 0, &world.trust).unwrap()), None);
}

#[test]
fn artifacts_belong_to_their_runs() {
    let world = World::new();
    let file = |name: &str| {
        let name = format!("sessions/x/subagent-artifacts/{name}");
        world.write(&name, SESSION).display().to_string()
    };
    let (one, two) = (file("1_worker.jsonl"), file("2_scout.jsonl"));
    let runs = r#""results":[{"agent":"scout"},{"agent":"worker"}]"#;
    // As many files as runs: one for each, in order. Otherwise the agent's name tells.
    for (files, expected) in [
        (format!(r#"{{"jsonlPath":"{two}"}},{{"jsonlPath":"{one}"}}"#), [Some(&two), Some(&one)]),
        (format!(r#"{{"jsonlPath":"{one}"}}"#), [None, Some(&one)]),
    ] {
        let call = decode(&format!(r#"{{{runs},"artifacts":{{"files":[{files}]}}}}"#));
        for (number, expected) in expected.into_iter().enumerate() {
            let resolution = resolve(&call, number, &world.trust).unwrap();
            let path = resolution.used().and_then(|place| place.path.clone());
            assert_eq!(path, expected.map(PathBuf::from), "{number}");
        }
    }
}

#[test]
fn records_of_events_give_their_messages() {
    let world = World::new();
    let path = world.write("sessions/x/e.jsonl", EVENTS);
    assert_eq!(world.resolve_file(&path), PlaceState::There(Form::Messages));
    assert_eq!(read_messages(&path).unwrap().len(), 1);
    let path = world.write("sessions/x/n.jsonl", "nothing of ours\n");
    assert!(matches!(world.resolve_file(&path), PlaceState::Unusable(_)));
    let path = world.write("sessions/x/z.jsonl", "");
    assert!(matches!(world.resolve_file(&path), PlaceState::Unusable(_)));
}

#[test]
fn hostile_paths_are_refused() {
    let world = World::new();
    let refused = |path: &Path| match world.resolve_file(path) {
        PlaceState::Refused(reason) => reason,
        other => panic!("{}: {other:?}", path.display()),
    };
    let secret = world.write("home/secret.jsonl", SESSION);
    assert_eq!(refused(&secret), Refused::Outside);
    assert_eq!(refused(Path::new("/etc/passwd")), Refused::Outside);
    assert_eq!(refused(Path::new("secret.jsonl")), Refused::NotAbsolute);
    assert_eq!(refused(&world.path("sessions/../home/secret.jsonl")), Refused::GoesUp);
    // Other files in the temporary folder are nobody's sub-agents.
    let other = world.write("tmp/other.jsonl", SESSION);
    assert_eq!(refused(&other), Refused::Outside);
    // A name that only begins like a location.
    assert_eq!(refused(&world.path("sessions-of-others/s.jsonl")), Refused::Outside);

    let link = world.path("sessions/x/link.jsonl");
    symlink(&secret, &link).unwrap();
    assert_eq!(refused(&link), Refused::Link(link.clone()));
    let folder = world.path("tmp/pi-subagent-session-evil");
    symlink(world.path("home"), &folder).unwrap();
    assert_eq!(refused(&folder.join("secret.jsonl")), Refused::Link(folder.clone()));
    let inner = world.path("sessions/inner");
    symlink(world.path("home"), &inner).unwrap();
    assert_eq!(refused(&inner.join("secret.jsonl")), Refused::Link(inner.clone()));
    let dangling = world.path("sessions/x/dangling.jsonl");
    symlink(world.path("nowhere"), &dangling).unwrap();
    assert_eq!(refused(&dangling), Refused::Link(dangling.clone()));

    let pipe = world.path("sessions/x/pipe.jsonl");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert_eq!(refused(&pipe), Refused::NotAFile);
    assert_eq!(refused(&world.path("sessions/x")), Refused::NotAFile);
    assert_eq!(refused(&world.path("sessions")), Refused::NotAFile);
    assert_eq!(world.resolve_file(&world.path("sessions/x/gone.jsonl")), PlaceState::Gone);
    let under_a_file = world.write("sessions/x/f.jsonl", SESSION).join("s.jsonl");
    assert_eq!(world.resolve_file(&under_a_file), PlaceState::Gone);
}

#[test]
fn a_location_behind_a_link_of_the_user_is_known_by_both_names() {
    let world = World::new();
    let path = world.write("sessions/x/s.jsonl", SESSION);
    let alias = world.path("alias");
    symlink(world.path("sessions"), &alias).unwrap();
    let location = Location {
        path: alias.clone(),
        layout: Layout::PerDirectory,
        origin: Origin::SessionsRootFlag,
    };
    let environment = Environment::new("/home/ana", "/home/ana/p", || 0, |_| {});
    let trust = Trust::new(&[location], &environment);
    assert_eq!(trust.check(&alias.join("x/s.jsonl")), Ok(true));
    assert_eq!(trust.check(&path), Ok(true));
}
