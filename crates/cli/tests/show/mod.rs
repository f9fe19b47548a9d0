//! `pitree show` in all its modes, run as a user runs it.

mod home;
mod hostile;
mod subagents;

use pitree_format::js::parse;

use home::{HEADER, Home, at, contains_all, len};

/// Two turns on the active path, an abandoned answer, a compaction, all sources of spend.
fn shop() -> Home {
    Home::with(&[
        HEADER,
        r#"{"type":"message","id":"s0","parentId":null,"timestamp":"2026-02-03T22:52:01.000Z",
"message":{"role":"system","content":"","sections":{"rules":"Be brief."},
"toolsAdded":[{"name":"bash","description":"runs"}],"timestamp":1}}"#,
        r#"{"type":"message","id":"u1","parentId":"s0","timestamp":"2026-02-03T22:53:00.000Z",
"message":{"role":"user","content":[{"type":"text","text":"Find the\n price"},
{"type":"image","data":"AAAAAAAA","mimeType":"image/png"}],"timestamp":1}}"#,
        r#"{"type":"message","id":"x1","parentId":"u1","timestamp":"2026-02-03T22:53:10.000Z",
"message":{"role":"assistant","content":[{"type":"text","text":"a dead end"}],
"provider":"anthropic","model":"m-old","stopReason":"stop",
"usage":{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"totalTokens":10}}}"#,
        r#"{"type":"message","id":"a1","parentId":"u1","timestamp":"2026-02-03T22:54:00.000Z",
"message":{"role":"assistant","content":[{"type":"thinking","thinking":"hm, prices"},
{"type":"text","text":"I look."},
{"type":"toolCall","id":"c1","name":"bash","arguments":{"command":"cat price"}},
{"type":"flourish","petals":5}],"provider":"anthropic","model":"m1","stopReason":"toolUse",
"usage":{"input":10,"output":20,"cacheRead":30,"cacheWrite":40,"totalTokens":100,
"cost":{"total":0.25}}}}"#,
        r#"{"type":"message","id":"t1","parentId":"a1","timestamp":"2026-02-03T22:54:02.000Z",
"message":{"role":"toolResult","toolCallId":"c1","toolName":"bash","isError":true,
"content":[{"type":"text","text":"no such file"}],"durationMs":1500,
"usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"cost":{"total":0.5}}}}"#,
        r#"{"type":"compaction","id":"k1","parentId":"t1","timestamp":"2026-02-03T22:55:00.000Z",
"summary":"Looked for a price.","firstKeptEntryId":"t1","tokensBefore":1234}"#,
        r#"{"type":"message","id":"b1","parentId":"k1","timestamp":"2026-02-03T22:55:30.000Z",
"message":{"role":"bashExecution","command":"ls","output":"shop.txt","exitCode":0,
"cancelled":false,"truncated":false,"timestamp":1}}"#,
        r#"{"type":"message","id":"u2","parentId":"b1","timestamp":"2026-02-03T22:56:00.000Z",
"message":{"role":"user","content":"And now?","timestamp":1}}"#,
        r#"{"type":"message","id":"a2","parentId":"u2","timestamp":"2026-02-03T22:57:00.000Z",
"message":{"role":"assistant","content":[{"type":"text","text":"It is 5 euro."}],
"provider":"anthropic","model":"m1","stopReason":"stop",
"usage":{"input":5,"output":5,"cacheRead":0,"cacheWrite":0,"totalTokens":10,
"cost":{"total":1}}}}"#,
        r#"{"type":"usage","id":"w1","parentId":"a2","timestamp":"2026-02-03T22:58:00.000Z",
"kind":"cache_warm","provider":"anthropic","model":"m1",
"usage":{"input":0,"output":0,"cacheRead":7,"cacheWrite":0,"cost":{"total":0.125}}}"#,
        r#"{"type":"custom_message","id":"n1","parentId":"w1",
"timestamp":"2026-02-03T22:58:01.000Z",
"customType":"notice","content":"shown notice","display":true}"#,
        r#"{"type":"custom_message","id":"n2","parentId":"n1",
"timestamp":"2026-02-03T22:58:02.000Z",
"customType":"notice","content":"hidden notice","display":false}"#,
        r#"{"type":"label","id":"l1","parentId":"n2","timestamp":"2026-02-03T22:58:03.000Z",
"targetId":"a1","label":"look here"}"#,
        r#"{"type":"session_info","id":"i1","parentId":"l1","timestamp":"2026-02-03T22:59:00.000Z",
"name":"Prices"}"#,
    ])
}

#[test]
fn overview() {
    let shop = shop();
    let value = shop.json("overview", &[]);
    assert_eq!(at(&value, "name"), r#""Prices""#);
    assert_eq!(at(&value, "version"), "3");
    assert_eq!(at(&value, "parentSession"), r#""/old/session.jsonl""#);
    assert_eq!(at(&value, "created"), r#""2026-02-03T22:52:00.000Z""#);
    // The last message, as in a list; names and labels do not count.
    assert_eq!(at(&value, "lastActivity"), r#""2026-02-03T22:57:00.000Z""#);
    assert_eq!(at(&value, "branches"), "2");
    assert_eq!(at(&value, "compactions"), "1");
    assert_eq!(at(&value, "models"), r#"[{"provider":"anthropic","model":"m1","messages":2}]"#);
    assert_eq!(at(&value, "labels"), r#"[{"entryId":"a1","label":"look here"}]"#);
    assert_eq!(at(&value, "turnCount"), "2");
    assert_eq!(at(&value, "turns.0.text"), r#""Find the price""#);
    assert_eq!(at(&value, "turns.0.tools"), r#"[{"name":"bash","count":1}]"#);
    assert_eq!(at(&value, "turns.0.tokens.total"), "102");
    assert_eq!(at(&value, "turns.0.cost"), "0.75");
    // The compaction did not record what it cost.
    assert_eq!(at(&value, "turns.0.unknownCosts"), "1");
    let text = shop.text("overview", &[]);
    contains_all(&text, &["2026-02-03 22:52", "Prices", "look here (a1)", "2 turns", "And now?"]);
    contains_all(&text, &["1 reply; tools: bash 1; 102 tokens; cost $0.7500 + 1 unknown"]);
    assert_eq!(shop.run(&[]).out, text);
}

#[test]
fn conversation() {
    let shop = shop();
    let text = shop.text("conversation", &[]);
    contains_all(&text, &["═══ turn 1  2026-02-03 22:53", "── user", "  Find the\n   price"]);
    contains_all(&text, &[r#"→ bash {"command":"cat price"}"#, "← bash failed", "no such file"]);
    contains_all(&text, &["[1 image]", "Looked for a price.", "$ ls", "It is 5 euro."]);
    contains_all(&text, &["shown notice", "exit code 0"]);
    for hidden in ["hm, prices", "a dead end", "hidden notice", "Be brief."] {
        assert!(!text.contains(hidden), "{hidden}");
    }
    let value = shop.json("conversation", &[]);
    assert_eq!(at(&value, "turns.1.items.0.kind"), r#""user""#);
    assert_eq!(at(&value, "turns.1.items.2.kind"), r#""toolCall""#);
    assert_eq!(at(&value, "turns.1.items.3.isError"), "true");
    assert_eq!(at(&value, "turns.2.items.1.text"), r#""It is 5 euro.""#);
    let cut = shop.json("conversation", &["--max-content", "2"]);
    assert_eq!(at(&cut, "turns.2.items.1.text"), r#""It… (11 more characters)""#);
}

#[test]
fn offset_limit_and_last() {
    let shop = shop();
    let first = shop.text("conversation", &["--limit", "1"]);
    assert!(first.contains("Find the") && !first.contains("And now?"));
    let second = shop.text("conversation", &["--offset", "1", "--limit", "5"]);
    assert!(!second.contains("Find the") && second.contains("And now?"));
    assert_eq!(shop.text("conversation", &["--last", "1"]), second);
    assert_eq!(len(&shop.json("full", &["--limit", "1"]), "turns"), 2);
    assert_eq!(len(&shop.json("full", &["--offset", "1"]), "turns"), 1);
    assert_eq!(len(&shop.json("overview", &["--offset", "1"]), "turns"), 1);
    let beyond = shop.run(&["--mode", "conversation", "--offset", "2"]);
    assert_eq!((beyond.code, &*beyond.out), (1, ""));
    assert!(beyond.err.contains("there is no turn 3; the current branch has 2"));
    assert_eq!(shop.run(&["--mode", "costs", "--limit", "1"]).code, 2);
    for option in ["--limit", "--last"] {
        let run = shop.run(&[option, "0"]);
        assert_eq!(run.code, 2);
        assert!(run.err.contains("give a whole number of at least 1"), "{}", run.err);
    }
    assert_eq!(shop.run(&["--limit", "0"]).code, 2);
}

#[test]
fn full() {
    let shop = shop();
    let text = shop.text("full", &[]);
    contains_all(
        &text,
        &["[section rules]", "Be brief.", "tool added", "[thinking]", "hm, prices"],
    );
    contains_all(&text, &["[image image/png, 6 bytes]", "command: cat price", "no such file"]);
    contains_all(&text, &["[block of the unknown type flourish]", r#""petals":5"#]);
    contains_all(&text, &["hidden notice", "[label: look here]", "1.5 s", "cost $0.2500"]);
    let value = shop.json("full", &[]);
    assert_eq!(at(&value, "turns.0.number"), "0");
    assert_eq!(at(&value, "turns.1.entries.1.message.content.3.petals"), "5");
    let cut = shop.json("full", &["--max-content", "3"]);
    assert_eq!(at(&cut, "turns.2.entries.0.message.content"), r#""And… (5 more characters)""#);
    assert_eq!(at(&cut, "turns.2.entries.0.timestamp"), r#""2026-02-03T22:56:00.000Z""#);
}

#[test]
fn costs_count_all_branches() {
    let shop = shop();
    let value = shop.json("costs", &[]);
    for (path, expected) in [
        ("sessionId", r#""11111111-2222-4333-8444-555555555555""#),
        ("userMessages", "2"),
        ("assistantMessages", "3"),
        ("toolCalls", "1"),
        ("toolResults", "1"),
        ("totalMessages", "8"),
        ("bashExecutions", "1"),
        ("otherMessages", "1"),
        ("tokens", r#"{"input":17,"output":28,"cacheRead":40,"cacheWrite":44,"total":129}"#),
        ("cost", "1.875"),
        ("unknownCosts", "2"),
        ("models.0.model", r#""m-old""#),
        ("models.0.cost", "null"),
        ("models.1.messages", "3"),
        ("models.1.cost", "1.375"),
        ("sources.0.cost", "1.25"),
        ("sources.1.source", r#""assistantAbandoned""#),
        ("sources.1.tokens.total", "10"),
        ("sources.2.cost", "0.5"),
        ("sources.3.cost", "null"),
        ("sources.4.count", "0"),
        ("sources.5.cost", "0.125"),
    ] {
        assert_eq!(at(&value, path), expected, "{path}");
    }
    let text = shop.text("costs", &[]);
    let parts =
        "8 messages: 2 user, 3 assistant, 1 tool result, 1 shell command, 1 other; 1 tool call";
    contains_all(
        &text,
        &[parts, "anthropic/m-old", "unknown", "$1.8750 + 2 unknown", "tool results"],
    );
}

#[test]
fn tools_are_paired_by_order_where_ids_do_not_help() {
    let call = |id: &str, name: &str| {
        format!(r#"{{"type":"toolCall","id":"{id}","name":"{name}","arguments":{{}}}}"#)
    };
    let answer = |id: &str, parent: &str, calls: &[String]| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":"{parent}",
"timestamp":"2026-02-03T22:53:00.000Z","message":{{"role":"assistant","content":[{}]}}}}"#,
            calls.join(",")
        )
    };
    let result = |id: &str, parent: &str, call: &str, name: &str, ms: usize, error: bool| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":"{parent}",
"timestamp":"2026-02-03T22:54:00.000Z","message":{{"role":"toolResult","toolCallId":"{call}",
"toolName":"{name}","content":[],"isError":{error},"durationMs":{ms}}}}}"#
        )
    };
    let lines = [
        HEADER.to_owned(),
        answer("a1", "", &[call("", "read"), call("", "bash"), call("", "read")]),
        result("r1", "a1", "", "bash", 1, false),
        result("r2", "r1", "", "read", 2, true),
        result("r3", "r2", "", "read", 3, false),
        answer("a2", "r3", &[call("c", "bash")]),
        answer("a3", "a2", &[call("c", "bash"), call("c", "bash")]),
        result("r4", "a3", "c", "bash", 4, false),
        result("r5", "r4", "c", "bash", 5, false),
        result("r6", "r5", "lost", "grep", 6, false),
    ];
    let home = Home::with(&lines.each_ref().map(String::as_str));
    let value = home.json("tools", &[]);
    let paired: Vec<String> = (0..7)
        .map(|call| {
            let result = at(&value, &format!("calls.{call}.result"));
            let result = parse(result.as_bytes()).unwrap();
            result.get_string("entryId").map(ToString::to_string).unwrap_or_default()
        })
        .collect();
    assert_eq!(paired, ["r2", "r1", "r3", "", "r4", "r5", "r6"]);
    assert_eq!(
        at(&value, "totals.0"),
        r#"{"name":"bash","calls":4,"errors":0,"unanswered":1,"durationMs":10,"timed":3}"#
    );
    assert_eq!(at(&value, "totals.1.errors"), "1");
    let text = home.text("tools", &[]);
    contains_all(&text, &["no result", "(a result without a call)", "failed, 2 ms", "unanswered"]);
}

#[test]
fn modes_without_a_find_say_so() {
    let home = Home::with(&[HEADER]);
    for mode in ["tools", "subagents"] {
        let ran = home.run(&["--mode", mode]);
        assert_eq!((ran.code, &*ran.out), (1, ""), "{mode}");
        assert!(ran.err.starts_with("no "), "{mode}: {}", ran.err);
    }
    for mode in ["overview", "conversation", "full", "costs"] {
        home.text(mode, &[]);
        home.json(mode, &[]);
    }
    let foreign = Home::with(&[r#"{"some":"thing"}"#]);
    for mode in ["overview", "conversation", "full", "tools", "costs", "subagents"] {
        assert_eq!(foreign.run(&["--mode", mode]).code, 3, "{mode}");
    }
}

#[test]
fn version_1_with_an_attachment() {
    let home = Home::with(&[
        r#"{"type":"session","id":"old","timestamp":"2025-11-01T10:00:00.000Z","cwd":"/work",
"provider":"anthropic","modelId":"m0","thinkingLevel":"high"}"#,
        r#"{"type":"message","timestamp":"2025-11-01T10:01:00.000Z","message":{"role":"user",
"content":"see the file","attachments":[{"id":"f1","type":"document","fileName":"plan.pdf",
"mimeType":"application/pdf","size":2048,"content":"AAAA","extractedText":"the plan"}]}}"#,
        r#"{"type":"message","timestamp":"2025-11-01T10:02:00.000Z","message":{"role":"assistant",
"content":[{"type":"text","text":"seen"}],"usage":{"input":1,"output":2}}}"#,
    ]);
    let text = home.text("full", &[]);
    contains_all(&text, &["[attachment plan.pdf, document, application/pdf, 2.0 KiB]", "the plan"]);
    let value = home.json("full", &[]);
    assert_eq!(at(&value, "turns.0.entries.0.message.attachments.0.fileName"), r#""plan.pdf""#);
    assert!(home.text("conversation", &[]).contains("file plan.pdf"));
    let overview = home.json("overview", &[]);
    assert_eq!(at(&overview, "version"), "1");
    assert_eq!(at(&overview, "thinkingLevel"), r#""high""#);
    assert_eq!(at(&overview, "turns.0.cost"), "null");
}

#[test]
fn an_event_stream_is_shown_as_the_conversation_that_it_tells() {
    let events = [
        r#"{"type":"agent_start"}"#,
        r#"{"type":"message_start","message":{"role":"user","content":"Sum it up"}}"#,
        r#"{"type":"message_end","message":{"role":"user","content":"Sum it up",
"timestamp":1770159127000}}"#,
        r#"{"type":"message_update","message":{"role":"assistant","content":[]}}"#,
        r#"{"type":"message_end","message":{"role":"assistant","content":[{"type":"text",
"text":"All is well."}],"provider":"p","model":"m","stopReason":"stop",
"timestamp":1770159128000}}"#,
        r#"{"type":"agent_end","messages":[]}"#,
    ];
    let with_header = [&[HEADER][..], &events].concat();
    for lines in [&events[..], &with_header] {
        let home = Home::with(lines);
        for more in [&[][..], &["--lenient"]] {
            let ran = home.run(&[&["--mode", "conversation"], more].concat());
            assert_eq!(ran.code, 0, "{}", ran.err);
            contains_all(&ran.out, &["Sum it up", "All is well."]);
            assert!(ran.err.contains("an event stream of `pi --mode json`"), "{}", ran.err);
        }
        contains_all(&home.text("overview", &[]), &["created         2026-02-03", "1 turn"]);
        assert_eq!(home.text("full", &["--json"]), home.text("full", &["--json"]), "stable ids");
    }
}
