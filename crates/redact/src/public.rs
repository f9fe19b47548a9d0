//! Values that are not secret, whatever their name says: code, places, identifiers.

use crate::random::{is_mixed, is_worded};

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

/// How public keys begin in base64: those of OpenSSH by their kind, others by the form of DER.
const PUBLIC_KEYS: [&str; 8] = [
    "AAAAB3NzaC1",
    "AAAAC3NzaC1",
    "AAAAE2VjZHN",
    "MIIBIjANBgkq",
    "MIICIjANBgkq",
    "MIGfMA0GCSq",
    "MFkwEwYHKoZI",
    "MCowBQYDK2Vw",
];

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

/// Whether a value is the public half of a key, as OpenSSH or PEM files write it.
pub(crate) fn is_public_key(value: &[u8]) -> bool {
    PUBLIC_KEYS.iter().any(|begin| value.starts_with(begin.as_bytes()))
}

pub(crate) fn is_uuid(value: &[u8]) -> bool {
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
    fn code_is_no_value() {
        for value in ["core::PCWSTR", "self.auth_token", "auth[1", "*const", "keys.length"] {
            assert!(is_expression(value.as_bytes()), "{value}");
        }
        assert!(!is_expression(b"q7Zk2mPx9") && !is_expression(b"q7Zk2.9Px"));
        assert!(is_mixed(b"q7Zk2mPx9LwT") && !is_mixed(b"X509CertificateFlag2"));
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
