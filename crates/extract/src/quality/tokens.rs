//! Exact token counts: with the vocabulary `o200k_base`, which is part of the program, or with a
//! `tokenizer.json` of the user's, as models on Hugging Face have it. Those are read with the feature
//! `tokenizer` only.

use std::path::Path;

use pitree_format::js::stringify;
use pitree_sample::ChatMessage;
use pitree_session::read_small_file;
use tiktoken_rs::o200k_base_singleton;

use crate::error::{ExtractError, IoContext};

/// A larger file is not a tokenizer.
const MOST_BYTES: u64 = 512 << 20;

/// Longer texts are counted in pieces, cut where a token never goes across.
const PIECE_BYTES: usize = 32 << 10;

/// The name of the vocabulary, for the card.
pub(crate) const VOCABULARY: &str = "o200k_base";

/// What chat formats add to each message for its role and its ends.
const MESSAGE_OVERHEAD: u64 = 4;

/// A tokenizer that was read from a file.
pub struct Tokenizer {
    name: String,
    hash: [u8; 32],
    model: Model,
}

impl Tokenizer {
    /// Reads a `tokenizer.json`. An error without the feature `tokenizer`.
    pub fn read(path: &Path) -> Result<Self, ExtractError> {
        let bytes = read_small_file(path, MOST_BYTES).on("read", path)?;
        let hash = *blake3::hash(&bytes).as_bytes();
        let short = blake3::Hash::from(hash).to_hex();
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let name = format!("{file}, blake3 {}", &short[..16]);
        Ok(Self { name, hash, model: Model::read(&bytes, path)? })
    }

    /// What the card calls it: the name of the file and the beginning of its hash.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The hash of its file.
    pub(crate) fn hash(&self) -> &[u8; 32] {
        &self.hash
    }
}

#[cfg(feature = "tokenizer")]
struct Model(tokenizers::Tokenizer);

#[cfg(feature = "tokenizer")]
impl Model {
    fn read(bytes: &[u8], path: &Path) -> Result<Self, ExtractError> {
        let refused = |error: tokenizers::Error| ExtractError::Tokenizer {
            path: path.to_owned(),
            problem: error.to_string(),
        };
        let mut model = tokenizers::Tokenizer::from_bytes(bytes).map_err(refused)?;
        // What a file says of training would change the counts.
        model.with_padding(None);
        model.with_truncation(None).map_err(refused)?;
        Ok(Self(model))
    }

    fn count(&self, text: &str) -> u64 {
        // A tokenizer fails at text that its vocabulary has no way to say. Then each character is
        // at most one token.
        let tokens = self.0.encode_fast(text, false);
        tokens.map_or_else(|_| text.chars().count() as u64, |tokens| tokens.len() as u64)
    }
}

/// There is none.
#[cfg(not(feature = "tokenizer"))]
enum Model {}

#[cfg(not(feature = "tokenizer"))]
impl Model {
    fn read(_: &[u8], path: &Path) -> Result<Self, ExtractError> {
        Err(ExtractError::NoTokenizers { path: path.to_owned() })
    }

    fn count(&self, _: &str) -> u64 {
        match *self {}
    }
}

impl std::fmt::Debug for Tokenizer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Tokenizer").field(&self.name).finish()
    }
}

impl PartialEq for Tokenizer {
    fn eq(&self, other: &Self) -> bool {
        self.hash == other.hash
    }
}

/// The tokens of a message: its text, reasoning, calls, and the marks around it. An image has those
/// of the word that stands for it.
pub(super) fn count_message(message: &ChatMessage, by: Option<&Tokenizer>) -> u64 {
    let mut tokens = MESSAGE_OVERHEAD + count(&message.written_text(), by);
    tokens += message.thought().map_or(0, |thought| count(thought, by));
    for call in &message.tool_calls {
        tokens += count(&call.name, by) + count(&stringify(&call.arguments), by);
    }
    tokens
}

/// The tokens of a text.
pub(super) fn count(mut text: &str, by: Option<&Tokenizer>) -> u64 {
    let mut tokens = 0;
    while !text.is_empty() {
        let (piece, rest) = text.split_at(piece_end(text));
        tokens += match by {
            Some(tokenizer) => tokenizer.model.count(piece),
            None => o200k_base_singleton().count_ordinary(piece) as u64,
        };
        text = rest;
    }
    tokens
}

/// Where to cut: behind a line feed if a word or a letter follows, for no token goes across it.
/// Text without such a place, such as a megabyte of one letter, is cut anywhere: to look for its
/// tokens as a whole takes time by the square of its length.
fn piece_end(text: &str) -> usize {
    if text.len() <= PIECE_BYTES {
        return text.len();
    }
    let head = &text.as_bytes()[..PIECE_BYTES];
    let is_boundary =
        |&at: &usize| head[at] == b'\n' && text.as_bytes()[at + 1].is_ascii_alphanumeric();
    match (PIECE_BYTES / 2..PIECE_BYTES).rev().find(is_boundary) {
        Some(at) => at + 1,
        None => (1..=PIECE_BYTES).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(text.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_have_the_tokens_of_the_whole() {
        let line = "fn main() { println!(\"héllo {}\", 1234567); }\n/// docs;\n\n    x\n";
        let text = line.repeat(3000);
        assert!(text.len() > 4 * PIECE_BYTES);
        assert_eq!(count(&text, None), o200k_base_singleton().count_ordinary(&text) as u64);
        assert_eq!(count("hello world", None), 2);
    }

    #[test]
    fn odd_texts_are_counted_too() {
        for text in ["a", " ", "\n", "é", "\u{1F600}", "=-", "日本語"] {
            let long = text.repeat(100_000 / text.len());
            assert!(count(&long, None) > 0, "{text:?}");
        }
    }

    /// A tokenizer of whole words.
    #[cfg(feature = "tokenizer")]
    fn words(more: &str) -> String {
        format!(
            r#"{{"version":"1.0","truncation":null,"padding":null,"added_tokens":[],"normalizer":null,"pre_tokenizer":{{"type":"Whitespace"}},"post_processor":null,"decoder":null,"model":{{"type":"WordLevel","vocab":{{"hello":0,"world":1,"?":2}},"unk_token":"?"}}{more}}}"#
        )
    }

    #[test]
    #[cfg(not(feature = "tokenizer"))]
    fn a_build_without_tokenizers_says_so() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let refused = Tokenizer::read(file.path()).unwrap_err().to_string();
        assert!(refused.contains("built without tokenizer files"), "{refused}");
    }

    #[test]
    #[cfg(feature = "tokenizer")]
    fn a_tokenizer_of_the_users_counts_in_its_own_way() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokenizer.json");
        fs_err::write(&path, words("")).unwrap();
        let tokenizer = Tokenizer::read(&path).unwrap();
        assert_eq!(count("hello, hello unbelievable world", Some(&tokenizer)), 5);
        assert!(tokenizer.name().starts_with("tokenizer.json, blake3 "));
        let cut = r#"{"direction":"Right","max_length":2,"strategy":"LongestFirst","stride":0}"#;
        let cut = words("").replace(r#""truncation":null"#, &format!(r#""truncation":{cut}"#));
        fs_err::write(&path, cut).unwrap();
        let cutting = Tokenizer::read(&path).unwrap();
        assert_eq!(count("hello world hello world", Some(&cutting)), 4, "nothing is cut off");
        assert_ne!(tokenizer, cutting);
        fs_err::write(&path, "{}").unwrap();
        let refused = Tokenizer::read(&path).unwrap_err().to_string();
        assert!(refused.contains("tokenizer.json is not a tokenizer"), "{refused}");
    }
}
