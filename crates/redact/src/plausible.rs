//! Whether something that has the form of a secret may be one.

use crate::dictionary::is_word;
use crate::names::words;

/// Values that stand for a secret in examples and templates.
const STAND_INS: [&str; 15] = [
    "1password",
    "example",
    "your",
    "placeholder",
    "changeme",
    "change-me",
    "change_me",
    "dummy",
    "sample",
    "insert",
    "replace",
    "undefined",
    "fake",
    "process.env",
    "os.environ",
];

/// Values that say what is done with a secret, or that there is none.
const NO_VALUES: [&str; 26] = [
    "required",
    "optional",
    "enabled",
    "disabled",
    "nullable",
    "sometimes",
    "confirmed",
    "present",
    "missing",
    "unset",
    "unknown",
    "default",
    "prompt",
    "hidden",
    "invalid",
    "expired",
    "inherit",
    "same-origin",
    "omit",
    "include",
    "boolean",
    "number",
    "object",
    "mypassword",
    "undefined",
    "empty",
];

/// The rows of which sequences that nobody draws by lot are pieces.
const ROWS: [&[u8]; 4] = [
    b"abcdefghijklmnopqrstuvwxyz",
    b"01234567890123456789",
    b"98765432109876543210",
    b"qwertyuiop",
];

/// A piece of a row counts if it is as long as this.
const SHORTEST_SEQUENCE: usize = 5;

/// Passwords that everybody writes into examples.
const COMMON_PASSWORDS: [&str; 28] = [
    "password",
    "passwd",
    "pass",
    "pwd",
    "secret",
    "token",
    "test",
    "user",
    "username",
    "root",
    "admin",
    "postgres",
    "mysql",
    "guest",
    "true",
    "false",
    "null",
    "none",
    "string",
    "hunter2",
    "changeit",
    "letmein",
    "mongodb",
    "redis",
    "rabbitmq",
    "minioadmin",
    "p@ssw0rd",
    "passw0rd",
];

/// Beginnings of identifiers that are no secrets.
const ID_PREFIXES: [&str; 14] = [
    "call_",
    "toolu_",
    "msg_",
    "resp_",
    "req_",
    "chatcmpl-",
    "rs_",
    "fc_",
    "run_",
    "thread_",
    "asst_",
    "file-",
    "batch_",
    "sess_",
];

/// Shannon's entropy in bits for each byte.
pub(crate) fn entropy(bytes: &[u8]) -> f32 {
    let mut counts = [0u32; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let total = bytes.len() as f32;
    let share = |count: &u32| {
        let share = *count as f32 / total;
        -share * share.log2()
    };
    counts.iter().filter(|count| **count > 0).map(share).sum()
}

/// Whether a text looks drawn by lot: it has a digit, or its case changes about as often as lots
/// would change it (names in camel case change less).
pub(crate) fn looks_random(bytes: &[u8]) -> bool {
    let changes = |pair: &&[u8]| {
        pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase()
            || pair[0].is_ascii_uppercase() && pair[1].is_ascii_lowercase()
    };
    bytes.iter().any(u8::is_ascii_digit)
        || bytes.windows(2).filter(changes).count() * 10 >= bytes.len() * 4
}

/// The same for what begins as only keys do, where less has to be said: of twenty letters and
/// digits drawn by lot, none is a digit in three cases of a hundred.
pub(crate) fn looks_like_key(bytes: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| bytes.iter().any(is);
    looks_random(bytes)
        || bytes.iter().all(u8::is_ascii_uppercase)
        || has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && !is_camel_case(bytes)
}

/// Whether letters form words, each with a capital. Letters drawn by lot change their case after
/// every second.
fn is_camel_case(bytes: &[u8]) -> bool {
    let (count, letters) =
        words(bytes).fold((0, 0), |(count, sum), word| (count + 1, sum + word.len()));
    letters >= count * 4
}

/// How often digits and letters take turns.
fn turns(bytes: &[u8]) -> usize {
    let turns = bytes.windows(2).filter(|pair| {
        pair[0].is_ascii_digit() && pair[1].is_ascii_alphabetic()
            || pair[0].is_ascii_alphabetic() && pair[1].is_ascii_digit()
    });
    turns.count()
}

/// Whether a text consists of words and numbers, as names and sentences do: `issue-1234-fix-login`,
/// `reports/2024/q1.csv`. At most one part may look like `k8s`.
pub(crate) fn is_worded(text: &[u8]) -> bool {
    let is_odd = |part: &&[u8]| turns(part) > 1;
    let is_short =
        |part: &[u8]| part.len() <= 4 && part.iter().all(|byte| !byte.is_ascii_uppercase());
    let has_words = |part: &[u8]| {
        let letters = part.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
        letters < 4 || letters >= 3 * words(part).count()
    };
    let parts = || text.split(|byte| !byte.is_ascii_alphanumeric());
    let odd = parts().filter(is_odd).count();
    parts().all(has_words) && odd <= 1 && parts().filter(is_odd).all(is_short)
}

/// Whether digits and letters take turns as in a key. Names have a number here and there.
pub(crate) fn is_mixed(bytes: &[u8]) -> bool {
    turns(bytes) >= 4
}

/// Whether an unquoted value is a piece of code: a path, a type, an access to a member.
pub(crate) fn is_expression(value: &[u8]) -> bool {
    let is_name_byte =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'.');
    let begins_name = |part: &[u8]| part.first().is_some_and(|byte| !byte.is_ascii_digit());
    let is_access = value.contains(&b'.')
        && value.iter().all(is_name_byte)
        && value.split(|byte| *byte == b'.').all(begins_name);
    is_access
        || memchr::memmem::find(value, b"::").is_some()
        || memchr::memmem::find(value, b"->").is_some()
        || value.contains(&b'[')
        || matches!(value.first(), Some(b'*' | b'&' | b'!'))
        || value.ends_with(b"?")
}

/// Whether a key with the right beginning was written by hand, to show what one looks like.
pub(crate) fn is_made_up(value: &[u8]) -> bool {
    is_sequence(value)
        || has_any(value, &["EXAMPLE", "REDACTED", "redacted", "..."])
        // Of a key drawn by lot no half is a sequence.
        || 2 * sequence_bytes(value) >= value.len()
}

/// Whether a key with all its parts, numbers and then letters (`123456789012-123456789012-…`), may
/// be one although these stand in order: it neither says of itself that it is an example nor
/// repeats one sign.
pub(crate) fn is_drawn(value: &[u8]) -> bool {
    let is_number = |part: &[u8]| part.len() >= 9 && part.iter().all(u8::is_ascii_digit);
    let parts: Vec<&[u8]> = value.split(|byte| *byte == b'-').collect();
    let [numbers @ .., last] = &parts[..] else { return false };
    numbers.len() >= 2
        && numbers.iter().all(|part| is_number(part))
        && last.len() >= 24
        && looks_random(last)
        && last.windows(4).all(|run| run.iter().any(|byte| *byte != run[0]))
        && !has_any(value, &["EXAMPLE", "REDACTED", "redacted", "..."])
}

/// Whether a whole value was written by hand: one sign again and again, the digits in their order.
fn is_sequence(value: &[u8]) -> bool {
    let is_sign = |byte: &&u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    let signs = value.iter().filter(is_sign).count();
    sequence_bytes(value) >= signs
}

/// How many bytes of a value are pieces of a row, or the same sign again and again.
fn sequence_bytes(value: &[u8]) -> usize {
    let (mut sum, mut at) = (0, 0);
    while at < value.len() {
        let length = sequence_at(&value[at..]);
        let counts = length >= SHORTEST_SEQUENCE;
        sum += if counts { length } else { 0 };
        at += if counts { length } else { 1 };
    }
    sum
}

/// The length of the sequence with which a value begins.
fn sequence_at(value: &[u8]) -> usize {
    let first = value[0].to_ascii_lowercase();
    let same = value.iter().take_while(|byte| byte.to_ascii_lowercase() == first).count();
    let in_row = |row: &&[u8]| {
        let begin = memchr::memchr(first, row)?;
        let pairs = value.iter().zip(&row[begin..]);
        Some(pairs.take_while(|(byte, sign)| byte.to_ascii_lowercase() == **sign).count())
    };
    ROWS.iter().filter_map(in_row).chain([same]).max().unwrap_or(0)
}

/// Whether a value only stands for a secret: a variable, a blank to fill in, an example, or one
/// that was cut off.
pub(crate) fn is_stand_in(value: &[u8]) -> bool {
    let ends = ["...", "…", "EXAMPLE", "EXAMPLEKEY"];
    is_common(value) || is_mask(value) || ends.iter().any(|end| value.ends_with(end.as_bytes()))
}

/// Whether a value as a whole stands for any secret. One that has the digits in their order or the
/// word `EXAMPLE` somewhere is a secret nevertheless.
pub(crate) fn is_common(value: &[u8]) -> bool {
    is_blank(value) || is_sequence(value) || is_example(value)
}

/// Whether nothing but the beginning or the end of a value is shown: `sk-ant-****`, `q7xxxxxxxx`.
fn is_mask(value: &[u8]) -> bool {
    let hides = |byte: &&u8| matches!(**byte, b'*' | b'x' | b'X' | b'.' | b'#');
    let hidden = value.iter().filter(hides).count();
    let is_run = |run: &[u8]| run.iter().all(|byte| hides(&byte) && *byte == run[0]);
    value.windows(6).any(is_run) && 2 * hidden >= value.len()
}

/// Whether a value says of itself that it is an example, in words: `your-api-key-here`.
fn is_example(value: &[u8]) -> bool {
    let is_known = |part: &[u8]| {
        part.len() < 4
            || part.iter().all(u8::is_ascii_digit)
            || is_word(part)
            || STAND_INS.iter().any(|word| word.as_bytes().eq_ignore_ascii_case(part))
            || is_sequence(part)
    };
    has_any(&value.to_ascii_lowercase(), &STAND_INS)
        && is_worded(value)
        && words(value).all(is_known)
}

/// Whether a value is filled in later: `$NAME`, `<key>`, `{{ key }}`, `%s`. A password may begin
/// with such a sign and then go on as no name does.
fn is_blank(value: &[u8]) -> bool {
    match value {
        [] | [b'<' | b'{' | b'[', ..] => true,
        [b'$', rest @ ..] => is_variable(rest),
        [b'%', high, low, ..] => {
            let is_sign = high.is_ascii_digit() && low.is_ascii_hexdigit();
            !is_sign
        }
        [b'%', ..] => true,
        _ => false,
    }
}

/// Whether a `$` with this behind it is a variable.
fn is_variable(name: &[u8]) -> bool {
    match name.first() {
        None | Some(b'{' | b'(' | b'$' | b'?' | b'@' | b'*') => true,
        Some(byte) if byte.is_ascii_digit() => name.iter().all(u8::is_ascii_digit),
        Some(_) => is_worded(name),
    }
}

/// Whether a value is what stands in the place of a password without being one: a word that says
/// whether it is needed, rules for it (`required|min:8`), a field's name (`forgot-password`).
pub(crate) fn is_no_value(value: &[u8]) -> bool {
    let first = value.split(|byte| *byte == b'|').next().unwrap_or_default();
    let is_name_byte = |byte: &u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_' | b' ');
    let names_password = || has_any(&value.to_ascii_lowercase(), &["password", "secret"]);
    NO_VALUES.iter().any(|word| word.as_bytes().eq_ignore_ascii_case(first))
        || value.iter().all(is_name_byte) && names_password()
}

/// Whether a value says where something is: a path, a link without a password, a time, the name of
/// a constant, a name within others.
pub(crate) fn is_place(value: &[u8]) -> bool {
    is_path(value) || is_link(value) || is_time(value) || is_constant(value) || is_namespaced(value)
}

/// Names within names: `agent:main:telegram:1234567890`.
fn is_namespaced(value: &[u8]) -> bool {
    let is_name = |part: &[u8]| part.len() > 1 && part.iter().all(u8::is_ascii_lowercase);
    let is_part = |part: &[u8]| is_identifier(part) || !is_mixed(part) && is_worded(part);
    let mut parts = value.split(|byte| *byte == b':');
    let begins = (0..2).all(|_| parts.next().is_some_and(is_name));
    let rest: Vec<&[u8]> = parts.collect();
    begins && !rest.is_empty() && rest.into_iter().all(is_part)
}

fn is_path(value: &[u8]) -> bool {
    let is_drive =
        matches!(value, [letter, b':', b'\\' | b'/', ..] if letter.is_ascii_alphabetic());
    let begins =
        [&b"/"[..], b"~/", b"./", b"../", b"$HOME/"].iter().any(|begin| value.starts_with(begin));
    let mut parts = value.split(|byte| matches!(byte, b'/' | b'\\'));
    let slashes = value.iter().filter(|byte| matches!(byte, b'/' | b'\\')).count();
    let is_rooted = is_drive || begins && (slashes > 1 || !value.starts_with(b"/"));
    let is_part = |part: &[u8]| part.len() <= 64 && !is_mixed(part) || is_worded(part);
    let is_link = memchr::memmem::find(value, b"://").is_some();
    slashes > 0 && !is_link && (is_rooted && parts.all(is_part) || slashes > 1 && is_worded(value))
}

fn is_link(value: &[u8]) -> bool {
    let Some(at) = memchr::memmem::find(value, b"://") else { return false };
    let is_scheme =
        value[..at].iter().all(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(byte));
    let (rest, _) =
        value[at + 3..].split_at(value[at + 3..].iter().take_while(|byte| **byte != b'/').count());
    is_scheme && !rest.contains(&b'@') && !value.contains(&b'=')
}

fn is_time(value: &[u8]) -> bool {
    let fits = |(at, byte): (usize, &u8)| match at {
        4 | 7 => *byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    value.len() >= 10 && value.iter().take(10).enumerate().all(fits)
}

/// `TOKEN_FROM_STEP_2`.
fn is_constant(value: &[u8]) -> bool {
    let is_byte = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
    value.contains(&b'_') && value.iter().all(is_byte) && is_worded(value)
}

fn has_any(value: &[u8], words: &[&str]) -> bool {
    words.iter().any(|word| memchr::memmem::find(value, word.as_bytes()).is_some())
}

/// Whether a password is one of those that examples have.
pub(crate) fn is_common_password(value: &[u8]) -> bool {
    COMMON_PASSWORDS.iter().any(|word| word.as_bytes().eq_ignore_ascii_case(value))
}

/// Whether a value is an identifier or a digest, which no one keeps secret.
pub(crate) fn is_identifier(value: &[u8]) -> bool {
    let is_hex = value.iter().all(u8::is_ascii_hexdigit);
    is_uuid(value)
        || is_hex && value.len() >= 7
        || ID_PREFIXES.iter().any(|prefix| value.starts_with(prefix.as_bytes()))
        || value.starts_with(b"sha256-")
        || value.starts_with(b"sha512-")
        || value.starts_with(b"sha256:")
}

/// Whether a value is a name that programs give to calls, messages and commits, and too short to be
/// a key.
pub(crate) fn is_short_id(value: &[u8]) -> bool {
    let is_hex = value.iter().all(u8::is_ascii_hexdigit);
    is_hex && value.len() < 16
        || ID_PREFIXES.iter().any(|prefix| value.starts_with(prefix.as_bytes()))
}

fn is_uuid(value: &[u8]) -> bool {
    let fits = |(at, byte): (usize, &u8)| match at {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    value.len() == 36 && value.iter().enumerate().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_is_shannons() {
        assert_eq!(entropy(b"aaaa"), 0.0);
        assert_eq!(entropy(b"abab"), 1.0);
        assert_eq!(entropy(b"abcdefgh"), 3.0);
        assert_eq!(entropy(b""), 0.0);
    }

    #[test]
    fn words_do_not_look_random() {
        assert!(!looks_random(b"getSomeVeryLongFunctionName"));
        assert!(!looks_random(b"just_a_name"));
        assert!(looks_random(b"aXbYcZdQwErT"));
        assert!(looks_random(b"a1"));
    }

    #[test]
    fn keys_need_no_digits() {
        assert!(looks_like_key(b"kgSochiqjOOewtRIfrMM") && looks_like_key(b"OJUMYVCLGCPZCQDL"));
        assert!(!looks_like_key(b"just-words-in-a-row"));
        assert!(!looks_like_key(b"TransformersModelForCausalLMOutput"));
    }

    #[test]
    fn code_is_no_value() {
        for value in ["core::PCWSTR", "self.auth_token", "auth[1", "*const", "keys.length"] {
            assert!(is_expression(value.as_bytes()), "{value}");
        }
        assert!(!is_expression(b"q7Zk2mPx9") && !is_expression(b"q7Zk2.9Px"));
        assert!(is_mixed(b"q7Zk2mPx9LwT") && !is_mixed(b"X509CertificateFlag2"));
    }

    #[test]
    fn stand_ins_are_known() {
        for value in ["$TOKEN", "${TOKEN}", "<your-key>", "{{ key }}", "xxxxxxxxxx", "your_api_key"]
        {
            assert!(is_stand_in(value.as_bytes()), "{value}");
        }
        for value in ["q7Zk2mPx", "$Win7terZq", "%21Win7terZq", "Yourt9xQwLm2"] {
            assert!(!is_stand_in(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn words_are_told_from_keys() {
        for value in
            ["issue-1234-fix-login-bug", "theme.colors.primary.500", "value123", "my-k8s-1"]
        {
            assert!(is_worded(value.as_bytes()), "{value}");
        }
        for value in ["q7Zk-2mPx-9LwT", "q7zk2mpx9lwt", "kgSochiqjOOewtRIfrMM", "Autumn2024lemons"]
        {
            assert!(!is_worded(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn places_are_no_secrets() {
        for value in [
            "/home/x/c-2.json",
            "~/.ssh/id_ed25519",
            "reports/2024/q1/summary.csv",
            "C:\\a\\b1",
            "https://auth2.corp.com/login",
            "2024-01-15T10:00:00.000Z",
            "TOKEN_FROM_STEP_2",
        ] {
            assert!(is_place(value.as_bytes()), "{value}");
        }
        for value in
            ["q7Zk/2mPx+9LwT/aB3dE5", "/q7Zk2mPx9LwTaB3dE5", "https://u:p@h", "lemon/tree7"]
        {
            assert!(!is_place(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn identifiers_are_known() {
        for value in ["0190c1f2-6f1e-7c11-8a3e-0242ac120002", "d41d8cd98f00b204e9800998ecf8427e"] {
            assert!(is_identifier(value.as_bytes()));
        }
        assert!(is_identifier(b"call_9fK2mPxQ"));
        assert!(!is_identifier(b"q7Zk2mPx"));
    }
}
