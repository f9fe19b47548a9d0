//! Whether something that has the form of a secret may be one.

/// Values that stand for a secret in examples and templates.
const STAND_INS: [&str; 15] = [
    "example",
    "your",
    "placeholder",
    "changeme",
    "change-me",
    "change_me",
    "redacted",
    "dummy",
    "sample",
    "insert",
    "replace",
    "undefined",
    "fake",
    "process.env",
    "os.environ",
];

/// What nobody draws by lot.
const SEQUENCES: [&str; 6] = ["xxxxxx", "******", "...", "abcdefghij", "0123456789", "1234567890"];

/// Passwords that everybody writes into examples.
const COMMON_PASSWORDS: [&str; 20] = [
    "password", "passwd", "pass", "pwd", "secret", "token", "test", "user", "username", "root",
    "admin", "postgres", "mysql", "guest", "true", "false", "null", "none", "string", "hunter2",
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
        || has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)
}

/// Whether digits and letters take turns as in a key. Names have a number here and there.
pub(crate) fn is_mixed(bytes: &[u8]) -> bool {
    let turns = bytes.windows(2).filter(|pair| {
        pair[0].is_ascii_digit() && pair[1].is_ascii_alphabetic()
            || pair[0].is_ascii_alphabetic() && pair[1].is_ascii_digit()
    });
    turns.count() >= 4
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
    let Some(first) = value.first() else { return true };
    value.iter().all(|byte| byte == first)
        || memchr::memmem::find(value, b"EXAMPLE").is_some()
        || has_any(&value.to_ascii_lowercase(), &SEQUENCES)
}

/// Whether a value only stands for a secret: a variable, a blank to fill in, an example.
pub(crate) fn is_stand_in(value: &[u8]) -> bool {
    matches!(value.first(), None | Some(b'$' | b'<' | b'{' | b'%' | b'['))
        || is_made_up(value)
        || has_any(&value.to_ascii_lowercase(), &STAND_INS)
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
        assert!(!is_stand_in(b"q7Zk2mPx"));
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
