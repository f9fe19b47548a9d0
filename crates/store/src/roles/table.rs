//! A table of roles that the user wrote.
//!
//! ```text
//! # where  role     pattern
//! cwd      deacon   /deacon$
//! cwd      crew     /(?<rig>[^/]+)/crew/(?<name>[^/]+)$
//! first    *        ^\[GAS TOWN\] (?<role>\w+) <-
//! ```
//!
//! The first row that fits counts. `cwd` looks at the working directory, `first` at the first
//! message of the user. A row with `*` takes the role from the group `role` of its pattern.

use std::path::{Path, PathBuf};

use pitree_session::{cause, read_small_text};
use regex::Regex;
use thiserror::Error;

use super::{Agent, Role, RoleSign, RoleSource};

/// A larger file is not a table of roles.
const MOST_BYTES: u64 = 8 << 20;

/// The rows of a table.
#[derive(Clone, Debug, Default)]
pub struct RoleTable {
    rows: Vec<Row>,
}

/// Why a table cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TableError {
    /// The file cannot be read.
    #[error("Cannot read the role table {}: {}", path.display(), cause(source))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A line makes no sense.
    #[error("Line {line} of the role table {}: {problem}", path.display())]
    BadLine {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
}

#[derive(Clone, Debug)]
struct Row {
    source: RoleSource,
    /// `None` takes it from the pattern.
    role: Option<Role>,
    pattern: Regex,
}

impl RoleTable {
    /// Reads a table of the user's.
    pub fn read(path: &Path) -> Result<Self, TableError> {
        let unreadable = |source| TableError::Unreadable { path: path.to_owned(), source };
        let text = read_small_text(path, MOST_BYTES).map_err(unreadable)?;
        let bad = |(line, problem)| TableError::BadLine { path: path.to_owned(), line, problem };
        Self::parse(&text).map_err(bad)
    }

    fn parse(text: &str) -> Result<Self, (usize, String)> {
        let mut rows = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                rows.push(Row::parse(line).map_err(|problem| (at + 1, problem))?);
            }
        }
        Ok(Self { rows })
    }

    pub(super) fn sign(&self, cwd: &str, first_message: Option<&str>) -> Option<RoleSign> {
        self.rows.iter().find_map(|row| {
            let text = match row.source {
                RoleSource::Directory => cwd,
                _ => first_message?,
            };
            let found = row.pattern.captures(text)?;
            let group = |name| found.name(name).map(|group| group.as_str().to_owned());
            let role = row.role.or_else(|| Role::from_word(&group("role")?))?;
            let agent = Agent { role, rig: group("rig"), name: group("name") };
            Some(RoleSign { source: row.source, agent })
        })
    }
}

impl Row {
    fn parse(line: &str) -> Result<Self, String> {
        let usage = || "a row is `cwd` or `first`, a role or `*`, and a pattern".to_owned();
        let (place, rest) = line.split_once(char::is_whitespace).ok_or_else(usage)?;
        let (role, pattern) =
            rest.trim_start().split_once(char::is_whitespace).ok_or_else(usage)?;
        let source = match place {
            "cwd" => RoleSource::Directory,
            "first" => RoleSource::Beacon,
            _ => return Err(usage()),
        };
        let pattern = Regex::new(pattern.trim()).map_err(|error| error.to_string())?;
        let role = match role {
            "*" if pattern.capture_names().flatten().any(|name| name == "role") => None,
            "*" => return Err("a row with `*` needs a group `role` in its pattern".to_owned()),
            word => Some(Role::from_word(word).ok_or_else(|| {
                format!(
                    "`{word}` is not a role; the roles are mayor, deacon, boot, dog, witness, refinery, \
                     polecat and crew"
                )
            })?),
        };
        Ok(Self { source, role, pattern })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_count_in_their_order() {
        let table = "# mine\n\ncwd crew /(?<rig>[^/]+)/people/(?<name>[^/]+)$\n\
                     first * ^I am (?<role>\\w+)\ncwd mayor .\n";
        let table = RoleTable::parse(table).unwrap();
        let role = |cwd, first| table.sign(cwd, first).map(|sign| (sign.agent.role, sign.source));
        let crew = table.sign("/gt/a/people/max", None).unwrap().agent;
        assert_eq!((crew.rig.as_deref(), crew.name.as_deref()), (Some("a"), Some("max")));
        assert_eq!(role("/x", Some("I am dog")), Some((Role::Dog, RoleSource::Beacon)));
        assert_eq!(role("/x", Some("I am nobody")), Some((Role::Mayor, RoleSource::Directory)));
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, line, problem) in [
            ("cwd crew", 1, "a row is"),
            ("\n# x\nnowhere crew .", 3, "a row is"),
            ("cwd king .", 1, "`king` is not a role"),
            ("cwd * .", 1, "needs a group `role`"),
            ("cwd crew (", 1, "unclosed"),
        ] {
            let (at, said) = RoleTable::parse(text).unwrap_err();
            assert!(at == line && said.contains(problem), "{text}: {at}: {said}");
        }
    }
}
