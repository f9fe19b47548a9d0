//! The programs that the forms are for, from PyPI, on random samples.

use std::path::{Path, PathBuf};

use pitree_extract::format::{Chat, OpenAi, ShareGpt};
use pitree_extract::{Format, Reasoning, Sample, SampleKind, Unit};
use pitree_testkit::Consumers;
use tempfile::TempDir;

use crate::formats::samples::{Texts, meaning, samples};

const COUNT: usize = 20;

pub(crate) fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/consumers").join(name)
}

/// Files for the scripts.
struct Files(TempDir);

impl Files {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, lines: impl IntoIterator<Item = String>) -> PathBuf {
        let path = self.0.path().join(name);
        let lines: Vec<String> = lines.into_iter().collect();
        assert!(!lines.is_empty(), "{name} has no rows");
        fs_err::write(&path, lines.join("\n") + "\n").unwrap();
        path
    }

    fn rows(&self, name: &str, format: &dyn Format, samples: &[Sample]) -> PathBuf {
        self.write(name, samples.iter().filter_map(|sample| format.whole_line(sample).ok()))
    }
}

/// Templates that take thoughts, text and calls together.
pub(crate) const MOST_TEMPLATES: &str = "qwen2_5,qwen3,glm4moe,lfm2_v2,llama3";

fn check_with_trl(consumers: &Consumers, samples: &[Sample], unit: Unit, templates: &str) {
    let files = Files::new();
    let rows = files.rows("rows.jsonl", &Chat { unit }, samples);
    let meanings =
        files.write("meanings.jsonl", samples.iter().map(|sample| meaning(sample).to_string()));
    let snippet = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/format/trl_rows.py");
    let args = [rows.as_path(), &meanings, &snippet, Path::new(templates), Path::new("valid")];
    println!("{}", consumers.run(&script("chat.py"), args, b"").unwrap());
}

#[test]
fn trl_learns_exactly_what_is_meant() {
    let Some(consumers) = Consumers::find("trl_learns_exactly_what_is_meant") else { return };
    let branches = samples(COUNT, SampleKind::Path, Texts::Plain);
    check_with_trl(&consumers, &branches, Unit::Path, MOST_TEMPLATES);
    let turns = samples(COUNT, SampleKind::Turn, Texts::Plain);
    check_with_trl(&consumers, &turns, Unit::Turn, MOST_TEMPLATES);
}

#[test]
fn gpt_oss_learns_replies_that_were_split() {
    let Some(consumers) = Consumers::find("gpt_oss_learns_replies_that_were_split") else { return };
    let mut samples = samples(COUNT, SampleKind::Turn, Texts::Plain);
    samples.iter_mut().for_each(|sample| Reasoning::Split.apply(sample));
    check_with_trl(&consumers, &samples, Unit::Turn, "gptoss");
}

#[test]
fn openai_takes_its_rows_and_no_others() {
    let Some(consumers) = Consumers::find("openai_takes_its_rows_and_no_others") else { return };
    let files = Files::new();
    let samples = samples(4 * COUNT, SampleKind::Path, Texts::Any);
    let rows = files.rows("rows.jsonl", &OpenAi, &samples);
    let others = files.rows("chat.jsonl", &Chat { unit: Unit::Path }, &samples);
    let said = consumers.run(&script("openai_types.py"), [&rows, &others], b"").unwrap();
    println!("{said}");
}

#[test]
fn trl_takes_sharegpt() {
    let Some(consumers) = Consumers::find("trl_takes_sharegpt") else { return };
    let files = Files::new();
    let rows =
        files.rows("rows.jsonl", &ShareGpt, &samples(4 * COUNT, SampleKind::Path, Texts::Any));
    println!("{}", consumers.run(&script("sharegpt.py"), [&rows], b"").unwrap());
}
