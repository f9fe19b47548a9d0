//! Extensions of the TypeScript Pi, unmodified, behind the bridge.

use pitree_format::Value;
use pitree_format::js::{parse, stringify};
use pitree_testkit::{Oracle, has_pi};

use crate::rpc::peer::{Machine, Peer};
use crate::rpc::pi::TALK;

/// An extension as Pi's users write them: types, and an import of types only.
const EXTENSION: &str = r#"
import { appendFileSync } from "node:fs";
import type { ExtensionAPI, SessionBeforeTreeEvent } from "@earendil-works/pi-coding-agent";

interface Seen { type: string; id: string; branch: string[]; name?: string }

export default function (pi: ExtensionAPI): void {
	const note = (seen: Seen) => appendFileSync("ROOT/seen.jsonl", `${JSON.stringify(seen)}\n`);
	for (const type of ["session_start", "session_tree", "session_info_changed"] as const) {
		pi.on(type, async (event, ctx) => {
			const session = ctx.sessionManager;
			const branch = session.getBranch().map((entry: { id: string }) => entry.id);
			note({ type: event.type, id: session.getSessionId(), branch, name: session.getSessionName() });
		});
	}
	pi.on("session_before_tree", async (event: SessionBeforeTreeEvent) => {
		if (event.preparation.targetId === "aaaa0001") return { cancel: true };
		return { label: "by the extension" };
	});
	pi.on("session_before_compact", async (event) => ({
		compaction: {
			summary: `read ${[...event.preparation.fileOps.read].join()}`,
			firstKeptEntryId: event.preparation.firstKeptEntryId,
			tokensBefore: event.preparation.tokensBefore,
		},
	}));
	pi.on("tool_call", async () => undefined);
	pi.registerCommand("hello", { handler: async () => {} });
	console.log("this must not break the protocol");
}
"#;

fn start(machine: &Machine, file: &str) -> Peer {
    let session = machine.write("sessions/talk.jsonl", TALK);
    machine.write("agent/settings.json", r#"{"compaction":{"keepRecentTokens":1}}"#);
    let node = Oracle::paths().unwrap().node;
    let mut command =
        machine.pitree_command(&["--pi-extension", file, "--session", session.to_str().unwrap()]);
    command.env("PATH", format!("{}:/usr/bin:/bin", node.parent().unwrap().display()));
    Peer::start(command)
}

#[test]
fn an_extension_of_pi_hears_the_session_and_answers() {
    if !has_pi("an_extension_of_pi_hears_the_session_and_answers") {
        return;
    }
    let machine = Machine::new();
    let file = machine.write("ext/mine.ts", EXTENSION);
    let mut peer = start(&machine, file.to_str().unwrap());
    let data = peer.data(r#"{"type":"navigate_tree","entryId":"aaaa0001"}"#);
    assert_eq!(data.get("cancelled"), Some(&Value::Bool(true)));
    let data = peer.data(r#"{"type":"compact"}"#);
    assert_eq!(data.get_string("summary").unwrap().to_string(), "read a.txt");
    peer.data(r#"{"type":"navigate_tree","entryId":"bbbb0002"}"#);
    let labels = stringify(&peer.data(r#"{"type":"get_labels"}"#));
    assert!(labels.contains(r#""entryId":"bbbb0002","label":"by the extension""#), "{labels}");
    peer.data(r#"{"type":"set_session_name","name":"new name"}"#);
    let (_, code) = peer.finish();
    assert_eq!(code, Some(0));
    let seen = fs_err::read_to_string(machine.path("seen.jsonl")).unwrap();
    let seen: Vec<Value> = seen.lines().map(|line| parse(line.as_bytes()).unwrap()).collect();
    let kinds: Vec<String> =
        seen.iter().map(|line| line.get_string("type").unwrap().to_string()).collect();
    assert_eq!(kinds, ["session_start", "session_tree", "session_info_changed"]);
    let branch = stringify(seen[0].get("branch").unwrap());
    assert!(branch.starts_with(r#"["aaaa0000","aaaa0009","aaaa0001""#), "{branch}");
    assert!(branch.ends_with(r#""dddd0002"]"#), "{branch}");
    assert_eq!(seen[2].get_string("name").unwrap().to_string(), "new name");
}

#[test]
fn an_extension_that_does_not_load_is_reported_and_the_session_goes_on() {
    if !has_pi("an_extension_that_does_not_load_is_reported_and_the_session_goes_on") {
        return;
    }
    let machine = Machine::new();
    let file = machine.write("ext/broken.ts", "export default function (: { }");
    let mut peer = start(&machine, file.to_str().unwrap());
    let trouble = peer.value();
    assert_eq!(trouble.get_string("type").unwrap().to_string(), "extension_error");
    peer.data(r#"{"type":"get_state"}"#);
}

#[test]
fn a_handler_that_throws_is_reported_and_the_others_go_on() {
    if !has_pi("a_handler_that_throws_is_reported_and_the_others_go_on") {
        return;
    }
    let machine = Machine::new();
    let text = r#"export default function (pi: any) {
	for (const name of ["session_info_changed", "session_before_tree"]) {
		pi.on(name, async () => { throw new Error(`no ${name}`); });
	}
	pi.on("session_before_tree", async () => ({ cancel: true, summary: 5 }));
}"#;
    let file = machine.write("ext/throws.ts", text);
    let mut peer = start(&machine, file.to_str().unwrap());
    for (request, event) in [
        (r#"{"type":"set_session_name","name":"x"}"#, "session_info_changed"),
        (r#"{"type":"navigate_tree","entryId":"bbbb0002"}"#, "session_before_tree"),
    ] {
        peer.send(format!("{request}\n").as_bytes());
        // The report and the answer come in any order.
        let (mut trouble, mut is_answered) = (None, false);
        while trouble.is_none() || !is_answered {
            let line = peer.value();
            match line.get_string("type").map(ToString::to_string).as_deref() {
                Some("extension_error") => trouble = Some(line),
                Some("response") => is_answered = true,
                _ => {}
            }
        }
        let trouble = trouble.unwrap();
        assert_eq!(trouble.get_string("event").unwrap().to_string(), event);
        assert_eq!(trouble.get_string("error").unwrap().to_string(), format!("no {event}"));
        let path = trouble.get_string("extensionPath").unwrap().to_string();
        assert_eq!(path, file.to_str().unwrap());
    }
    let leaf = stringify(&peer.data(r#"{"type":"get_tree"}"#));
    assert!(!leaf.contains(r#""leafId":"bbbb0002""#), "cancel wins over a wrong summary");
}

#[test]
fn examples_of_pi_load_unmodified() {
    if !has_pi("examples_of_pi_load_unmodified") {
        return;
    }
    let module = Oracle::paths().unwrap().module;
    let folder = module.ancestors().nth(3).unwrap().join("examples/extensions");
    // The last three import values of packages that are not installed there.
    for name in [
        "confirm-destructive.ts",
        "dirty-repo-guard.ts",
        "git-checkpoint.ts",
        "custom-compaction.ts",
        "preset.ts",
        "todo.ts",
    ] {
        let path = folder.join(name);
        assert!(path.exists(), "{name} does not come with Pi any more");
        let machine = Machine::new();
        let mut peer = start(&machine, path.to_str().unwrap());
        let (events, _) = peer.ask(r#"{"type":"get_state"}"#);
        assert!(events.is_empty(), "{name}: {events:?}");
    }
}
