//! `pitree extract` from URLs and to them.

use std::collections::BTreeMap;
use std::path::Path;

use pitree_testkit::{FaultProxy, ObjectServer};
use serde_json::Value;

use crate::common::{BRANCHED, Sandbox, files_below};

const KEY: &str = "0707070707070707070707070707070707070707070707070707070707070707\n";

/// Another id than that of [`BRANCHED`].
const FORK_ID: &str = "01a00000-0000-7000-8000-00000000000b";

/// A machine with a session, a fork of it, and the record of a sub-agent; all paths are its own.
fn machine() -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    let sessions = sandbox.home().join(".pi/agent/sessions/--home-ana-weather--");
    let at = |name: &str| format!("home/.pi/agent/sessions/--home-ana-weather--/{name}");
    let artifact = sessions.join("subagent-artifacts/run1_scout_0.jsonl");
    let call = format!(
        r#"{{"type":"message","id":"eeee0000","parentId":"dddd0002","timestamp":"2026-02-03T22:52:11.500Z","message":{{"role":"assistant","content":[{{"type":"toolCall","id":"t1","name":"subagent","arguments":{{}}}}],"provider":"p","model":"m","usage":{{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":3,"cost":{{"total":0.25}}}},"stopReason":"toolUse","timestamp":1770159131500}}}}
{{"type":"message","id":"eeee0001","parentId":"eeee0000","timestamp":"2026-02-03T22:52:12.000Z","message":{{"role":"toolResult","toolCallId":"t1","toolName":"subagent","content":[{{"type":"text","text":"done"}}],"details":{{"mode":"single","results":[{{"agent":"scout","task":"look","exitCode":0,"artifactPaths":{{"jsonlPath":"{}"}}}}]}},"timestamp":1770159132000}}}}"#,
        artifact.display()
    );
    let _ = sandbox.write(&at("a.jsonl"), &format!("{BRANCHED}{call}\n"));
    let forked = BRANCHED.replace("01a00000-0000-7000-8000-00000000000a", FORK_ID).replacen(
        "\"cwd\"",
        &format!("\"parentSession\":\"{}\",\"cwd\"", sessions.join("a.jsonl").display()),
        1,
    );
    // In two parts, so that nobody takes it for a real one.
    let secret = ["ghp_k3Jx9QmZ2vLtR8wN", "cB5yHdF7sGpA1eUiO4Kq"].concat();
    let more = r#"{"type":"message","id":"ffff0001","parentId":"dddd0002","timestamp":"2026-02-03T22:53:10.000Z","message":{"role":"user","content":"third question","timestamp":1770159190000}}
{"type":"message","id":"ffff0002","parentId":"ffff0001","timestamp":"2026-02-03T22:53:11.000Z","message":{"role":"assistant","content":[{"type":"text","text":"third answer, SECRET"}],"provider":"p","model":"m","usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":3,"cost":{"total":0.25}},"stopReason":"stop","timestamp":1770159191000}}
"#;
    let _ = sandbox.write(&at("b.jsonl"), &format!("{forked}{}", more.replace("SECRET", &secret)));
    let record = r#"{"type":"message_end","message":{"role":"user","content":"look","timestamp":1770159131500}}
{"type":"message_end","message":{"role":"assistant","content":[{"type":"text","text":"found it"}],"provider":"p","model":"m","stopReason":"stop","timestamp":1770159131600}}
"#;
    let _ = sandbox.write(&at("subagent-artifacts/run1_scout_0.jsonl"), record);
    let root = sandbox.home().join(".pi/agent/sessions").to_string_lossy().into_owned();
    (sandbox, root)
}

/// Puts all files below the sessions of a machine below `fleet/m1`.
fn copy_to_bucket(machine: &Sandbox, server: &ObjectServer, bucket: &str) {
    let root = machine.home().join(".pi/agent/sessions");
    for name in files_below(&root) {
        let bytes = fs_err::read(root.join(&name)).unwrap();
        server.put(bucket, &format!("fleet/m1/{name}"), &bytes);
    }
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let names = files_below(folder).into_iter();
    names.map(|name| (name.clone(), fs_err::read(folder.join(&name)).unwrap())).collect()
}

/// A data set without what only says where it came from.
fn plain(files: BTreeMap<String, Vec<u8>>, root: &str, url: &str) -> BTreeMap<String, String> {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().replace(root, url);
    let mut files: BTreeMap<String, String> =
        files.into_iter().map(|(name, bytes)| (name, text(bytes))).collect();
    files.remove("README.md");
    let mut card: Value = serde_json::from_str(&files["card.json"]).unwrap();
    let object = card.as_object_mut().unwrap();
    // The page has the command in it, and the hashes and lengths are those of the paths.
    for name in ["command", "beside"] {
        object.remove(name);
    }
    for file in object["files"].as_array_mut().unwrap() {
        *file = file["path"].clone();
    }
    let _ = files.insert("card.json".to_owned(), card.to_string());
    files
}

#[test]
fn a_bucket_gives_the_data_set_that_its_local_copy_gives() {
    let Some(server) = ObjectServer::s3("a_bucket_gives_the_data_set") else { return };
    server.make_bucket("bucket");
    let (machine, root) = machine();
    let _ = machine.write("project/key", KEY);
    let key = machine.project().join("key");
    fs_err::set_permissions(&key, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let more = ["--key", key.to_str().unwrap(), "--keep-home-paths", "--redaction-log"];
    copy_to_bucket(&machine, &server, "bucket");
    let formats = ["chat", "lora-forge", "atif", "hf-traces"];
    let mut local = Vec::new();
    for format in formats {
        let run = ["extract", "-o", format, "--format", format];
        let _ = machine.run(run.into_iter().chain(more).chain(["../log"])).ok();
        local.push(files(&machine.project().join(format)));
    }
    let log = fs_err::read_to_string(machine.path("log")).unwrap();
    // Nothing of the machine is left but what is in the bucket.
    fs_err::remove_dir_all(machine.home()).unwrap();
    let other = Sandbox::new();
    let proxy = FaultProxy::before(server.address(), |_| None).unwrap();
    for (format, local) in formats.into_iter().zip(local) {
        let target = format!("s3://bucket/out/{format}");
        let run = ["extract", "s3://bucket/fleet", "-o", &target, "--format", format];
        let run = run.into_iter().chain(more).chain(["../log"]);
        let run = other.call(run).vars(&ObjectServer::s3_variables(&proxy.address())).run().ok();
        assert!(run.stdout.contains(&format!(" in s3://bucket/out/{format}")), "{}", run.stdout);
        let names = server.names("bucket").into_iter();
        let prefix = format!("out/{format}/");
        let own = names.filter_map(|name| name.strip_prefix(&prefix).map(str::to_owned));
        let in_bucket: BTreeMap<String, Vec<u8>> = own
            .map(|name| (name.clone(), server.get("bucket", &format!("{prefix}{name}")).unwrap()))
            .collect();
        let url = "s3://bucket/fleet/m1";
        let (local, remote) = (plain(local, &root, url), plain(in_bucket, &root, url));
        assert_eq!(local, remote, "{format}");
        if format == "atif" {
            assert!(
                remote.values().any(|text| text.contains("found it")),
                "the sub-agent's record"
            );
        }
    }
    let bucket_log = fs_err::read_to_string(other.path("log")).unwrap();
    assert_eq!(bucket_log, log.replace(&root, "s3://bucket/fleet/m1"));
    assert!(
        bucket_log.contains("s3://bucket/fleet/m1/--home-ana-weather--/b.jsonl"),
        "{bucket_log}"
    );
    let fetched = proxy.requests().iter().filter(|it| it.target.contains("fleet/m1/--")).count();
    assert_eq!(fetched, 3, "each object once for all four runs");
}

#[test]
fn what_is_wrong_with_an_object_is_told_by_its_url() {
    let Some(server) = ObjectServer::s3("what_is_wrong_with_an_object") else { return };
    server.make_bucket("bucket");
    server.put("bucket", "p/good.jsonl", BRANCHED.as_bytes());
    server.put(
        "bucket",
        "p/damaged.jsonl",
        format!("{}{{\n", BRANCHED.replace("000a", "000c")).as_bytes(),
    );
    server.put("bucket", "p/notes.jsonl", b"{\"a\":1}\n");
    let sandbox = Sandbox::new();
    let variables = ObjectServer::s3_variables(server.address());
    let run = sandbox.call(["extract", "s3://bucket/p", "-o", "out"]).vars(&variables).run().ok();
    assert!(
        run.stderr.contains("left out: s3://bucket/p/notes.jsonl: it is not a Pi session"),
        "{}",
        run.stderr
    );
    assert!(
        run.stderr.contains("s3://bucket/p/damaged.jsonl: 1 line is damaged"),
        "{}",
        run.stderr
    );
    let shown = format!("{}{}", run.stdout, run.stderr);
    assert!(!shown.contains(".cache") && !shown.contains("AKIA"), "{shown}");
    for (_, bytes) in files(&sandbox.project().join("out")) {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert!(!text.contains(".cache") && !text.contains("objects/"), "{text}");
    }
    let wrong: Vec<(String, String)> = variables
        .iter()
        .map(|(name, value)| (name.clone(), value.replace(server.address(), "127.0.0.1:1")))
        .collect();
    let run =
        sandbox.call(["extract", "s3://bucket/p", "-o", "s3://bucket/out"]).vars(&wrong).run();
    assert_eq!(run.code, Some(3), "{}", run.stderr);
    assert!(run.stderr.contains("Cannot list s3://bucket/p: "), "{}", run.stderr);
    assert!(run.stderr.contains("hint: run the command again"), "{}", run.stderr);
    server.put("bucket", "mine/notes.txt", b"mine");
    let run =
        sandbox.call(["extract", "s3://bucket/p", "-o", "s3://bucket/mine"]).vars(&variables).run();
    assert_eq!(run.code, Some(4), "{}", run.stderr);
    assert!(
        run.stderr.contains("Cannot replace s3://bucket/mine: it is not empty"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_folder_is_a_url_too_and_a_secret_in_one_is_refused() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("in/x/s.jsonl", BRANCHED);
    let from = format!("file://{}", sandbox.path("in").display());
    let to = format!("file://{}", sandbox.path("out").display());
    let _ =
        sandbox.run(["extract", &from, "-o", &to, "--format", "atif", "--keep-home-paths"]).ok();
    let text: String = files(&sandbox.path("out"))
        .values()
        .map(|bytes| String::from_utf8_lossy(bytes).into_owned())
        .collect();
    assert!(text.contains(&format!("file://{}", path.display())), "{text}");
    for url in ["s3://AKIA:hunter2@b/p", "s3://bucket/p?X-Amz-Signature=hunter2"] {
        for args in [["extract", url, "-o", "o"], ["extract", &from, "-o", url]] {
            let run = sandbox.run(args);
            assert_eq!(run.code, Some(2), "{}", run.stderr);
            assert!(!run.stderr.contains("hunter2"), "{}", run.stderr);
        }
    }
}
