//! What a client names a session by.

use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::str::FromStr;

/// Sub-agents that were sent out by sub-agents are followed this far.
const MOST_RUNS: usize = 8;

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

/// A run of a sub-agent: the entry that tells it, and its number there, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RunStep {
    pub(crate) at: usize,
    pub(crate) number: usize,
}

/// A session of the list, or the record of a sub-agent that one of them sent out: `KEY`, or
/// `KEY-AT-NUMBER`, and so on for a sub-agent's sub-agent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Name {
    pub(crate) session: Key,
    pub(crate) runs: Vec<RunStep>,
}

impl Name {
    /// A sub-agent that this session sent out.
    pub(crate) fn run(&self, at: usize, number: usize) -> Self {
        let step = RunStep { at, number };
        Self { session: self.session, runs: self.runs.iter().copied().chain([step]).collect() }
    }

    /// The session that sent this one out, and as which run.
    pub(crate) fn sender(&self) -> Option<(Self, RunStep)> {
        let (last, above) = self.runs.split_last()?;
        Some((Self { session: self.session, runs: above.to_vec() }, *last))
    }
}

impl From<Key> for Name {
    fn from(session: Key) -> Self {
        Self { session, runs: Vec::new() }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.session)?;
        self.runs.iter().try_for_each(|run| write!(f, "-{}-{}", run.at, run.number))
    }
}

impl FromStr for Name {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let mut parts = text.split('-');
        let session = parts.next().ok_or(())?.parse()?;
        let number = |text: &str| {
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| text.parse().ok()).flatten().ok_or(())
        };
        let mut runs = Vec::new();
        while let Some(at) = parts.next() {
            let step = RunStep { at: number(at)?, number: number(parts.next().ok_or(())?)? };
            runs.push(step);
        }
        if runs.len() > MOST_RUNS {
            return Err(());
        }
        Ok(Self { session, runs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_printed_is_read_back() {
        let key = Key::of(Path::new("/home/ana/.pi/agent/sessions/a.jsonl"));
        assert_eq!(key.to_string().parse(), Ok(key));
        let name = Name::from(key).run(12, 0).run(3, 1);
        assert_eq!(name.to_string().parse(), Ok(name.clone()));
        assert_eq!(name.sender().unwrap().0, Name::from(key).run(12, 0));
        for wrong in ["", "1", "../../../../etc/", "+00000000000001f", "0123456789abcdefg"] {
            assert_eq!(wrong.parse::<Key>(), Err(()), "{wrong}");
            assert_eq!(wrong.parse::<Name>(), Err(()), "{wrong}");
        }
        for end in ["-", "-1", "-1-", "-1-2-", "-+1-2", "-1--2", "-1-99999999999999999999", "/1-2"]
        {
            assert_eq!(format!("{key}{end}").parse::<Name>(), Err(()), "{end}");
        }
        assert_eq!(format!("{key}{}", "-1-1".repeat(9)).parse::<Name>(), Err(()));
    }
}
