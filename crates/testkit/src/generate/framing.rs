//! From lines to bytes, with the wear that real files show.

use std::collections::BTreeSet;

use super::text::{BROKEN_BYTE_MARK, iso_date};
use crate::json::{Json, Layout, Object, line, string};
use crate::rng::Rng;

/// Byte sequences that are no UTF-8: lone parts, a cut character, an encoded surrogate.
const BROKEN_BYTES: [&[u8]; 6] =
    [b"\xff", b"\x80", b"\xc3", b"\xe2\x82", b"\xed\xa0\x80", b"\xf0\x9f\x98"];

/// The header of a session of version 3.
pub(crate) fn header(rng: &mut Rng, time: i64) -> Object {
    let id =
        format!("{}-{}-7{}-9{}-{}", rng.hex(8), rng.hex(4), rng.hex(3), rng.hex(3), rng.hex(12));
    let parent = "/home/user/.pi/agent/sessions/--work--/2026-01-01T00-00-00-000Z_x.jsonl";
    Object::typed("session")
        .with("version", Json::Raw("3".into()))
        .with("id", string(&id))
        .with("timestamp", string(&iso_date(time)))
        .with("cwd", string(rng.pick(&["/srv/project", "/home/user/a b", "/tmp/日本"])))
        .with_option("parentSession", rng.chance(15).then(|| string(parent)))
        .with_option("extra", rng.chance(3).then(|| string("kept")))
}

/// Writes the lines, and names every way in which the bytes differ from what Pi writes.
pub(crate) fn frame(
    rng: &mut Rng,
    header: Object,
    entries: Vec<Object>,
) -> (Vec<u8>, BTreeSet<&'static str>) {
    let mut oddities = BTreeSet::new();
    let second_header = rng.chance(5).then(|| header.clone());
    let mut lines = lay_out(rng, header, entries, &mut oddities);
    if let Some(mut second) = second_header {
        second.remove("parentSession");
        let text = line(second, Layout::Pi, rng);
        insert_after_header(rng, &mut lines, text);
        oddities.insert("second header");
    }
    if rng.chance(6) {
        for _ in 0..rng.between(1, 3) {
            let blank = rng.pick(&["", "  ", "\t"]).to_owned();
            insert_after_header(rng, &mut lines, blank);
        }
        oddities.insert("blank lines");
    }
    if rng.chance(8) {
        for _ in 0..rng.between(1, 3) {
            let sound = rng.pick(&lines);
            let bad = malformed(rng, &sound);
            insert_after_header(rng, &mut lines, bad);
        }
        oddities.insert("malformed lines");
    }
    (to_bytes(rng, &lines, &mut oddities), oddities)
}

fn lay_out(
    rng: &mut Rng,
    header: Object,
    entries: Vec<Object>,
    oddities: &mut BTreeSet<&'static str>,
) -> Vec<String> {
    let layout = rng.weighted(&[(84, Layout::Pi), (8, Layout::RustPort), (8, Layout::Loose)]);
    if layout != Layout::Pi {
        oddities.insert("foreign layout");
    }
    let lines = std::iter::once(header).chain(entries);
    lines
        .map(|object| {
            // Files of two writers are mixed.
            let own = if rng.chance(80) { layout } else { Layout::Pi };
            line(object, own, rng)
        })
        .collect()
}

fn insert_after_header(rng: &mut Rng, lines: &mut Vec<String>, text: String) {
    let at = rng.between(1, lines.len());
    lines.insert(at, text);
}

/// A line that is no JSON, made from a sound one.
fn malformed(rng: &mut Rng, sound: &str) -> String {
    match rng.below(8) {
        0..=2 => torn(rng, sound),
        3 => sound.replacen("\":\"", "\":\"\\x", 1),
        4 => sound.replacen("\":\"", "\":\"\u{1}", 1),
        5 => format!("{sound}{sound}"),
        6 => format!("{sound},"),
        _ => sound.replacen("\":\"", "\":'", 1),
    }
}

/// The beginning of a line, cut somewhere before its end.
fn torn(rng: &mut Rng, sound: &str) -> String {
    let length = sound.trim_end().chars().count();
    let kept = rng.between(1, length.saturating_sub(1).max(1));
    sound.chars().take(kept).collect()
}

fn to_bytes(rng: &mut Rng, lines: &[String], oddities: &mut BTreeSet<&'static str>) -> Vec<u8> {
    let broken = rng.chance(5);
    let line_end: &[u8] = if rng.chance(5) { b"\r\n" } else { b"\n" };
    let mut bytes = Vec::new();
    for text in lines {
        for (index, piece) in text.split(BROKEN_BYTE_MARK).enumerate() {
            if index > 0 && broken {
                bytes.extend_from_slice(rng.pick(&BROKEN_BYTES));
                oddities.insert("invalid UTF-8");
            } else if index > 0 {
                bytes.push(b'?');
            }
            bytes.extend_from_slice(piece.as_bytes());
        }
        bytes.extend_from_slice(line_end);
    }
    if line_end.len() > 1 {
        oddities.insert("CRLF");
    }
    if rng.chance(8) {
        bytes.truncate(bytes.len() - line_end.len());
        oddities.insert("no last line end");
    }
    bytes
}
