//! One line: the fast scan and the strict decoder agree, printing is stable, an edit changes one
//! member only.
#![no_main]

use libfuzzer_sys::fuzz_target;
use pitree_format::edit::{member, set_member};
use pitree_format::entry::Body;
use pitree_format::js::{parse, stringify};
use pitree_format::message::Message;
use pitree_format::scan::{Field, Scanned, scan};
use pitree_format::{EntryKind, Role, Value};

fuzz_target!(|line: &[u8]| {
    let scanned = scan(line);
    match parse(line) {
        Err(_) => assert!(matches!(scanned, Scanned::Malformed(_) | Scanned::Blank)),
        Ok(value @ Value::Object(_)) => {
            same_envelope(&scanned, &value);
            edits(line, &value);
            same_again(&value);
            // Decoding takes any object.
            let _ = Body::decode(&value);
            let _ = value.get("message").map(Message::decode);
        }
        Ok(value) if value.is_truthy() => {
            assert!(matches!(scanned, Scanned::NotAnObject));
            same_again(&value);
        }
        Ok(_) => assert!(matches!(scanned, Scanned::Falsy)),
    }
});

fn same_envelope(scanned: &Scanned<'_>, value: &Value) {
    let Scanned::Object(envelope) = scanned else { panic!("{scanned:?} for {value:?}") };
    let kind =
        value.get_string("type").map_or(EntryKind::Other, |t| EntryKind::from_name(t.as_bytes()));
    let role = value.get("message").and_then(|message| message.get_string("role"));
    let role = role.map_or(Role::Other, |role| Role::from_name(role.as_bytes()));
    assert_eq!((envelope.kind(), envelope.role()), (kind, role));
    let fields = [
        ("type", envelope.type_name),
        ("id", envelope.id),
        ("parentId", envelope.parent_id),
        ("timestamp", envelope.timestamp),
    ];
    for (name, field) in fields {
        assert_eq!(field.to_js().as_ref(), value.get_string(name), "{name}");
        assert_eq!(field == Field::Null, value.get(name) == Some(&Value::Null), "{name}");
        assert_eq!(field == Field::Absent, value.get(name).is_none(), "{name}");
    }
    let _ = envelope.time();
}

/// What is printed is read as the same value, and printed the same again.
fn same_again(value: &Value) {
    let printed = stringify(value);
    let again = parse(printed.as_bytes()).expect("what is printed can be read");
    assert_eq!(stringify(&again), printed);
}

fn edits(line: &[u8], value: &Value) {
    for name in ["parentId", "id", "new"] {
        let changed = set_member(line, name, "\"x\"").expect("an object can be edited");
        assert_eq!(member(&changed, name), Some(&b"\"x\""[..]), "{name}");
        let read = parse(&changed).expect("an edited object can be read");
        let (Some(before), Some(after)) = (value.as_object(), read.as_object()) else {
            panic!("an edited object is an object");
        };
        let other =
            |(key, value): (&_, &_)| (*key != name).then(|| (stringify_key(key), stringify(value)));
        let before: Vec<_> = before.iter().filter_map(other).collect();
        let after: Vec<_> = after.iter().filter_map(other).collect();
        assert_eq!(before, after);
    }
}

fn stringify_key(key: &pitree_format::JsString) -> String {
    stringify(&Value::String(key.clone()))
}
