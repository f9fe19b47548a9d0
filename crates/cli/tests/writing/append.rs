//! `new` and `append`.

use serde_json::json;

use crate::common::{BRANCHED, Run, Sandbox, last_line, lines, mode};

fn append(sandbox: &Sandbox, args: &[&str], input: &str) -> Run {
    let args = [&["append", "../s.jsonl"], args].concat();
    sandbox.call(args).input(input).run()
}

fn branched() -> Sandbox {
    let sandbox = Sandbox::new();
    let _ = sandbox.write("s.jsonl", BRANCHED);
    sandbox
}

#[test]
fn new_writes_a_header_as_pi_does() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(["new", "--id", "abc-1", "--name", " My\nsession "]).ok();
    let path = run.printed_path();
    let text = fs_err::read_to_string(&path).unwrap();
    let all = lines(&path);
    let time = all[0]["timestamp"].as_str().unwrap();
    let cwd = sandbox.project();
    let header = format!(
        r#"{{"type":"session","version":3,"id":"abc-1","timestamp":"{time}","cwd":"{}"}}"#,
        cwd.display()
    );
    assert_eq!(text.lines().next().unwrap(), header);
    assert_eq!(all[1]["type"], "session_info");
    assert_eq!(all[1]["name"], "My session");
    assert_eq!(all[1]["parentId"], json!(null));
    let name = format!("{}_abc-1.jsonl", time.replace([':', '.'], "-"));
    assert_eq!(path, sandbox.default_folder().join(name));
}

#[test]
fn new_files_are_for_the_user_alone() {
    let sandbox = Sandbox::new();
    let path = sandbox.run(["new"]).ok().printed_path();
    assert_eq!(mode(&path), 0o600);
    for folder in path.ancestors().skip(1).take_while(|folder| *folder != sandbox.home()) {
        assert_eq!(mode(folder), 0o700, "{}", folder.display());
    }
    let fork = sandbox.run(["fork", path.to_str().unwrap(), "--whole"]).ok().printed_path();
    assert_eq!(mode(&fork), 0o600);
}

#[test]
fn new_takes_a_working_directory_a_parent_and_a_dialect() {
    let sandbox = Sandbox::new();
    let args = ["new", "--json", "--cwd", "/usr/bin", "--parent-session", "/p.jsonl"];
    let made = sandbox.run(args).ok().json();
    let path = std::path::PathBuf::from(made["path"].as_str().unwrap());
    assert!(path.parent().unwrap().ends_with("--usr-bin--"), "{made}");
    let header = last_line(&path);
    assert_eq!(header["id"], made["id"]);
    assert_eq!(header["cwd"], "/usr/bin");
    assert_eq!(header["parentSession"], "/p.jsonl");

    let args = ["new", "--dialect", "port", "--parent-session", "/p.jsonl"];
    let path = sandbox.run(args).ok().printed_path();
    let header = last_line(&path);
    assert_eq!(header["branchedFrom"], "/p.jsonl");
    assert_eq!(header.get("parentSession"), None);
    let (time, id) = (header["timestamp"].as_str().unwrap(), header["id"].as_str().unwrap());
    let name = format!("{}_{}.jsonl", time.replace(':', "-"), &id[..8]);
    assert_eq!(path.file_name().unwrap().to_str().unwrap(), name);
}

#[test]
fn an_id_that_pi_refuses_is_refused() {
    let sandbox = Sandbox::new();
    for id in ["", "-a", "a b", "../x"] {
        let run = sandbox.run(["new".to_owned(), format!("--id={id}")]).exits(2);
        assert!(run.stderr.contains("Session id must be non-empty"), "{run:?}");
    }
    assert!(!sandbox.default_folder().exists());
}

#[test]
fn text_becomes_a_user_message_below_the_leaf() {
    let sandbox = branched();
    let run = append(&sandbox, &[], "Hello\nworld\n").ok();
    let text = fs_err::read_to_string(sandbox.path("s.jsonl")).unwrap();
    let added = text.strip_prefix(BRANCHED).expect("what was there stays");
    let entry = last_line(&sandbox.path("s.jsonl"));
    let (id, time) = (run.line(), entry["timestamp"].as_str().unwrap());
    let line = format!(
        r#"{{"type":"message","id":"{id}","parentId":"dddd0002","timestamp":"{time}","message":{{"role":"user","content":[{{"type":"text","text":"Hello\nworld"}}],"timestamp":{}}}}}"#,
        entry["message"]["timestamp"]
    );
    assert_eq!(added, format!("{line}\n"));
    assert_eq!(id.len(), 8);
}

#[test]
fn a_message_as_json_keeps_its_members_and_their_order() {
    let sandbox = branched();
    let message = r#"{"timestamp":1,"role":"assistant","zz":{"b":1e-7,"a":[]},"content":[{"type":"new kind"}],"usage":{"cost":{}}}"#;
    let run = append(&sandbox, &["--json"], message).ok().json();
    let text = fs_err::read_to_string(sandbox.path("s.jsonl")).unwrap();
    assert!(text.ends_with(&format!("\"message\":{message}}}\n")), "{text}");
    assert_eq!(run["leafId"], last_line(&sandbox.path("s.jsonl"))["id"]);
    assert_eq!(run["ids"], json!([run["leafId"]]));
}

#[test]
fn json_over_several_lines_is_one_message() {
    let sandbox = branched();
    let _ = append(&sandbox, &[], "{\n \"role\": \"user\",\n \"content\": \"hi\"\n}\n").ok();
    let entry = last_line(&sandbox.path("s.jsonl"));
    assert_eq!(entry["message"], json!({"role": "user", "content": "hi"}));
}

#[test]
fn several_lines_become_a_chain() {
    let sandbox = branched();
    let input = concat!(
        r#"{"type":"model_change","provider":"q","modelId":"n"}"#,
        "\n\n",
        r#"{"role":"user","content":"one"}"#,
        "\n",
        r#"{"type":"message","id":"ignored1","parentId":"aaaa0001","message":{"role":"assistant","content":[],"usage":{"cost":{}}}}"#,
    );
    let ids: Vec<String> =
        append(&sandbox, &[], input).ok().stdout.lines().map(str::to_owned).collect();
    let all = lines(&sandbox.path("s.jsonl"));
    let added = &all[all.len() - 3..];
    let parents = ["dddd0002", &ids[0], &ids[1]];
    for (at, entry) in added.iter().enumerate() {
        assert_eq!(entry["id"], ids[at].as_str());
        assert_eq!(entry["parentId"], parents[at]);
    }
    assert_eq!(added[0]["modelId"], "n");
    assert_eq!(added[1]["message"]["content"], "one");
    assert_eq!(added[2]["message"]["role"], "assistant");
}

#[test]
fn every_kind_of_entry_can_be_appended() {
    let sandbox = branched();
    for entry in [
        json!({"type": "thinking_level_change", "thinkingLevel": "high"}),
        json!({"type": "usage", "kind": "k", "provider": "p", "model": "m", "usage": {}}),
        json!({"type": "custom", "customType": "t", "data": {"n": 1}}),
        json!({"type": "custom_message", "customType": "t", "content": "c", "display": false}),
        json!({"type": "label", "targetId": "bbbb0001", "label": "here"}),
        json!({"type": "session_info", "name": "n"}),
        json!({"type": "context_edit", "targetId": "bbbb0001", "replacement": null}),
        json!({"type": "branch_summary", "summary": "s"}),
        json!({"type": "compaction", "summary": "s", "firstKeptEntryId": "dddd0001",
               "tokensBefore": 5}),
    ] {
        let _ = append(&sandbox, &[], &entry.to_string()).ok();
        let added = last_line(&sandbox.path("s.jsonl"));
        for (key, value) in entry.as_object().unwrap() {
            assert_eq!(added[key], *value, "{key} of {added}");
        }
    }
    let _ = sandbox.run(["check", "../s.jsonl"]).ok();
}

#[test]
fn parent_names_another_place() {
    let sandbox = branched();
    let _ = append(&sandbox, &["--at", "bbbb"], "again").ok();
    assert_eq!(last_line(&sandbox.path("s.jsonl"))["parentId"], "bbbb0001");
    let before = fs_err::read(sandbox.path("s.jsonl")).unwrap();
    let _ = append(&sandbox, &["--at", "eeee"], "again").exits(1);
    let _ = append(&sandbox, &["--at", "dddd"], "again").exits(2);
    assert_eq!(fs_err::read(sandbox.path("s.jsonl")).unwrap(), before);
}

#[test]
fn text_that_is_json_stays_text_where_the_user_says_so() {
    let sandbox = branched();
    let message = r#"{"role":"user","content":"x"}"#;
    let _ = append(&sandbox, &["--text"], message).ok();
    let entry = last_line(&sandbox.path("s.jsonl"));
    assert_eq!(entry["message"]["content"][0]["text"], message);
    for json in ["42", "null", "\"quoted\" text"] {
        let _ = append(&sandbox, &[], json).ok();
        let entry = last_line(&sandbox.path("s.jsonl"));
        assert_eq!(entry["message"]["content"][0]["text"], json, "it does not begin like JSON");
    }
    for text in ["{bad", "[1,2]", r#"{"a":1}"#, "[WIP] fix it", "\u{feff} {\"role\":\"user\"}}"] {
        let before = fs_err::read(sandbox.path("s.jsonl")).unwrap();
        let run = append(&sandbox, &[], text).exits(3);
        assert!(run.stderr.contains("s like JSON, but it is "), "{run:?}");
        assert!(run.stderr.contains("hint: pass `--text`"), "{run:?}");
        assert_eq!(fs_err::read(sandbox.path("s.jsonl")).unwrap(), before);
        let _ = append(&sandbox, &["--text"], text).ok();
        let entry = last_line(&sandbox.path("s.jsonl"));
        assert_eq!(entry["message"]["content"][0]["text"], text);
    }
}

#[test]
fn what_cannot_be_appended_changes_nothing() {
    let sandbox = branched();
    for (input, code) in [
        ("", 2),
        ("\n", 2),
        (r#"{"type":"session","version":3,"id":"x"}"#, 3),
        (r#"{"type":"nonsense"}"#, 3),
        (r#"{"type":"model_change","provider":"p"}"#, 3),
        (r#"{"type":"message"}"#, 3),
        (r#"{"type":"label","label":"x"}"#, 3),
        (r#"{"type":"compaction"}"#, 3),
        (r#"{"type":"label","targetId":"eeee0001","label":"x"}"#, 1),
        (r#"{"type":"context_edit","targetId":"cccc0001","replacement":null}"#, 4),
        (r#"{"type":"context_edit","targetId":"bbbb0001","replacement":5}"#, 4),
    ] {
        let run = append(&sandbox, &[], input).exits(code);
        assert!(run.stderr.starts_with("error: "), "{run:?}");
        assert_eq!(run.stdout, "");
        assert_eq!(fs_err::read_to_string(sandbox.path("s.jsonl")).unwrap(), BRANCHED, "{input}");
    }
}

#[test]
fn a_file_without_a_last_line_feed_gets_one_first() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("s.jsonl", BRANCHED.trim_end());
    let _ = append(&sandbox, &[], "more").ok();
    assert!(fs_err::read_to_string(&path).unwrap().starts_with(BRANCHED));
    assert_eq!(last_line(&path)["parentId"], "dddd0002");
}

#[test]
fn damage_and_unknown_things_stay_as_they_are() {
    let sandbox = Sandbox::new();
    let odd = concat!(
        "{\"torn\":\n",
        "\u{feff}not json \u{0}\n",
        r#"{"type":"from the future","id":"ffff0001","parentId":"dddd0002","x":1.0}"#,
        "\r\n",
    );
    let path = sandbox.write("s.jsonl", &format!("{BRANCHED}{odd}"));
    let _ = append(&sandbox, &[], "more").ok();
    let text = fs_err::read_to_string(&path).unwrap();
    let added = text.strip_prefix(&format!("{BRANCHED}{odd}")).unwrap();
    let added: serde_json::Value = serde_json::from_str(added).unwrap();
    assert_eq!(added["parentId"], "ffff0001");
}

#[test]
fn a_batch_is_appended_whole_or_not_at_all() {
    let sandbox = branched();
    for second in [r#"{"type":"nonsense"}"#, r#"{"type":"label","targetId":"eeee0001"}"#] {
        let run =
            append(&sandbox, &[], &format!("{{\"role\":\"user\",\"content\":\"a\"}}\n{second}"));
        assert_ne!(run.code, Some(0), "{run:?}");
        assert_eq!(fs_err::read_to_string(sandbox.path("s.jsonl")).unwrap(), BRANCHED);
    }
}

#[test]
fn messages_that_pi_cannot_show_are_bad_data() {
    let sandbox = branched();
    for input in [
        r#"{"role":5,"content":"x"}"#,
        r#"{"role":"user"}"#,
        r#"{"type":"message","message":42}"#,
        r#"{"type":"message","message":null}"#,
        r#"{"role":"assistant","content":[{"type":"toolCall","id":"x"}]}"#,
        r#"{"role":"assistant","content":"x"}"#,
        r#"{"role":"assistant","content":"x","usage":{"input":1}}"#,
        r#"{"role":"bashExecution","command":"ls"}"#,
        r#"{"type":"custom_message","customType":"x","content":5,"display":true}"#,
        "{\"role\":\"user\",\"content\":\"a\"}\n{\"role\":\"assistant\",\"con",
    ] {
        let _ = append(&sandbox, &[], input).exits(3);
        assert_eq!(fs_err::read_to_string(sandbox.path("s.jsonl")).unwrap(), BRANCHED, "{input}");
    }
}
