//! Sessions that want to take over the page: each text that a session can hold, with each payload of
//! `hostile/payloads.json`, on the page that is served and in the exported files. A browser looks at
//! them (`page/tests/hostile.mjs`).
//!
//! Every payload carries a marker of its own for each place it is put, so that the browser sees that
//! it was shown as text, not only that it did nothing.

use std::path::Path;

use pitree_export::{ExportOptions, Format};
use pitree_session::Session;
use pitree_testkit::{is_full, page, page_script, said_by, tell};
use pitree_web::PageFile;
use serde_json::{Map, Value, json};

use crate::common::Served;

/// One entry of each kind; `{@name}` is where a payload goes, `{#name}` an id.
const GROUP: &str = include_str!("hostile/group.jsonl");

/// So many payloads are in a session together.
const TOGETHER: usize = 20;

/// All payloads in a full run, else one of each kind.
fn payloads() -> Vec<String> {
    let data: Value = serde_json::from_str(include_str!("hostile/payloads.json")).unwrap();
    let list = |name: &str| data[name].as_array().unwrap().clone();
    let more = if is_full() { list("more") } else { Vec::new() };
    let all = list("usual").into_iter().chain(more);
    all.map(|payload| payload.as_str().unwrap().to_owned()).collect()
}

/// Puts payloads into texts, and notes where.
struct Writer<'p> {
    number: usize,
    payload: &'p str,
    places: Vec<Value>,
}

impl Writer<'_> {
    fn payload_at(&mut self, field: &str) -> String {
        let marker = format!("q{:03}{field}z", self.number);
        let text = self.payload.replace("%M%", &marker);
        self.places.push(json!({ "field": field, "marker": marker, "payload": self.payload }));
        text
    }

    fn text(&mut self, template: &str) -> String {
        let mut text = String::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('{') {
            text.push_str(before);
            rest = match after.chars().next() {
                Some('@' | '#') => {
                    let (name, after) = after.split_once('}').unwrap();
                    match name.split_at(1) {
                        ("@", field) => text.push_str(&self.payload_at(field)),
                        (_, id) => text.push_str(&format!("{:03}{id}", self.number)),
                    }
                    after
                }
                _ => {
                    text.push('{');
                    after
                }
            };
        }
        text + rest
    }

    fn value(&mut self, template: &Value) -> Value {
        match template {
            Value::String(text) => self.text(text).into(),
            Value::Array(items) => items.iter().map(|item| self.value(item)).collect(),
            Value::Object(members) => {
                let members =
                    members.iter().map(|(name, value)| (self.text(name), self.value(value)));
                Value::Object(members.collect::<Map<String, Value>>())
            }
            other => other.clone(),
        }
    }
}

/// A session file, and where which payload is in it.
struct Hostile {
    name: String,
    bytes: Vec<u8>,
    id: String,
    places: Vec<Value>,
}

/// Many payloads in each kind of entry.
fn conversation(number: usize, payloads: &[(usize, &str)]) -> Hostile {
    let id = format!("hostile-{number:03}");
    let mut lines = vec![json!({"type": "session", "version": 3, "id": id, "cwd": "/srv/hostile",
        "timestamp": "2026-02-03T22:00:00.000Z"})];
    let (mut parent, mut places) = (Value::Null, Vec::new());
    for (number, payload) in payloads {
        let mut writer = Writer { number: *number, payload, places: Vec::new() };
        for (line, template) in GROUP.lines().enumerate() {
            let mut entry = writer.value(&serde_json::from_str(template).unwrap());
            let own = entry.get("id").cloned();
            let id = own.unwrap_or_else(|| format!("{number:03}line{line}").into());
            entry["id"] = id.clone();
            entry["parentId"] = std::mem::replace(&mut parent, id);
            entry["timestamp"] = "2026-02-03T22:00:01.000Z".into();
            lines.push(entry);
        }
        places.append(&mut writer.places);
    }
    // A branch, so that there are lanes.
    lines.push(json!({"type": "message", "id": "branch", "parentId": lines[3]["id"],
        "timestamp": "2026-02-03T22:00:01.000Z", "message": {"role": "user", "content": "Back"}}));
    let leaf = lines[lines.len() - 2]["id"].clone();
    lines.push(json!({"type": "message", "id": "last", "parentId": leaf,
        "timestamp": "2026-02-03T22:00:01.000Z", "message": {"role": "user", "content": "On"}}));
    Hostile { name: format!("{id}.jsonl"), bytes: bytes_of(&lines), id, places }
}

/// One payload wherever a session has a single text: in its header, its name, its file's name.
fn header(number: usize, payload: &str) -> Hostile {
    let mut writer = Writer { number, payload, places: Vec::new() };
    let template = [
        json!({"type": "session", "version": 3, "id": "{@id}", "cwd": "/srv/{@cwd}",
            "parentSession": "{@parent}", "timestamp": "2026-02-03T22:00:00.000Z"}),
        json!({"type": "message", "id": "a", "parentId": null, "timestamp": "{@timestamp}",
            "message": {"role": "user", "content": "{@first}"}}),
        json!({"type": "message", "id": "b", "parentId": "a",
            "timestamp": "2026-02-03T22:00:02.000Z", "message": {"role": "assistant",
            "content": [{"type": "text", "text": "Yes."}], "provider": "local",
            "model": "{@listmodel}", "stopReason": "stop", "usage": {"input": 1, "output": 2,
            "totalTokens": 3, "cost": {"total": 0.5}}}}),
        json!({"type": "session_info", "id": "c", "parentId": "b", "name": "{@listname}",
            "timestamp": "2026-02-03T22:00:03.000Z"}),
    ];
    let lines: Vec<Value> = template.iter().map(|line| writer.value(line)).collect();
    let file = writer.payload_at("file").replace(['/', '\0'], "_");
    let id = lines[0]["id"].as_str().unwrap().to_owned();
    Hostile { name: format!("{file}.jsonl"), bytes: bytes_of(&lines), id, places: writer.places }
}

fn bytes_of(lines: &[Value]) -> Vec<u8> {
    lines.iter().flat_map(|line| format!("{line}\n").into_bytes()).collect()
}

/// Writes the page as one file, and the plain page.
fn export(served: &Served, session: &Hostile, folder: &Path) -> Value {
    let open = || Session::open(served.file(&session.name), &served.environment).unwrap();
    let mut page = Vec::new();
    PageFile::new().write(open(), &mut page).unwrap();
    let mut plain = Vec::new();
    pitree_export::export(&open(), Format::Html, &ExportOptions::default(), &mut plain).unwrap();
    let write = |kind: &str, bytes: &[u8]| {
        let path = folder.join(format!("{}-{kind}.html", session.id));
        fs_err::write(&path, bytes).unwrap();
        path.display().to_string()
    };
    json!({ "page": write("page", &page), "plain": write("plain", &plain) })
}

#[test]
fn hostile_content_stays_text() {
    let Some(page) = page("hostile_content_stays_text") else { return };
    let payloads = payloads();
    let numbered: Vec<(usize, &str)> =
        payloads.iter().enumerate().map(|(number, payload)| (number, payload.as_str())).collect();
    let conversations: Vec<Hostile> = (0..)
        .zip(numbered.chunks(TOGETHER))
        .map(|(number, payloads)| conversation(number, payloads))
        .collect();
    let headers: Vec<Hostile> =
        numbered.iter().map(|(number, payload)| header(*number, payload)).collect();
    let all = conversations.iter().chain(&headers);
    let files: Vec<(&str, &[u8])> = all.map(|it| (it.name.as_str(), &it.bytes[..])).collect();
    let served = Served::new(&files);
    let folder = tempfile::tempdir().unwrap();
    let described = |session: &Hostile, is_exported: bool| {
        let files = if is_exported { export(&served, session, folder.path()) } else { Value::Null };
        json!({ "id": session.id, "places": session.places, "files": files })
    };
    let plan = json!({
        "url": format!("http://{}/?token={}", served.address, served.token),
        "conversations": conversations.iter().map(|it| described(it, true)).collect::<Vec<_>>(),
        "headers": headers.iter().map(|it| described(it, false)).collect::<Vec<_>>(),
    });
    let path = folder.path().join("plan.json");
    fs_err::write(&path, plan.to_string()).unwrap();
    let said = said_by(page_script(&page, "tests/hostile.mjs").arg(&path));
    tell(said.lines().last().unwrap_or_default());
}
