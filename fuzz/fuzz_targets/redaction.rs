//! Redaction of any text: twice is once, and nothing is left to be found.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use pitree_redact::{Context, Finished, Key, Literals, Pseudonyms, Redactor, Report};

const CONTEXTS: [Context; 6] = [
    Context::Text,
    Context::Shell,
    Context::Member,
    Context::Settings,
    Context::PasswordFile,
    Context::KeyFile,
];

static REDACTORS: LazyLock<[Redactor; 2]> = LazyLock::new(|| {
    let names = Pseudonyms {
        homes: true,
        emails: true,
        users: vec!["ana".to_owned()],
        hosts: vec!["lemon".to_owned()],
    };
    [Pseudonyms::default(), names]
        .map(|names| Redactor::new(Key::new([7; Key::LEN]), Literals::default(), names))
});

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    for redactor in REDACTORS.iter() {
        for context in CONTEXTS {
            let once = redactor.text(&text, context, &mut Report::default());
            let twice = redactor.text(&once, context, &mut Report::default());
            assert_eq!(twice, once, "{context:?}");
            let left = redactor.scan_finished(once.as_bytes(), Finished::Text);
            assert!(left.is_empty(), "{context:?}: {left:?} in {once:?}");
        }
    }
});
