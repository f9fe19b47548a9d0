//! What must be found and what must stay, as tables.
//!
//! In a text `«…»` is a secret: it must be replaced, all of it and nothing beside it. `{a36}` is 36
//! letters and digits drawn by lot, so that no file of the project holds anything like a key; the
//! other alphabets are `h` hexadecimal, `l` small letters and digits, `u` capitals and digits, `d`
//! digits, and `b` base64.

use pitree_format::js::{parse, stringify};
use pitree_redact::{Context, Report};
use pitree_testkit::Rng;

use crate::{redactor, seed};

/// Draws what stands in braces.
pub(crate) fn drawn(text: &str) -> String {
    let mut rng = Rng::new(seed());
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let form = after.split_once('}').and_then(|(form, after)| {
            let digits = match form.as_bytes().first()? {
                b'a' => "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
                b'h' => "0123456789abcdef",
                b'l' => "0123456789abcdefghijklmnopqrstuvwxyz",
                b'u' => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
                b'd' => "0123456789",
                b'b' => "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+/",
                _ => return None,
            };
            Some((digits, form[1..].parse::<usize>().ok()?, after))
        });
        match form {
            Some((digits, length, after)) => {
                let digits = digits.as_bytes();
                out.extend((0..length).map(|_| char::from(digits[rng.below(digits.len())])));
                rest = after;
            }
            None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out + rest
}

/// The text with its secrets, and what it becomes, with `@` for each placeholder.
fn marked(text: &str) -> (String, String) {
    let text = drawn(text);
    let mut expected = String::new();
    for (at, part) in text.split('«').enumerate() {
        match part.split_once('»') {
            Some((_, after)) if at > 0 => {
                expected.push('@');
                expected.push_str(after);
            }
            _ => expected.push_str(part),
        }
    }
    (text.replace(['«', '»'], ""), expected)
}

/// The text with `@` for each placeholder.
fn without_digits(text: &str) -> String {
    let mut out = String::new();
    for (at, part) in text.split("[REDACTED:").enumerate() {
        match part.split_once(']') {
            Some((_, after)) if at > 0 => {
                out.push('@');
                out.push_str(after);
            }
            _ => out.push_str(part),
        }
    }
    out
}

/// What is wrong with a text, if anything is.
fn fault(marked_text: &str, clean: impl Fn(&str) -> String) -> Option<String> {
    let (text, expected) = marked(marked_text);
    let got = without_digits(&clean(&text));
    (got != expected).then(|| format!("{marked_text:?}\n  became {got:?}"))
}

pub(crate) fn check_texts(context: Context, texts: &[&str]) {
    let clean = |text: &str| {
        let redactor = redactor();
        let clean = redactor.text(text, context, &mut Report::default()).into_owned();
        assert_eq!(redactor.text(&clean, context, &mut Report::default()), clean, "{text}");
        clean
    };
    let faults: Vec<String> = texts.iter().filter_map(|text| fault(text, clean)).collect();
    assert!(faults.is_empty(), "{context:?}:\n{}", faults.join("\n"));
}

pub(crate) fn check_values(values: &[&str]) {
    let clean = |text: &str| {
        let mut value = parse(text.as_bytes()).unwrap();
        redactor().value(&mut value, Context::Text, &mut Report::default());
        let once = stringify(&value);
        redactor().value(&mut value, Context::Text, &mut Report::default());
        assert_eq!(stringify(&value), once, "{text}");
        once
    };
    let faults: Vec<String> = values.iter().filter_map(|text| fault(text, clean)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_key_begins_after_what_is_written_out() {
    let texts = [
        r#"{"xml":"\u003cAccessKeyId\u003e«AKIA{u16}»\u003c/AccessKeyId\u003e"}"#,
        r"\u003ccode\u003e«sk-ant-api03-{a93}AA»\u003c/code\u003e",
        r"x\u0026«AIza{a35}»",
        r"\u0022«AKIA{u16}»\u0022",
        r"\x22«AKIA{u16}»\x22",
        "\u{1b}[01;31m\u{1b}[K«sk-ant-api03-{a93}AA»\u{1b}[m\u{1b}[K",
        "\u{1b}[1;1H«AKIA{u16}»",
        r"\u001b[K«AKIA{u16}»",
        "%2522«AKIA{u16}»%2522",
        // Within a word no key begins.
        "BAKIA{u16} xAIza{a35} a[KAKIA{u16}",
    ];
    check_texts(Context::Text, &texts);
}

/// A made-up private key: its lines without those of dashes.
fn body() -> Vec<String> {
    let mut lines: Vec<String> = (0..11).map(|_| "{b64}".to_owned()).collect();
    lines.push("{b24}==".to_owned());
    drawn(&lines.join("\n")).lines().map(str::to_owned).collect()
}

const BEGIN: &str = "-----BEGIN RSA PRIVATE KEY-----";
const END: &str = "-----END RSA PRIVATE KEY-----";

#[test]
fn private_keys_are_found_whole_and_cut_off() {
    let body = body();
    let all: Vec<&str> = body.iter().map(String::as_str).collect();
    let head: Vec<&str> = [BEGIN].into_iter().chain(all.clone()).collect();
    let tail: Vec<&str> = all.iter().copied().chain([END]).collect();
    let whole: Vec<&str> = head.iter().copied().chain([END]).collect();
    let numbered = |lines: &[&str], form: fn(usize, &str) -> String| {
        let lines = lines.iter().enumerate().map(|(at, line)| form(at + 1, line));
        lines.collect::<Vec<String>>().join("\n")
    };
    let forms: [fn(usize, &str) -> String; 8] = [
        |_, line| line.to_owned(),
        |at, line| format!("{at:6}\t{line}"),
        |at, line| format!("key.pem-{at}-{line}"),
        |at, line| format!("deploy/keys/key.pem:{at}:{line}"),
        |_, line| format!("-{line}"),
        |_, line| format!("+{line}"),
        |_, line| format!("> {line}"),
        |_, line| format!("    \"{line}\\n\" +"),
    ];
    let mut texts: Vec<String> = Vec::new();
    for form in forms {
        texts.extend([&head, &tail, &whole].map(|lines| numbered(lines, form)));
    }
    for end in ["\\n", "\\\\n", "\\r\\n", "&#10;"] {
        texts.push(whole.join(end));
    }
    texts.push(head.join("\\\\n"));
    texts.push(tail.join("\\n"));
    let iv = "DEK-Info: AES-128-CBC,0123456789ABCDEFFEDCBA9876543210";
    texts.push(format!("{BEGIN}\nProc-Type: 4,ENCRYPTED\n{iv}\n\n{}", all.join("\n")));
    let putty = "PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nPrivate-Lines: 12\n";
    texts.push(format!("{putty}{}\nPrivate-MAC: 00", all.join("\n")));
    for text in texts {
        let text = format!("before it\n{text}\nafter it");
        let clean = redactor().text(&text, Context::Text, &mut Report::default()).into_owned();
        let left: Vec<&&str> = all.iter().filter(|line| clean.contains(**line)).collect();
        assert!(left.is_empty(), "{left:?} of {text}\n{clean}");
        assert!(clean.starts_with("before it\n") && clean.ends_with("\nafter it"), "{clean}");
        assert_eq!(clean.matches("[REDACTED:private-key:").count(), 1, "{clean}");
    }
}

#[test]
fn code_about_private_keys_stays() {
    let texts = [
        "function isPem(t) { return t.includes(\"-----BEGIN PRIVATE KEY-----\"); }\nimport { login } \
         from \"../src/components/auth/handlers/login1\";\n// ordinary code that must stay\nfunction \
         unwrapPrivateKeyFromEncodedDocument2(x) { return x; }\nconst end = \"-----END PRIVATE KEY-----\";\n",
        "look for -----BEGIN PRIVATE KEY-----\nnone at commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "at 3f786850e387550fdab836ed7e6dc881de23001b ends\n-----END PRIVATE KEY-----",
        "pk: -----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----",
        "Private-Lines: 14\nare followed by lines",
        "-----BEGIN CERTIFICATE-----\n{b64}\n{b64}\n-----END CERTIFICATE-----",
    ];
    check_texts(Context::Text, &texts);
}
