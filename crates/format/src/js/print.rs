//! `JSON.stringify`.

use super::string::surrogate_code;
use super::{JsString, MAX_VALUE_DEPTH, Value};
use crate::scan::plain_run;

/// Prints a value as `JSON.stringify` does.
pub fn stringify(value: &Value) -> String {
    let mut out = String::new();
    print(value, &mut out);
    out
}

/// Appends a value as `JSON.stringify` prints it. A value of any depth takes the same stack.
pub fn print(value: &Value, out: &mut String) {
    print_at(value, 0, out);
}

fn print_at(value: &Value, depth: usize, out: &mut String) {
    match value {
        Value::Array(_) | Value::Object(_) if depth > MAX_VALUE_DEPTH => print_deep(value, out),
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                print_at(item, depth + 1, out);
            }
            out.push(']');
        }
        Value::Object(object) => {
            out.push('{');
            for (at, (key, item)) in object.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                print_string(key, out);
                out.push(':');
                print_at(item, depth + 1, out);
            }
            out.push('}');
        }
        simple => print_simple(simple, out),
    }
}

/// Anything but an array or an object.
fn print_simple(value: &Value, out: &mut String) {
    match value {
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => print_number(*number, out),
        Value::String(text) => print_string(text, out),
        Value::Deep(text) => out.push_str(&String::from_utf8_lossy(text)),
        Value::Null | Value::Array(_) | Value::Object(_) => out.push_str("null"),
    }
}

/// The same for what lies deeper than any parsed value: a list takes the place of the stack.
fn print_deep(value: &Value, out: &mut String) {
    enum Open<'v> {
        Array(std::slice::Iter<'v, Value>),
        Object(std::slice::Iter<'v, (JsString, Value)>),
    }
    fn open<'v>(value: &'v Value, out: &mut String) -> Option<Open<'v>> {
        match value {
            Value::Array(items) => {
                out.push('[');
                Some(Open::Array(items.iter()))
            }
            Value::Object(object) => {
                out.push('{');
                Some(Open::Object(object.members.iter()))
            }
            simple => {
                print_simple(simple, out);
                None
            }
        }
    }
    let mut stack: Vec<Open<'_>> = open(value, out).into_iter().collect();
    while let Some(top) = stack.last_mut() {
        let is_first = matches!(out.as_bytes().last(), Some(b'[' | b'{'));
        let next = match top {
            Open::Array(items) => items.next().map(|item| (None, item)),
            Open::Object(members) => members.next().map(|(key, item)| (Some(key), item)),
        };
        let Some((key, item)) = next else {
            out.push(if matches!(top, Open::Array(_)) { ']' } else { '}' });
            stack.pop();
            continue;
        };
        if !is_first {
            out.push(',');
        }
        if let Some(key) = key {
            print_string(key, out);
            out.push(':');
        }
        stack.extend(open(item, out));
    }
}

/// Appends a number in JavaScript's shortest form; what JSON cannot say is `null`, as there.
pub fn print_number(number: f64, out: &mut String) {
    if !number.is_finite() {
        out.push_str("null");
    } else if number == 0.0 {
        // JavaScript prints negative zero without its sign.
        out.push('0');
    } else if number.abs() < EXACT && number.fract() == 0.0 {
        // Most numbers are counts, and whole numbers are quicker to print.
        print_integer(number as i64, out);
    } else {
        out.push_str(ryu_js::Buffer::new().format_finite(number));
    }
}

/// Whole numbers below this one are exact, and print without an exponent.
const EXACT: f64 = 9_007_199_254_740_992.0;

fn print_integer(number: i64, out: &mut String) {
    if (0..10).contains(&number) {
        return out.push(char::from(b'0' + number as u8));
    }
    if number < 0 {
        out.push('-');
    }
    let mut digits = [0; 20];
    let mut start = digits.len();
    let mut rest = number.unsigned_abs();
    loop {
        start -= 1;
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    out.push_str(std::str::from_utf8(&digits[start..]).unwrap_or_default());
}

/// Appends plain text as a quoted string.
pub fn print_text(text: &str, out: &mut String) {
    out.push('"');
    print_plain(text, out);
    out.push('"');
}

/// Appends a quoted string. Non-ASCII text stays raw, lone surrogates become `\udXXX`.
pub fn print_string(text: &JsString, out: &mut String) {
    out.push('"');
    match text.as_str() {
        Some(plain) => print_plain(plain, out),
        None => print_surrogates(text.as_bytes(), out),
    }
    out.push('"');
}

fn print_plain(text: &str, out: &mut String) {
    let mut rest = text;
    loop {
        let (plain, after) = rest.split_at(plain_run(rest.as_bytes()));
        out.push_str(plain);
        let Some(&byte) = after.as_bytes().first() else { return };
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            0x08 => out.push_str("\\b"),
            0x0C => out.push_str("\\f"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            control => push_unicode_escape(u16::from(control), out),
        }
        rest = &after[1..];
    }
}

fn print_surrogates(mut bytes: &[u8], out: &mut String) {
    while !bytes.is_empty() {
        let (good, rest) = match std::str::from_utf8(bytes) {
            Ok(text) => (text, &bytes[bytes.len()..]),
            Err(error) => {
                let (good, rest) = bytes.split_at(error.valid_up_to());
                (std::str::from_utf8(good).unwrap_or_default(), rest)
            }
        };
        print_plain(good, out);
        bytes = rest;
        if let Some(code) = surrogate_code(bytes) {
            push_unicode_escape(code, out);
            bytes = &bytes[3..];
        }
    }
}

fn push_unicode_escape(code: u16, out: &mut String) {
    out.push_str("\\u");
    for shift in [12, 8, 4, 0] {
        let digit = u32::from((code >> shift) & 0xF);
        out.push(char::from_digit(digit, 16).unwrap_or('0'));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::js::parse;

    fn round(text: &str) -> String {
        stringify(&parse(text.as_bytes()).unwrap())
    }

    #[test]
    fn numbers_print_as_in_javascript() {
        assert_eq!(
            round(
                "[0.00009999999999999999,1e-7,1e+21,1E400,-0,-0.0,100,1.50,123456789012345680000]"
            ),
            "[0.00009999999999999999,1e-7,1e+21,null,0,0,100,1.5,123456789012345680000]"
        );
    }

    #[test]
    fn whole_numbers_print_as_all_others() {
        for number in
            [1.0, 9.0, -1.0, 10.0, 1234.0, -90.0, 1e15, 1e16, EXACT - 1.0, 1.0 - EXACT, EXACT]
        {
            let mut text = String::new();
            print_number(number, &mut text);
            assert_eq!(text, ryu_js::Buffer::new().format_finite(number));
        }
    }

    #[test]
    fn strings_print_as_in_javascript() {
        let text = r#""a\/b\u0001\u001f\b\f\n\r\t\"\\ \ud83d x \ude00 \ud83d\ude00 \u2028""#;
        let printed = "\"a/b\\u0001\\u001f\\b\\f\\n\\r\\t\\\"\\\\ \\ud83d x \\ude00 😀 \u{2028}\"";
        assert_eq!(round(text), printed);
    }

    #[test]
    fn members_keep_javascript_order() {
        assert_eq!(
            round(r#"{"b":1,"10":2,"a":3,"2":4,"b":5,"01":6}"#),
            r#"{"2":4,"10":2,"b":5,"a":3,"01":6}"#
        );
    }
}
