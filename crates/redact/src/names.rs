//! What the name of a variable or a member says about its value.

/// How sure it is that a name names a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Secrecy {
    /// `max_tokens`, `public_key`, `keyboard`.
    None,
    /// `pass`, `pwd`: more often the result of a test, or a directory.
    Pass,
    /// `key`, `token`: also names of things that are no secrets.
    Likely,
    /// `api_key`, `client_secret`.
    Sure,
    /// `db_password`: the value need not look like a key.
    Password,
}

/// Words after which a name is about a secret and not the name of one.
const ABOUT: [&str; 49] = [
    "arn",
    "file",
    "path",
    "dir",
    "folder",
    "url",
    "uri",
    "endpoint",
    "id",
    "ids",
    "name",
    "names",
    "type",
    "kind",
    "ttl",
    "length",
    "len",
    "size",
    "count",
    "limit",
    "version",
    "algorithm",
    "alg",
    "host",
    "port",
    "user",
    "username",
    "expiry",
    "expires",
    "timeout",
    "sock",
    "alias",
    "code",
    "index",
    "prefix",
    "suffix",
    "format",
    "policy",
    "min",
    "max",
    "usage",
    "hash",
    "status",
    "field",
    "store",
    "helper",
    "stdin",
    "env",
    "manager",
];

/// Words before `key` or `token` that make it a harmless one.
const HARMLESS: [&str; 46] = [
    "max",
    "min",
    "total",
    "input",
    "output",
    "prompt",
    "completion",
    "reasoning",
    "cached",
    "num",
    "special",
    "stop",
    "public",
    "pub",
    "primary",
    "foreign",
    "cache",
    "sort",
    "partition",
    "index",
    "map",
    "object",
    "next",
    "starting",
    "page",
    "csrf",
    "xsrf",
    "cancellation",
    "cancel",
    "hot",
    "natural",
    "idempotency",
    "publishable",
    "translation",
    "i18n",
    "row",
    "column",
    "group",
    "storage",
    "query",
    "press",
    "continuation",
    "dedupe",
    "lookup",
    "shortcut",
    "arrow",
];

/// Words before `key` or `token` that leave no doubt.
const STRONG: [&str; 16] = [
    "api",
    "secret",
    "private",
    "access",
    "auth",
    "bearer",
    "refresh",
    "account",
    "master",
    "signing",
    "encryption",
    "service",
    "deploy",
    "bot",
    "admin",
    "app",
];

/// Words that say what is done with a value or how it is written, and not what it is.
const NEUTRAL: [&str; 8] =
    ["value", "val", "raw", "plain", "plaintext", "string", "text", "base64"];

/// Judges a name such as `DB_PASSWORD`, `clientSecret` or `api-key`.
pub(crate) fn secrecy(name: &[u8]) -> Secrecy {
    let mut found = Secrecy::None;
    let mut before: &[u8] = b"";
    for word in words(name) {
        found = found.max(word_secrecy(word, before));
        before = word;
    }
    if found == Secrecy::None {
        return found;
    }
    let last = words(name).filter(|word| !is_any(word, &NEUTRAL)).last();
    if last.is_some_and(|last| is_any(last, &ABOUT)) { Secrecy::None } else { found }
}

/// Whether a name is that of a key, given that it has the name of somebody who makes keys in it.
pub(crate) fn is_key_of_maker(name: &[u8]) -> bool {
    let is_oauth = |last: &[u8]| last.eq_ignore_ascii_case(b"oauth");
    secrecy(name) > Secrecy::None || words(name).last().is_some_and(is_oauth)
}

/// Whether a name says nothing about its value: then the name of what is around it counts.
pub(crate) fn is_neutral(name: &[u8]) -> bool {
    is_any(name, &NEUTRAL)
}

/// Whether a name is that of many secrets, each with a name of its own.
pub(crate) fn is_plural(name: &[u8]) -> bool {
    let last = words(name).last().unwrap_or_default();
    last.len() > 4 && last.last().is_some_and(|byte| byte.eq_ignore_ascii_case(&b's'))
}

/// Nearly all words are harmless, and their first letter tells it.
fn word_secrecy(word: &[u8], before: &[u8]) -> Secrecy {
    if is_password(word) {
        return Secrecy::Password;
    }
    let is = |others: &[&str]| is_any(word, others);
    let is_key = match word[0].to_ascii_lowercase() {
        b'p' if is(&["pwd", "pass", "pw"]) => {
            return if before.is_empty() { Secrecy::Pass } else { Secrecy::Password };
        }
        b'p' if is(&["privatekey"]) => return Secrecy::Sure,
        b's' if is(&["secret", "secrets", "secretkey"]) => return Secrecy::Sure,
        b'c' if is(&["credential", "credentials", "cred", "creds", "clientsecret"]) => {
            return Secrecy::Sure;
        }
        b'd' if is(&["dsn"]) => return Secrecy::Sure,
        b'r' if is(&["refreshtoken"]) => return Secrecy::Sure,
        b'a' if is(&["apikey", "apikeys", "accesskey", "authkey"]) => return Secrecy::Sure,
        b'a' if is(&["authtoken", "accesstoken", "apitoken"]) => return Secrecy::Sure,
        b'a' => is(&["auth"]),
        b'k' => is(&["key", "keys"]),
        b't' => is(&["token", "tokens"]),
        _ => false,
    };
    match is_key {
        true if is_any(before, &HARMLESS) => Secrecy::None,
        true if is_any(before, &STRONG) => Secrecy::Sure,
        true => Secrecy::Likely,
        false => Secrecy::None,
    }
}

/// Whether a word is one for passwords: `password`, `pgpassword`.
fn is_password(word: &[u8]) -> bool {
    let ends = |end: &str| {
        let at = word.len().wrapping_sub(end.len());
        word.get(at..).is_some_and(|rest| rest.eq_ignore_ascii_case(end.as_bytes()))
    };
    match word[word.len() - 1].to_ascii_lowercase() {
        b'd' => ends("password") || ends("passwd"),
        b's' => ends("passwords") || ends("passcodes"),
        b'e' => ends("passphrase") || ends("passcode"),
        _ => false,
    }
}

fn is_any(word: &[u8], others: &[&str]) -> bool {
    others.iter().any(|other| other.as_bytes().eq_ignore_ascii_case(word))
}

/// The words of a name: parted by signs, and where camel case begins a new one.
pub(crate) fn words(name: &[u8]) -> impl Iterator<Item = &[u8]> {
    let parts = name.split(|byte| !byte.is_ascii_alphanumeric());
    parts.flat_map(CamelCase).filter(|word| !word.is_empty())
}

struct CamelCase<'n>(&'n [u8]);

impl<'n> Iterator for CamelCase<'n> {
    type Item = &'n [u8];

    fn next(&mut self) -> Option<&'n [u8]> {
        let rest = self.0;
        if rest.is_empty() {
            return None;
        }
        let begins_word = |at: &usize| {
            let (before, here) = (rest[at - 1], rest[*at]);
            let ends_capitals =
                before.is_ascii_uppercase() && rest.get(at + 1).is_some_and(u8::is_ascii_lowercase);
            here.is_ascii_uppercase() && (!before.is_ascii_uppercase() || ends_capitals)
        };
        let end = (1..rest.len()).find(begins_word).unwrap_or(rest.len());
        let (word, others) = rest.split_at(end);
        self.0 = others;
        Some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(name: &str) -> Secrecy {
        secrecy(name.as_bytes())
    }

    #[test]
    fn names_of_secrets() {
        for name in ["API_KEY", "apiKey", "api-key", "APIKey", "client_secret", "GH_AUTH_TOKEN"] {
            assert_eq!(judge(name), Secrecy::Sure, "{name}");
        }
        for name in ["DB_PASSWORD", "password", "PGPASSWORD", "smtpPass", "DB_PW", "passcode"] {
            assert_eq!(judge(name), Secrecy::Password, "{name}");
        }
        for name in ["pwd", "PWD", "pass"] {
            assert_eq!(judge(name), Secrecy::Pass, "{name}");
        }
        assert_eq!(judge("api_keys"), Secrecy::Sure);
        assert_eq!(judge("jwt_signing_secret_value"), Secrecy::Sure);
        assert_eq!(judge("token"), Secrecy::Likely);
        assert_eq!(judge("NPM_TOKEN"), Secrecy::Likely);
    }

    #[test]
    fn names_of_other_things() {
        for name in ["max_tokens", "public_key", "keyboard", "TOKEN_FILE", "author", "primaryKey"] {
            assert_eq!(judge(name), Secrecy::None, "{name}");
        }
        for name in ["key_id", "secretName", "SSH_AUTH_SOCK", "nextPageToken", "total_tokens"] {
            assert_eq!(judge(name), Secrecy::None, "{name}");
        }
    }
}
