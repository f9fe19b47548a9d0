//! The fast scan and the strict decoder must agree on every line.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a test may fail loudly and say what it saw"
)]

use pitree_format::js::{parse, stringify};
use pitree_format::scan::{Field, Scanned, scan};
use pitree_format::{EntryKind, Role, Value};
use proptest::prelude::*;

/// The envelope by the strict decoder.
fn strict(value: &Value) -> (EntryKind, Role, [Option<String>; 4]) {
    let text = |key| value.get_string(key).map(|text| text.to_text().into_owned());
    let kind =
        value.get_string("type").map_or(EntryKind::Other, |t| EntryKind::from_name(t.as_bytes()));
    let role = value
        .get("message")
        .and_then(|message| message.get_string("role"))
        .map_or(Role::Other, |role| Role::from_name(role.as_bytes()));
    (kind, role, [text("type"), text("id"), text("parentId"), text("timestamp")])
}

fn check(line: &[u8]) -> Result<(), TestCaseError> {
    let scanned = scan(line);
    match parse(line) {
        Err(_) => {
            prop_assert!(matches!(scanned, Scanned::Malformed(_) | Scanned::Blank), "{scanned:?}");
        }
        Ok(value @ Value::Object(_)) => {
            let Scanned::Object(envelope) = scanned else {
                return Err(TestCaseError::fail(format!("{scanned:?} for {value:?}")));
            };
            let text = |field: Field<'_>| field.to_js().map(|text| text.to_text().into_owned());
            let fields = [envelope.type_name, envelope.id, envelope.parent_id, envelope.timestamp];
            let found = (envelope.kind(), envelope.role(), fields.map(text));
            prop_assert_eq!(found, strict(&value));
            prop_assert_eq!(
                envelope.parent_id == Field::Null,
                value.get("parentId") == Some(&Value::Null)
            );
            prop_assert_eq!(envelope.id == Field::Absent, value.get("id").is_none());
        }
        Ok(value) if value.is_truthy() => prop_assert!(matches!(scanned, Scanned::NotAnObject)),
        Ok(_) => prop_assert!(matches!(scanned, Scanned::Falsy)),
    }
    Ok(())
}

/// The names that matter, other names, and spellings with escapes.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "type",
            "id",
            "parentId",
            "timestamp",
            "message",
            "role",
            "content",
            "ty\\u0070e",
            "\\u0069d",
            "rol\\u0065",
            "x\\\\u0069d",
            "10",
            "2",
            "",
        ])
        .prop_map(str::to_owned),
        "[a-z]{0,6}",
    ]
}

fn string_body() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec![
            "message",
            "session",
            "user",
            "system",
            "assistant",
            "custom",
            "mess\\u0061ge",
            "\\ud83d",
            "\\ud83d\\ude00",
            "\\\"",
            "\\\\",
            "\\/",
            "a\\nb",
            "漢字 😀",
            "\u{2028}",
            "2026-02-03T22:52:06.410Z",
        ])
        .prop_map(str::to_owned),
        "[ -!#-\\[\\]-~]{0,40}",
    ]
}

fn space() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["", "", "", " ", "\t", "\r", "  "])
}

fn json() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("false".to_owned()),
        prop::sample::select(vec![
            "0",
            "-0",
            "1e400",
            "1.5e-7",
            "-12.25E+3",
            "123456789012345678901"
        ])
        .prop_map(str::to_owned),
        string_body().prop_map(|body| format!("\"{body}\"")),
    ];
    leaf.prop_recursive(5, 64, 8, |inner| {
        prop_oneof![
            (prop::collection::vec((inner.clone(), space()), 0..6), space()).prop_map(
                |(items, s)| {
                    let items: Vec<_> =
                        items.into_iter().map(|(item, s)| format!("{s}{item}{s}")).collect();
                    format!("[{s}{}]", items.join(","))
                }
            ),
            (prop::collection::vec((name(), inner, space()), 0..8), space()).prop_map(
                |(members, s)| {
                    let members: Vec<_> = members
                        .into_iter()
                        .map(|(name, value, s)| format!("{s}\"{name}\"{s}:{s}{value}{s}"))
                        .collect();
                    format!("{{{s}{}}}", members.join(","))
                }
            ),
        ]
    })
}

proptest! {
    #![proptest_config(pitree_testkit::properties(4000))]

    #[test]
    fn valid_json_in_any_order_and_spacing(line in json()) {
        prop_assert!(parse(line.as_bytes()).is_ok(), "the generator makes JSON: {line}");
        check(line.as_bytes())?;
    }

    #[test]
    fn damaged_json(line in json(), at in any::<prop::sample::Index>(), byte in any::<u8>(), cut in any::<bool>()) {
        let mut bytes = line.into_bytes();
        let at = at.index(bytes.len());
        if cut { bytes.truncate(at) } else { bytes[at] = byte }
        check(&bytes)?;
    }

    #[test]
    fn arbitrary_bytes(line in prop::collection::vec(any::<u8>(), 0..60)) {
        check(&line)?;
    }

    /// An independent judge for what counts as JSON.
    #[test]
    fn the_verdict_is_that_of_another_parser(line in json(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = line.into_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let other = serde_json::from_slice::<serde::de::IgnoredAny>(&bytes).is_ok();
        prop_assert_eq!(parse(&bytes).is_ok(), other);
    }

    #[test]
    fn printing_is_stable(line in json()) {
        let printed = stringify(&parse(line.as_bytes()).unwrap());
        prop_assert_eq!(stringify(&parse(printed.as_bytes()).unwrap()), printed);
    }
}

#[test]
fn deep_nesting_needs_no_stack() {
    for depth in [63, 64, 65, 127, 128, 129, 1_000_000] {
        let line =
            format!("{{\"type\":\"custom\",\"data\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
        assert!(matches!(scan(line.as_bytes()), Scanned::Object(_)), "{depth}");
        let value = parse(line.as_bytes()).unwrap();
        assert_eq!(stringify(&value), line);
        let torn = &line.as_bytes()[..line.len() - 2];
        assert!(matches!(scan(torn), Scanned::Malformed(_)), "{depth}");
        let mixed = format!("{}1{}", "[{\"a\":".repeat(depth), "}]".repeat(depth));
        assert!(matches!(scan(mixed.as_bytes()), Scanned::NotAnObject), "{depth}");
    }
}
