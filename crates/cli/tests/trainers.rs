//! `pitree extract` on the sessions of the demo, read by the programs that the data is for.

use std::path::{Path, PathBuf};

use crate::common::Sandbox;
use pitree_testkit::Consumers;

/// Extracts the sessions of the demo, with secrets hidden, and gives the folder.
fn extract(sandbox: &Sandbox, format: &str, unit: &str) -> PathBuf {
    for name in ["forecast", "wind"] {
        let sample = format!("src/verbs/demo/sample/{name}.jsonl");
        let text = fs_err::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(sample));
        let _ = sandbox.write(&format!("{name}.jsonl"), &text.unwrap());
    }
    let out = format!("{format}-{unit}");
    let args = ["extract", "../forecast.jsonl", "../wind.jsonl", "--branches", "leaves"];
    let more = ["--format", format, "--unit", unit, "--output", &out];
    let _ = sandbox.run(args.into_iter().chain(more)).ok();
    sandbox.project().join(out)
}

fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../extract/tests/consumers").join(name)
}

#[test]
fn the_card_says_how_trl_loads_the_data() {
    let test = "the_card_says_how_trl_loads_the_data";
    let Some(consumers) = Consumers::find(test) else { return };
    let sandbox = Sandbox::new();
    let folder = extract(&sandbox, "chat", "path");
    println!("{}", consumers.run(&script("card.py"), [folder], b"").unwrap());
}

#[test]
fn openai_takes_the_demo() {
    let Some(consumers) = Consumers::find("openai_takes_the_demo") else { return };
    let sandbox = Sandbox::new();
    let others = extract(&sandbox, "chat", "path").join("data.jsonl");
    for unit in ["path", "turn"] {
        let rows = extract(&sandbox, "openai", unit).join("data.jsonl");
        let said = consumers.run(&script("openai_types.py"), [&rows, &others], b"").unwrap();
        println!("{said}");
    }
}

#[test]
fn llama_factory_finds_its_data() {
    let sandbox = Sandbox::new();
    let folder = extract(&sandbox, "llama-factory", "request");
    let info = fs_err::read_to_string(folder.join("dataset_info.json")).unwrap();
    assert!(info.contains(r#""pitree_data":{"file_name":"data.jsonl""#), "{info}");
    let card = fs_err::read_to_string(folder.join("README.md")).unwrap();
    assert!(card.contains("dataset: pitree_data"), "{card}");
}
