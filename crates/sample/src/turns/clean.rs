//! Text as it is sent: without lone surrogates, which no provider takes.

use pitree_format::{JsString, Object, Value};

/// The text without its lone surrogates.
pub fn text(text: &JsString) -> String {
    text.without_lone_surrogates().into_owned()
}

/// The value, and all that is in it, without lone surrogates.
pub fn value(dirty: &Value) -> Value {
    match dirty {
        Value::String(string) if string.as_str().is_none() => text(string).into(),
        Value::Array(items) => Value::Array(items.iter().map(value).collect()),
        Value::Object(members) => {
            let clean = members.iter().map(|(key, item)| (JsString::from(text(key)), value(item)));
            Object::from_members(clean.collect()).into()
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use pitree_format::js::{parse, stringify};

    use super::*;

    #[test]
    fn halves_of_a_pair_go_and_pairs_stay() {
        let odd = parse(br#"{"a\ud800":["x\udc00y","\ud83d\ude00",1,null]}"#).unwrap();
        assert_eq!(stringify(&value(&odd)), r#"{"a":["xy","😀",1,null]}"#);
    }
}
