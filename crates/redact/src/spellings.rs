//! The ways in which programs write a value into JSON, links and pages.

/// What links leave as it is, besides letters and digits: by the standard, in a path, and as
/// browsers do.
const PLAIN_IN_LINKS: [&[u8]; 3] = [b"-_.~", b"-_.~/", b"-_.~!'()*"];

/// What some programs escape in JSON although they need not.
const ESCAPED_BY_SOME: [&str; 3] = ["<>&", "<>&='", "<>&='+/"];

/// A value in every spelling, each once or more.
pub(crate) fn spellings(value: &str) -> Vec<String> {
    let json = in_json(value);
    let mut all = vec![value.to_owned(), in_json(&json), in_page(value)];
    for json in [json.clone(), in_ascii(&json)] {
        all.push(json.replace('/', "\\/"));
        all.extend(ESCAPED_BY_SOME.iter().map(|signs| with_escapes(&json, signs)));
        all.push(json);
    }
    for plain in PLAIN_IN_LINKS {
        let link = in_link(value, plain);
        all.push(link.replace("%20", "+"));
        all.push(lower_escapes(&link));
        all.push(link);
    }
    all
}

fn in_json(value: &str) -> String {
    let mut text = String::new();
    pitree_format::js::print_text(value, &mut text);
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(&text).to_owned()
}

fn in_ascii(json: &str) -> String {
    let mut out = String::new();
    for sign in json.chars() {
        if sign.is_ascii() {
            out.push(sign);
        } else {
            let units = sign.encode_utf16(&mut [0; 2]).to_vec();
            out.extend(units.iter().map(|unit| format!("\\u{unit:04x}")));
        }
    }
    out
}

fn with_escapes(json: &str, signs: &str) -> String {
    let escape = |sign: char| match signs.contains(sign) {
        true => format!("\\u{:04x}", u32::from(sign)),
        false => sign.to_string(),
    };
    json.chars().map(escape).collect()
}

fn in_page(value: &str) -> String {
    let value = value.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    value.replace('"', "&quot;").replace('\'', "&#39;")
}

fn in_link(value: &str, plain: &[u8]) -> String {
    let encode = |byte: u8| match byte.is_ascii_alphanumeric() || plain.contains(&byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    };
    value.bytes().map(encode).collect()
}

/// What a value means that was taken out of a link; `None` if nothing in it is escaped.
pub(crate) fn out_of_link(value: &str) -> Option<String> {
    let bytes = value.as_bytes();
    let (mut out, mut at, mut has_escapes) = (Vec::new(), 0, false);
    while let Some(byte) = bytes.get(at) {
        let digits = value.get(at + 1..at + 3).filter(|_| *byte == b'%');
        let escaped = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        has_escapes |= escaped.is_some();
        out.push(escaped.unwrap_or(*byte));
        at += if escaped.is_some() { 3 } else { 1 };
    }
    String::from_utf8(out).ok().filter(|_| has_escapes)
}

/// A link whose escapes have small letters.
fn lower_escapes(link: &str) -> String {
    let mut parts = link.split('%');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (digits, rest) = part.split_at(part.len().min(2));
        out.push('%');
        out.push_str(&digits.to_ascii_lowercase());
        out.push_str(rest);
    }
    out
}
