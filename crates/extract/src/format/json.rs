//! Printing rows piece by piece, so that no text is copied on its way.
//!
//! The form is JavaScript's, as everywhere. What is printed is always valid Unicode: half
//! characters, which session files may hold, are left out, as Pi leaves them out when it sends.

use pitree_format::Value;
use pitree_format::js::{self, JsString, print_list};

/// Prints a value without half characters.
pub(super) fn print_value(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => print_whole(text, out),
        Value::Array(items) => print_list(items, out, print_value),
        Value::Object(object) => {
            out.push('{');
            for (at, (key, item)) in object.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                print_whole(key, out);
                out.push(':');
                print_value(item, out);
            }
            out.push('}');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Deep(_) => js::print(value, out),
    }
}

/// Whether the value is nested so deeply that readers refuse it.
pub(super) fn is_deep(value: &Value) -> bool {
    match value {
        Value::Deep(_) => true,
        Value::Array(items) => items.iter().any(is_deep),
        Value::Object(object) => object.iter().any(|(_, item)| is_deep(item)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn print_whole(text: &JsString, out: &mut String) {
    js::print_text(&text.without_lone_surrogates(), out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_characters_are_left_out_of_names_and_texts() {
        let value = js::parse(br#"{"a\ud83d":["x\ude00y","\ud83d\ude00"],"n":1e21}"#).unwrap();
        let mut out = String::new();
        print_value(&value, &mut out);
        assert_eq!(out, r#"{"a":["xy","😀"],"n":1e+21}"#);
    }
}
