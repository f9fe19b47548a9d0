//! Session files with one thing wrong in each.

mod foreign;
mod judge;
mod values;

use crate::json::string;

/// A file that a reader must survive.
#[derive(Clone, Debug)]
pub struct DamagedFile {
    /// What is wrong with it.
    pub name: &'static str,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

const HEADER: &str = r#"{"type":"session","version":3,"id":"01a1ddfb-4699-7700-9c99-078c5356990e","timestamp":"2026-11-15T06:53:14.778Z","cwd":"/srv/project"}"#;

/// One file for every kind of damage, and some that only look like sessions.
pub fn damaged_files() -> Vec<DamagedFile> {
    let mut files = framing();
    files.extend(bytes());
    files.extend(shapes());
    files.extend(values::files());
    files.extend(foreign::files());
    files
}

fn file(name: &'static str, bytes: impl Into<Vec<u8>>) -> DamagedFile {
    DamagedFile { name, bytes: bytes.into() }
}

/// Lines, each with its line feed.
fn lines<T: AsRef<str>>(lines: &[T]) -> String {
    lines.iter().map(|line| format!("{}\n", line.as_ref())).collect()
}

/// A user message entry; `parent` is JSON text.
fn message(id: &str, parent: &str, text: &str) -> String {
    let id = quoted(id);
    format!(
        r#"{{"type":"message","id":{id},"parentId":{parent},"timestamp":"2026-11-15T06:53:15.000Z","message":{{"role":"user","content":[{{"type":"text","text":{}}}],"timestamp":1794725595000}}}}"#,
        quoted(text)
    )
}

fn quoted(text: &str) -> String {
    match string(text) {
        crate::json::Json::Raw(text) => text,
        _ => String::new(),
    }
}

/// Header and three entries in a row, without damage.
fn sound_lines() -> [String; 4] {
    [
        HEADER.to_owned(),
        message("aaaaaaa1", "null", "first"),
        message("aaaaaaa2", r#""aaaaaaa1""#, "second"),
        message("aaaaaaa3", r#""aaaaaaa2""#, "third"),
    ]
}

/// A sound file with one more line at the end.
fn sound_and(line: &str) -> String {
    lines(&sound_lines()) + line + "\n"
}

fn framing() -> Vec<DamagedFile> {
    let [header, first, second, third] = sound_lines();
    let sound = lines(&sound_lines());
    let long_header = header.replace("/srv/project", &format!("/srv/{}", "x".repeat(1024 * 1024)));
    vec![
        file("empty file", ""),
        file("only line feeds", "\n\n"),
        file("header only", lines(&[&header])),
        file("no header", lines(&[&first, &second])),
        file("header over 1 MiB", lines(&[&long_header, &first])),
        file("header after a blank line", format!("\n{sound}")),
        file("header after a malformed line", format!("{{\"type\":\"sess\n{sound}")),
        file("header after an entry", lines(&[&first, &header, &second])),
        file("two headers", lines(&[&header, &first, &header, &second])),
        file("torn last line", &sound.as_bytes()[..sound.len() - 40]),
        file("no last line feed", sound.trim_end()),
        file("glued lines", format!("{header}\n{first}{second}\n{third}\n")),
        file("lone CR as separator", [&*header, &first, &second, ""].join("\r")),
        file("CRLF", sound.replace('\n', "\r\n")),
        file("byte order mark", format!("\u{feff}{sound}")),
    ]
}

fn bytes() -> Vec<DamagedFile> {
    let [header, first, second, third] = sound_lines();
    let nul_run = "\0".repeat(4096);
    let mut broken = lines(&[&header, &first]).into_bytes();
    for bad in [&b"\xff\xfe"[..], b"\xc3", b"\xed\xa0\x80", b"\xf0\x9f\x98", b"\xc0\xaf"] {
        let line = message(&format!("b{:07}", broken.len()), r#""aaaaaaa1""#, "MARK");
        let (before, after) = line.split_once("MARK").unwrap_or((&line, ""));
        broken.extend_from_slice(before.as_bytes());
        broken.extend_from_slice(bad);
        broken.extend_from_slice(after.as_bytes());
        broken.push(b'\n');
    }
    vec![
        file("NUL run at the end", format!("{}{nul_run}", lines(&[&header, &first]))),
        file("NUL run between lines", format!("{header}\n{first}\n{nul_run}{second}\n{third}\n")),
        file("NUL run as a line", lines(&[&*header, &first, &nul_run, &second])),
        file("invalid UTF-8", broken),
        file("only NUL bytes", nul_run.clone()),
    ]
}

/// Trees that are none.
fn shapes() -> Vec<DamagedFile> {
    let [header, first, second, third] = sound_lines();
    let without_id = second.replace(r#""id":"aaaaaaa2","#, "");
    let all_roots: Vec<_> =
        (0..4).map(|number| message(&format!("ccccccc{number}"), "null", "root")).collect();
    let cycle = [("d1", "d3"), ("d2", "d1"), ("d3", "d2")]
        .map(|(id, parent)| message(id, &quoted(parent), "round"));
    vec![
        file("missing id", lines(&[&header, &first, &without_id, &third])),
        file("missing id in the last line", lines(&[&header, &first, &without_id])),
        file("duplicate ids", sound_and(&message("aaaaaaa2", r#""aaaaaaa3""#, "again"))),
        file(
            "duplicate ids of siblings",
            sound_and(&message("aaaaaaa2", r#""aaaaaaa1""#, "again")),
        ),
        file("self-parent", sound_and(&message("eeeeeee1", r#""eeeeeee1""#, "self"))),
        file("cycle of three", lines(&[&header]) + &lines(&cycle)),
        file("cycle beside a sound path", lines(&[&header]) + &lines(&cycle) + &first + "\n"),
        file("orphan parents", sound_and(&message("fffffff1", r#""no-such1""#, "orphan"))),
        file("several roots", lines(&[&header]) + &lines(&all_roots)),
        file("parent later in the file", lines(&[&header, &third, &second, &first])),
        file("missing parentId", lines(&[&header, &first.replace(r#""parentId":null,"#, "")])),
        file("parentId not a string", sound_and(&message("fffffff2", "7", "number"))),
        file("empty id", sound_and(&message("", r#""aaaaaaa3""#, "empty"))),
        file("id not a string", sound_and(&second.replace(r#""aaaaaaa2""#, "12"))),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique() {
        let files = damaged_files();
        let names: BTreeSet<_> = files.iter().map(|file| file.name).collect();
        assert_eq!(names.len(), files.len());
    }

    #[test]
    fn sound_lines_are_sound() {
        for line in sound_lines() {
            assert!(serde_json::from_str::<serde_json::Value>(&line).is_ok(), "{line}");
        }
    }
}
