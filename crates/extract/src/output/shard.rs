//! How the data is cut into files, and how these are named and compressed.

use std::fmt::Write;

use pitree_format::named_enum;
use serde::{Deserialize, Serialize};

use crate::quality::Split;

/// Into how many files each part of the data is cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shards {
    /// Into none: it is one file.
    #[default]
    One,
    /// Into so many.
    Count(u32),
    /// Into as many as it takes for each to have about so many bytes before compression.
    Bytes(u64),
}

named_enum! {
    /// How files of lines are compressed.
    #[derive(Default, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Compression {
        #[default]
        None = "none": "Not at all",
        Zst = "zst": "As .jsonl.zst files, with Zstandard",
    }
}

/// How the files of a data set are cut and compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OutputLayout {
    /// Into how many files.
    pub shards: Shards,
    /// How these are compressed.
    pub compression: Compression,
}

/// A part of the files of a data set, which is made by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputShard {
    /// The parts of the split that are in it.
    pub parts: Vec<Split>,
    /// Which one it is, from 0, and how many there are; `None` if there is one of each file, with
    /// the name alone.
    pub place: Option<(u32, u32)>,
    /// How files of lines are compressed.
    pub compression: Compression,
}

impl OutputShard {
    /// All that is in these parts.
    pub fn whole(parts: &[Split]) -> Self {
        Self { parts: parts.to_vec(), place: None, compression: Compression::None }
    }

    /// The name of a file of it.
    pub fn file_name(&self, stem: &str, ending: &str) -> String {
        let mut name = stem.to_owned();
        if let Some((number, of)) = self.place {
            let _ = write!(name, "-{number:05}-of-{of:05}");
        }
        name + ending
    }

    /// The ending of files of lines.
    pub fn lines_ending(&self) -> &'static str {
        match self.compression {
            Compression::None => ".jsonl",
            Compression::Zst => ".jsonl.zst",
        }
    }
}

/// The name of a file without what tells it from the other shards: `train` of
/// `train-00003-of-00016.jsonl.zst`.
pub(crate) fn stem_of(name: &str) -> &str {
    let stem = name.split('.').next().unwrap_or(name);
    let is_number = |text: &str| text.len() >= 5 && text.bytes().all(|byte| byte.is_ascii_digit());
    let without = |stem: &'_ str| -> Option<usize> {
        let (before, of) = stem.rsplit_once("-of-")?;
        let (before, number) = before.rsplit_once('-')?;
        (is_number(of) && is_number(number)).then_some(before.len())
    };
    without(stem).map_or(stem, |len| &stem[..len])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_named_as_readers_know_it() {
        let whole = OutputShard::whole(&[Split::Train]);
        assert_eq!(whole.file_name("train", whole.lines_ending()), "train.jsonl");
        let shard = OutputShard { place: Some((3, 16)), compression: Compression::Zst, ..whole };
        let name = shard.file_name("train", shard.lines_ending());
        assert_eq!(name, "train-00003-of-00016.jsonl.zst");
        assert_eq!(stem_of(&name), "train");
        for (name, stem) in [
            ("data.jsonl", "data"),
            ("tool_calls.parquet", "tool_calls"),
            ("a-1-of-2.x", "a-1-of-2"),
        ] {
            assert_eq!(stem_of(name), stem);
        }
    }
}
