//! Lines whose values are out of the ordinary.

use super::{DamagedFile, HEADER, file, lines, message, sound_and, sound_lines};

pub(super) fn files() -> Vec<DamagedFile> {
    let mut files = contents();
    files.extend(headers());
    files
}

fn contents() -> Vec<DamagedFile> {
    let [_, first, second, third] = sound_lines();
    let custom = |data: &str| {
        format!(
            r#"{{"type":"custom","customType":"state","data":{data},"id":"bbbbbbb1","parentId":"aaaaaaa3","timestamp":"2026-11-15T06:53:16.000Z"}}"#
        )
    };
    let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
    let surrogates = message("bbbbbbb2", r#""aaaaaaa3""#, "MARK")
        .replace("MARK", r"\ud83d and \udc00 and \uD83D\uDE00 and \udc00\ud83d");
    let non_objects = ["null", "0", "false", "\"\"", "42", "\"text\"", "[1]", "true", "[]", "{}"];
    let null_contents =
        ["user", "assistant", "toolResult", "system", "custom", "bashExecution"].map(null_content);
    vec![
        file("U+2028 inside text", sound_and(&message("bbbbbbb3", r#""aaaaaaa3""#, "a\u{2028}b"))),
        file("lone surrogates", sound_and(&surrogates)),
        file("number 1e400", sound_and(&custom(r#"{"big":1e400,"small":-1e400,"tiny":1e-400}"#))),
        file("number -0", sound_and(&custom("[-0,-0.0,0]"))),
        file("10,000 levels deep", sound_and(&custom(&deep))),
        file("repeated keys", sound_and(&custom(r#"{"a":1,"b":2,"a":3}"#))),
        file("number-like keys", sound_and(&custom(r#"{"b":1,"10":2,"2":3,"01":4}"#))),
        file("__proto__ key", sound_and(&custom(r#"{"__proto__":{"x":1},"y":2}"#))),
        file("non-object lines", lines(&[HEADER, &first]) + &lines(&non_objects) + &second + "\n"),
        file("non-object last line", lines(&[HEADER, &first, &second, &third, "42"])),
        file("null before the header", format!("null\n{}", lines(&[HEADER, &first]))),
        file("number before the header", format!("42\n{}", lines(&[HEADER, &first]))),
        file("null content", lines(&[HEADER]) + &lines(&null_contents)),
        file("message missing", sound_and(&without_message())),
        file("no type", sound_and(&third.replace(r#""type":"message","#, "").replace('3', "4"))),
    ]
}

fn null_content(role: &str) -> String {
    format!(
        r#"{{"type":"message","id":"null-{role}","parentId":null,"timestamp":"2026-11-15T06:53:17.000Z","message":{{"role":"{role}","content":null,"timestamp":1}}}}"#
    )
}

fn without_message() -> String {
    let date = "2026-11-15T06:53:18.000Z";
    format!(r#"{{"type":"message","id":"bbbbbbb4","parentId":"aaaaaaa3","timestamp":"{date}"}}"#)
}

fn headers() -> Vec<DamagedFile> {
    let [header, first, second, third] = sound_lines();
    let id = r#""01a1ddfb-4699-7700-9c99-078c5356990e""#;
    let with_header = |header: &str| lines(&[header, &first, &second, &third]);
    let version = |value: &str| {
        with_header(&header.replace(r#""version":3"#, &format!(r#""version":{value}"#)))
    };
    vec![
        file("version 4", version("4")),
        file("version \"3\"", version("\"3\"")),
        file("version null", version("null")),
        file("version 2.5", version("2.5")),
        file("version is a word", version("\"new\"")),
        file("header id not a string", with_header(&header.replace(id, "42"))),
        file("header id missing", with_header(&header.replace(&format!("\"id\":{id},"), ""))),
        file("header id empty", with_header(&header.replace(id, "\"\""))),
        file("header without cwd", with_header(&header.replace(r#","cwd":"/srv/project""#, ""))),
        file("header cwd not a string", with_header(&header.replace("\"/srv/project\"", "7"))),
        file("header date invalid", with_header(&header.replace("2026-11-15T", "yesterday "))),
    ]
}
