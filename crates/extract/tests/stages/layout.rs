//! Into how many files a data set is cut changes nothing of what is in it.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use pitree_extract::{
    Compression, Dedupe, ExtractOptions, FormatName, OutputLayout, Quality, Shards,
};
use serde_json::Value;

use super::engine::{Wanted, store};

type Files = BTreeMap<PathBuf, Vec<u8>>;

fn made(wanted: &mut Wanted<'_>, shards: Shards, compression: Compression) -> Files {
    wanted.options.output = OutputLayout { shards, compression };
    wanted.run().0
}

/// The files of a part, one behind the other.
fn joined(files: &Files, stem: &str, ending: &str) -> Vec<u8> {
    let is_of = |name: &str| name.starts_with(stem) && name.ends_with(ending);
    let own = files.iter().filter(|(name, _)| is_of(&name.to_string_lossy()));
    own.flat_map(|(_, bytes)| bytes.clone()).collect()
}

/// All figures of the card, but for those of the files.
fn figures(files: &Files) -> Value {
    let mut card: Value = serde_json::from_slice(&files[Path::new("card.json")]).unwrap();
    let members = card.as_object_mut().unwrap();
    ["files", "beside"].iter().for_each(|name| drop(members.remove(*name)));
    card
}

fn names(files: &Files, ending: &str) -> Vec<String> {
    let names = files.keys().map(|name| name.to_string_lossy().into_owned());
    names.filter(|name| name.ends_with(ending)).collect()
}

#[test]
fn the_union_of_all_shards_is_the_one_file() {
    let store = store(1, 40);
    let mut wanted = Wanted::redacted(&store, FormatName::Chat);
    let quality = Quality { dedupe: Dedupe::Drop, validation: Some(0.3), ..Quality::default() };
    wanted.options = ExtractOptions { quality, ..wanted.options };
    let one = made(&mut wanted, Shards::One, Compression::None);
    assert_eq!(names(&one, ".jsonl"), ["train.jsonl", "validation.jsonl"]);
    for shards in [Shards::Count(1), Shards::Count(7), Shards::Count(64), Shards::Bytes(20_000)] {
        let many = made(&mut wanted, shards, Compression::None);
        for part in ["train", "validation"] {
            let expected = &one[Path::new(&format!("{part}.jsonl"))];
            assert!(joined(&many, part, ".jsonl") == *expected, "{shards:?} {part}");
        }
        assert_eq!(figures(&many), figures(&one), "{shards:?}");
        let names = names(&many, ".jsonl");
        match shards {
            Shards::Count(count) => {
                assert_eq!(names.len(), 2 * count as usize);
                let last = format!("train-{:05}-of-{count:05}.jsonl", count - 1);
                assert!(names.contains(&last), "{names:?}");
            }
            _ => assert!(names.len() > 4, "{names:?}"),
        }
    }
}

#[test]
fn compressed_lines_are_the_lines() {
    let store = store(2, 10);
    let mut wanted = Wanted::redacted(&store, FormatName::Axolotl);
    let plain = made(&mut wanted, Shards::Count(2), Compression::None);
    let packed = made(&mut wanted, Shards::Count(2), Compression::Zst);
    assert_eq!(
        names(&packed, ".zst"),
        ["data-00000-of-00002.jsonl.zst", "data-00001-of-00002.jsonl.zst"]
    );
    for name in names(&packed, ".zst") {
        let lines = zstd::decode_all(&*packed[Path::new(&name)]).unwrap();
        let plain = &plain[Path::new(name.trim_end_matches(".zst"))];
        assert!(lines == *plain && !plain.is_empty(), "{name}");
        assert!(packed[Path::new(&name)].len() < plain.len());
    }
    let page = String::from_utf8(packed[Path::new("README.md")].clone()).unwrap();
    assert!(page.contains("path: data-*.jsonl.zst"), "{page}");
    // The card knows the bytes that are there, so the data set may be replaced by the next run.
    made(&mut wanted, Shards::One, Compression::None);
}

#[test]
fn tables_are_cut_into_files_of_their_own() {
    let store = store(3, 12);
    let mut wanted = Wanted::redacted(&store, FormatName::Parquet);
    let one = made(&mut wanted, Shards::One, Compression::None);
    let many = made(&mut wanted, Shards::Count(3), Compression::None);
    assert_eq!(names(&many, ".parquet").len(), 3 * names(&one, ".parquet").len());
    assert!(many.contains_key(Path::new("tool_calls-00002-of-00003.parquet")));
    assert_eq!(figures(&many), figures(&one));
    let page = String::from_utf8(many[Path::new("README.md")].clone()).unwrap();
    assert!(page.contains("- config_name: entries\n  data_files: entries-*.parquet\n"), "{page}");
    let rows = |files: &Files, table: &str| -> i64 {
        use parquet::file::reader::{FileReader, SerializedFileReader};
        let is_of = |name: &str| name.starts_with(table) && name.ends_with(".parquet");
        let own = files.iter().filter(|(name, _)| is_of(&name.to_string_lossy()));
        let rows = own.map(|(_, bytes)| {
            let file = SerializedFileReader::new(in_memory(bytes)).unwrap();
            file.metadata().file_metadata().num_rows()
        });
        rows.sum()
    };
    for table in ["sessions", "entries", "tool_calls", "samples", "redactions"] {
        assert_eq!(rows(&many, table), rows(&one, table), "{table}");
    }
}

/// A file, as the reader of tables takes it.
fn in_memory(bytes: &[u8]) -> std::fs::File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file
}
