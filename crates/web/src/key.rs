//! What a client names a session by.

use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::str::FromStr;

/// Stands for the file of a session, so that a client never names a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key(u64);

impl Key {
    /// The key of a file: the same each time, and in each start of the server.
    pub(crate) fn of(path: &Path) -> Self {
        let digest = blake3::hash(path.as_os_str().as_bytes());
        let mut first = [0; 8];
        first.copy_from_slice(&digest.as_bytes()[..8]);
        Self(u64::from_be_bytes(first))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

impl FromStr for Key {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let is_key = text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = is_key.then(|| u64::from_str_radix(text, 16).ok()).flatten();
        number.map(Self).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_printed_is_read_back() {
        let key = Key::of(Path::new("/home/ana/.pi/agent/sessions/a.jsonl"));
        assert_eq!(key.to_string().parse(), Ok(key));
        for wrong in ["", "1", "../../../../etc/", "+00000000000001f", "0123456789abcdefg"] {
            assert_eq!(wrong.parse::<Key>(), Err(()), "{wrong}");
        }
    }
}
