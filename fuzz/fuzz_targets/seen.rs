//! The memory of texts that were found clean: what leaks is found with it as without it.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use pitree_extract::{Guard, Redacting, Seen};
use pitree_redact::{Key, Literals, Pseudonyms, Redactor};

static GUARD: LazyLock<Redacting> = LazyLock::new(|| {
    let key = Key::new([7; Key::LEN]);
    Redacting::new(Redactor::new(key, Literals::default(), Pseudonyms::default()))
});

fuzz_target!(|bytes: &[u8]| {
    let mut seen = Seen::default();
    for piece in bytes.split(|byte| *byte == b'\n') {
        // Long texts are the ones that are remembered; each piece comes in two places.
        let text = String::from_utf8_lossy(piece).repeat(1 + 300 / piece.len().max(1));
        let json = serde_json::json!({ "text": text, "more": [text, String::from_utf8_lossy(piece)] });
        for finished in [piece.to_vec(), json.to_string().into_bytes(), piece.to_vec()] {
            let with = GUARD.leak(&finished, &mut seen).is_some();
            let without = GUARD.leak(&finished, &mut Seen::default()).is_some();
            assert_eq!(with, without, "{:?}", String::from_utf8_lossy(&finished));
        }
    }
});
