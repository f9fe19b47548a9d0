//! Whole sessions: what a run writes of them, read by the programs that it is for.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pitree_extract::{Dedupe, FormatName, Selection, Unguarded, Unit, run, samples as samples_of};
use pitree_session::OpenOptions;
use pitree_testkit::Consumers;

use crate::formats::consumers::{MOST_TEMPLATES, script};
use crate::formats::samples::meaning;
use crate::formats::store::{Store, environment, options, session_text, sources};

const SESSIONS: u64 = 9;

/// Extracts the store in this form and gives the file of rows.
fn extract(store: &Store, format: FormatName, unit: Unit) -> PathBuf {
    let mut options = options(store.root());
    options.guard = Arc::new(Unguarded);
    options.quality.dedupe = Dedupe::Off;
    options.form.samples.selection.unit = unit;
    let form = format.prepare(&options.form);
    let out = store.root().join(format!("{format}-{}", unit.name()));
    run(&sources(store.root()), &*form, &options, &out, &environment()).unwrap();
    out.join("data.jsonl")
}

/// What the samples of a store mean.
fn meanings(store: &Store, unit: Unit) -> PathBuf {
    let options = Selection { unit, ..Selection::default() }.into();
    let mut lines = String::new();
    for source in sources(store.root()) {
        let session = OpenOptions::default().open(&source.path, &environment()).unwrap();
        for sample in samples_of(&session, &options).with_about(source.about) {
            let mut sample = sample.unwrap();
            sample.train_answers_only();
            if sample.target_count() > 0 {
                lines.push_str(&meaning(&sample).to_string());
                lines.push('\n');
            }
        }
    }
    let path = store.root().join(format!("meanings-{}.jsonl", unit.name()));
    fs_err::write(&path, lines).unwrap();
    path
}

#[test]
fn trl_learns_the_replies_of_sessions() {
    let Some(consumers) = Consumers::find("trl_learns_the_replies_of_sessions") else { return };
    let store = Store::random(SESSIONS);
    let snippet = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/format/trl_rows.py");
    for unit in [Unit::Path, Unit::Turn] {
        let (rows, meanings) = (extract(&store, FormatName::Chat, unit), meanings(&store, unit));
        let words = [MOST_TEMPLATES, "any"].map(Path::new);
        let args = [rows.as_path(), &meanings, &snippet].into_iter().chain(words);
        println!("{}", consumers.run(&script("chat.py"), args, b"").unwrap());
    }
}

/// A file is loaded in pieces of ten million bytes, and the first one alone decides on the types
/// unless they are told.
#[test]
fn rows_unlike_the_first_ones_are_loaded() {
    let Some(consumers) = Consumers::find("rows_unlike_the_first_ones_are_loaded") else { return };
    let store = crate::formats::docs::store();
    let long = "word ".repeat(2_200_000);
    let text = session_text("early", &[("q", "user", &long), ("a", "assistant", "yes")]);
    store.write("early.jsonl", text.replace("2026-11-15", "2026-11-14").as_bytes());
    let formats = [
        FormatName::Chat,
        FormatName::OpenAi,
        FormatName::Axolotl,
        FormatName::ShareGpt,
        FormatName::LlamaFactory,
        FormatName::MsSwift,
    ];
    let files = formats.map(|format| extract(&store, format, Unit::Path));
    println!("{}", consumers.run(&script("features.py"), files, b"").unwrap());
}

#[test]
fn openai_takes_what_sessions_give() {
    let Some(consumers) = Consumers::find("openai_takes_what_sessions_give") else { return };
    let store = Store::random(SESSIONS);
    let others = extract(&store, FormatName::Chat, Unit::Path);
    for unit in [Unit::Path, Unit::Request] {
        let rows = extract(&store, FormatName::OpenAi, unit);
        let args = [&rows, &others];
        println!("{}", consumers.run(&script("openai_types.py"), args, b"").unwrap());
    }
}
