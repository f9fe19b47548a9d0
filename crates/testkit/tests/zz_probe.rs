#![allow(missing_docs, clippy::all)]
use pitree_testkit::*;
use serde_json::json;
use std::collections::BTreeMap;
use std::io::Write;
#[test]
fn probe() {
    for v in [PiVersion::Current, PiVersion::Legacy] {
        let mut o = Oracle::start(v).unwrap();
        let mut m: BTreeMap<String, usize> = BTreeMap::new();
        for make in [session, session_v1, session_v2] {
        for seed in 0..300 {
            let mut f = tempfile::NamedTempFile::new().unwrap();
            f.write_all(&make(seed).bytes).unwrap();
            let a = o.ask(&json!({"op":"read","path":f.path(),"at":["nope"]}).to_string()).unwrap();
            if !a.starts_with("{\"ok\":true") { *m.entry(a.chars().take(160).collect()).or_default() += 1; }
            for (i, _) in a.match_indices("{\"throws\":") { *m.entry(a[i..].chars().take(90).collect()).or_default() += 1; }
            if !a.ends_with("\"rewritten\":null}") { *m.entry("rewritten".into()).or_default() += 1; }
        }}
        println!("{v:?} {m:#?}");
    }
    let mut o = Oracle::start(PiVersion::Current).unwrap();
    let mut m: BTreeMap<String, usize> = BTreeMap::new();
    let mut files = 0;
    for seed in 0..300 {
        let d = tempfile::tempdir().unwrap();
        let ops = operations(seed);
        let a = o.ask(&json!({"op":"run","dir":d.path(),"cwd":"/work","start":null,"ops":ops}).to_string()).unwrap();
        let v: serde_json::Value = serde_json::from_str(&a).unwrap();
        files += v["files"].as_array().unwrap().len();
        for (op, r) in ops.iter().zip(v["results"].as_array().unwrap()) {
            let e = r["error"].as_str().map(|e| e.split_whitespace().filter(|w| !w.starts_with('#')).collect::<Vec<_>>().join(" "));
            *m.entry(format!("{} {}", op["do"].as_str().unwrap(), e.unwrap_or("ok".into()))).or_default() += 1;
        }
    }
    println!("{files} {m:#?}");
}
