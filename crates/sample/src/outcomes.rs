//! What came of sessions, from a file that the user gives.
//!
//! Lines of JSON, or CSV with a first line of names. Each has `session_id` and `outcome`; one that
//! is about a branch or a reply also has `entry_id` (or `leaf_id`). An outcome may be any JSON
//! value; in CSV a word is text unless it is a number, `true`, `false` or empty.
//!
//! A session may be named by a prefix of its id. Which session that is, is only known when all
//! sessions are.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Bound;
use std::path::{Path, PathBuf};

use pitree_format::Value;
use pitree_format::js::parse;
use pitree_session::{cause, read_small_text};
use thiserror::Error;

use crate::about::About;

/// A larger file is not read.
const MOST_BYTES: u64 = 256 << 20;

/// How many ids are named in a remark.
const MOST_NAMED: usize = 3;

/// What came of sessions, as the file has it.
#[derive(Clone, Debug, Default)]
pub struct Outcomes {
    rows: Vec<OutcomeRow>,
}

/// What came of known sessions.
#[derive(Clone, Debug, Default)]
pub struct SessionOutcomes {
    sessions: HashMap<String, OfSession>,
    /// Lines that say something else than an earlier one about the same.
    contradictions: usize,
    /// How many ids the file names, each counted once.
    ids: usize,
    /// Ids that no session has or begins with, in the order of the file.
    unknown: Vec<String>,
    /// Prefixes of the ids of several sessions, in the order of the file.
    ambiguous: Vec<String>,
    /// How many sessions are known.
    known: usize,
}

#[derive(Clone, Debug, Default)]
struct OfSession {
    whole: Option<Value>,
    entries: BTreeMap<String, Value>,
}

/// Why a file of outcomes cannot be used.
#[derive(Debug, Error)]
pub enum OutcomesError {
    /// It cannot be read.
    #[error("Cannot read the outcomes {}: {}", path.display(), cause(source))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A line makes no sense.
    #[error("Line {line} of the outcomes {}: {problem}", path.display())]
    BadLine {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        problem: String,
    },
}

impl Outcomes {
    /// Reads a file of the user's.
    pub fn read(path: &Path) -> Result<Self, OutcomesError> {
        let unreadable = |source| OutcomesError::Unreadable { path: path.to_owned(), source };
        let text = read_small_text(path, MOST_BYTES).map_err(unreadable)?;
        let bad = |(line, problem)| OutcomesError::BadLine { path: path.to_owned(), line, problem };
        Self::parse(&text).map_err(bad)
    }

    /// Finds the session of each line, by its id or by a prefix that only one of these ids has.
    pub fn of_sessions<'a>(&self, ids: impl IntoIterator<Item = &'a str>) -> SessionOutcomes {
        let known: BTreeSet<&str> = ids.into_iter().collect();
        let mut found = SessionOutcomes { known: known.len(), ..SessionOutcomes::default() };
        let mut seen = HashSet::new();
        for row in &self.rows {
            let typed = row.session_id.as_str();
            let is_new = seen.insert(typed);
            match meant(typed, &known) {
                Meant::One(id) => found.add(id, row),
                Meant::None if is_new => found.unknown.push(typed.to_owned()),
                Meant::Several if is_new => found.ambiguous.push(typed.to_owned()),
                Meant::None | Meant::Several => {}
            }
        }
        found.ids = seen.len();
        found
    }

    fn parse(text: &str) -> Result<Self, (usize, String)> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut outcomes = Self::default();
        if text.trim_start().starts_with('{') {
            for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
                let told = json_row(line).map_err(|problem| (at + 1, problem))?;
                outcomes.rows.push(told);
            }
            return Ok(outcomes);
        }
        let mut rows = csv_rows(text)?.into_iter();
        let Some((line, names)) = rows.next() else { return Ok(outcomes) };
        let columns = Columns::of(&names).map_err(|problem| (line, problem))?;
        for (line, cells) in rows {
            outcomes.rows.push(columns.row(&cells).map_err(|problem| (line, problem))?);
        }
        Ok(outcomes)
    }
}

/// Which session an id in the file means.
enum Meant<'a> {
    One(&'a str),
    None,
    Several,
}

/// The id that is typed, or the only one that begins with what is typed.
fn meant<'a>(typed: &str, known: &BTreeSet<&'a str>) -> Meant<'a> {
    if typed.is_empty() {
        return Meant::None;
    }
    let mut fitting = known
        .range::<str, _>((Bound::Included(typed), Bound::Unbounded))
        .take_while(|id| id.starts_with(typed));
    match (fitting.next(), fitting.next()) {
        (None, _) => Meant::None,
        (Some(id), next) if *id == typed || next.is_none() => Meant::One(id),
        (Some(_), _) => Meant::Several,
    }
}

impl SessionOutcomes {
    fn add(&mut self, id: &str, row: &OutcomeRow) {
        let session = self.sessions.entry(id.to_owned()).or_default();
        let outcome = row.outcome.clone();
        let before = match &row.entry_id {
            Some(entry) => session.entries.insert(entry.clone(), outcome),
            None => session.whole.replace(outcome),
        };
        self.contradictions += usize::from(before.is_some_and(|before| before != row.outcome));
    }

    /// What came of a session as a whole.
    pub fn of(&self, session_id: &str) -> Option<&Value> {
        self.sessions.get(session_id)?.whole.as_ref()
    }

    /// Whether it says what came of single entries of a session.
    pub fn has_entries_of(&self, session_id: &str) -> bool {
        self.sessions.get(session_id).is_some_and(|session| !session.entries.is_empty())
    }

    /// Adds what came of a session to what is known of it.
    pub fn apply(&self, about: &mut About) {
        if let Some(found) = self.sessions.get(&about.session_id) {
            about.outcome.clone_from(&found.whole);
            about.entry_outcomes.clone_from(&found.entries);
        }
    }

    /// What the user should know of the file.
    pub fn remarks(&self) -> Vec<String> {
        let named = |ids: &[String]| {
            let more = if ids.len() > MOST_NAMED { ", …" } else { "" };
            format!("{}{more}", ids[..ids.len().min(MOST_NAMED)].join(", "))
        };
        let mut remarks = Vec::new();
        let of_all = |count: usize| match self.ids {
            1 => "the id in the outcomes".to_owned(),
            all => format!("{count} of {all} ids in the outcomes"),
        };
        if !self.unknown.is_empty() {
            let verb = if self.unknown.len() == 1 { "does not match" } else { "do not match" };
            let sessions = match self.known {
                1 => "the session".to_owned(),
                known => format!("any of the {known} sessions"),
            };
            let (ids, named) = (of_all(self.unknown.len()), named(&self.unknown));
            remarks.push(format!("{ids} {verb} {sessions}: {named}"));
        }
        if !self.ambiguous.is_empty() {
            let verb = if self.ambiguous.len() == 1 { "matches" } else { "match" };
            let (ids, named) = (of_all(self.ambiguous.len()), named(&self.ambiguous));
            let help = "write more characters of the id";
            remarks.push(format!("{ids} {verb} more than one session: {named}; {help}"));
        }
        if self.contradictions > 0 {
            let lines = match self.contradictions {
                1 => "1 line of the outcomes contradicts".to_owned(),
                count => format!("{count} lines of the outcomes contradict"),
            };
            remarks.push(format!("{lines} an earlier one; the last one counts"));
        }
        remarks
    }
}

/// An outcome as a number: a number itself, `true` and words of success, `false` and words of
/// failure. Other words say nothing about how good it is.
pub fn score(outcome: &Value) -> Option<f64> {
    match outcome {
        Value::Number(number) => Some(*number),
        Value::Bool(good) => Some(f64::from(u8::from(*good))),
        Value::String(word) => match word.to_text().trim().to_ascii_lowercase().as_str() {
            "success" | "succeeded" | "passed" | "merged" | "resolved" | "accepted" | "good"
            | "true" => Some(1.0),
            "failure" | "failed" | "error" | "rejected" | "abandoned" | "bad" | "false" => {
                Some(0.0)
            }
            number => number.parse().ok(),
        },
        Value::Null | Value::Array(_) | Value::Object(_) | Value::Deep(_) => None,
    }
}

/// A line of the file.
#[derive(Clone, Debug)]
struct OutcomeRow {
    session_id: String,
    entry_id: Option<String>,
    outcome: Value,
}

fn json_row(line: &str) -> Result<OutcomeRow, String> {
    let value = parse(line.as_bytes()).map_err(|error| error.to_string())?;
    let text = |name: &str| match value.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.to_string())),
        // A number would else be taken for no entry, and so for the whole session.
        Some(_) => Err(format!("`{name}` must be a string")),
    };
    let (entry_id, leaf_id) = (text("entry_id")?, text("leaf_id")?);
    let entry_id = entry_id.or(leaf_id);
    let session_id = text("session_id")?.ok_or("`session_id` is missing")?;
    let outcome = value.get("outcome").cloned().ok_or("`outcome` is missing")?;
    Ok(OutcomeRow { session_id, entry_id, outcome })
}

/// Where the members stand in a row.
struct Columns {
    session_id: usize,
    entry_id: Option<usize>,
    outcome: usize,
}

impl Columns {
    fn of(names: &[String]) -> Result<Self, String> {
        let place = |name: &str| names.iter().position(|it| it.trim() == name);
        let needed = |name: &str| {
            place(name).ok_or_else(|| {
                format!("the first line must name the columns, and `{name}` is not among them")
            })
        };
        Ok(Self {
            session_id: needed("session_id")?,
            entry_id: place("entry_id").or_else(|| place("leaf_id")),
            outcome: needed("outcome")?,
        })
    }

    fn row(&self, cells: &[String]) -> Result<OutcomeRow, String> {
        let cell = |at: usize| cells.get(at).cloned().ok_or("a cell is missing");
        let entry_id = self.entry_id.and_then(|at| cells.get(at)).filter(|id| !id.is_empty());
        let word = cell(self.outcome)?;
        let outcome = match word.as_str() {
            "" => Value::Null,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            text => match text.parse::<f64>() {
                Ok(number) if number.is_finite() => Value::Number(number),
                _ => text.into(),
            },
        };
        Ok(OutcomeRow { session_id: cell(self.session_id)?, entry_id: entry_id.cloned(), outcome })
    }
}

/// The line on which a row begins, and its cells.
type CsvRow = (usize, Vec<String>);

/// The rows of a CSV text with the line on which each begins. A cell in quotes may hold commas,
/// line ends and doubled quotes.
fn csv_rows(text: &str) -> Result<Vec<CsvRow>, (usize, String)> {
    let mut rows = Vec::new();
    let (mut cells, mut cell) = (Vec::new(), String::new());
    let (mut line, mut begun, mut is_quoted) = (1, 1, false);
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        line += usize::from(c == '\n');
        match c {
            '"' if is_quoted && rest.peek() == Some(&'"') => cell.extend(rest.next()),
            '"' if is_quoted => is_quoted = false,
            '"' if cell.is_empty() => is_quoted = true,
            ',' if !is_quoted => cells.push(std::mem::take(&mut cell)),
            '\r' if !is_quoted && rest.peek() == Some(&'\n') => {}
            '\n' if !is_quoted => {
                cells.push(std::mem::take(&mut cell));
                rows.push((begun, std::mem::take(&mut cells)));
                begun = line;
            }
            other => cell.push(other),
        }
    }
    if is_quoted {
        return Err((begun, "a quote is not closed".to_owned()));
    }
    if !cell.is_empty() || !cells.is_empty() {
        cells.push(cell);
        rows.push((begun, cells));
    }
    rows.retain(|(_, cells)| cells.iter().any(|cell| !cell.is_empty()));
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use pitree_format::js::stringify;

    use super::*;

    fn told(text: &str, session_id: &str) -> (String, Vec<String>) {
        let outcomes = Outcomes::parse(text).unwrap().of_sessions([session_id]);
        let mut about = About { session_id: session_id.to_owned(), ..About::default() };
        outcomes.apply(&mut about);
        let entries = about.entry_outcomes.iter();
        let entries = entries.map(|(id, outcome)| format!("{id}={}", stringify(outcome)));
        (about.outcome.as_ref().map(stringify).unwrap_or_default(), entries.collect())
    }

    #[test]
    fn json_and_csv_say_the_same() {
        let json = "{\"session_id\":\"a\",\"outcome\":\"merged\"}\n\n\
                    {\"session_id\":\"a\",\"leaf_id\":\"e1\",\"outcome\":0.5}\n\
                    {\"session_id\":\"b\",\"outcome\":{\"tests\":true}}";
        assert_eq!(told(json, "a"), ("\"merged\"".to_owned(), vec!["e1=0.5".to_owned()]));
        assert_eq!(told(json, "b").0, "{\"tests\":true}");
        assert_eq!(told(json, "c"), (String::new(), vec![]));
        let csv = "\u{feff}outcome,session_id,entry_id\r\nmerged,a,\r\n0.5,a,e1\n\"a \"\"b\"\",\nc\",d,\n";
        assert_eq!(told(csv, "a"), ("\"merged\"".to_owned(), vec!["e1=0.5".to_owned()]));
        assert_eq!(told(csv, "d").0, "\"a \\\"b\\\",\\nc\"");
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (text, line, problem) in [
            ("{\"session_id\":\"a\"}", 1, "`outcome` is missing"),
            ("{\"outcome\":1,\"session_id\":\"a\"}\n{\"outcome\":1}", 2, "`session_id` is missing"),
            ("{\"outcome\":1,\"session_id\":\"a\"}\nx", 2, ""),
            (
                "{\"outcome\":1,\"session_id\":\"a\",\"entry_id\":7}",
                1,
                "`entry_id` must be a string",
            ),
            (
                "{\"outcome\":1,\"session_id\":\"a\",\"leaf_id\":[]}",
                1,
                "`leaf_id` must be a string",
            ),
            ("{\"outcome\":1,\"session_id\":7}", 1, "`session_id` must be a string"),
            ("id,outcome\na,b", 1, "`session_id` is not among them"),
            ("session_id,outcome\na", 2, "a cell is missing"),
            ("session_id,outcome\na,\"b", 2, "a quote is not closed"),
        ] {
            let (at, said) = Outcomes::parse(text).unwrap_err();
            assert!(at == line && said.contains(problem), "{text}: {at}: {said}");
        }
    }

    #[test]
    fn what_cannot_be_used_is_counted_and_named() {
        let lines = [
            r#"{"session_id":"a","entry_id":null,"outcome":1}"#,
            r#"{"session_id":"a","outcome":2}"#,
            r#"{"session_id":"a","entry_id":"e","outcome":2}"#,
            r#"{"session_id":"a","entry_id":"e","outcome":2}"#,
            r#"{"session_id":"b","outcome":2}"#,
        ];
        let outcomes = Outcomes::parse(&lines.join("\n")).unwrap();
        let remarks = outcomes.of_sessions(["a", "b"]).remarks();
        let contradicts = "1 line of the outcomes contradicts an earlier one; the last one counts";
        assert_eq!(remarks, [contradicts]);
        let remarks = outcomes.of_sessions(["b", "c"]).remarks();
        assert_eq!(remarks, ["1 of 2 ids in the outcomes does not match any of the 2 sessions: a"]);
        assert!(Outcomes::default().of_sessions(["a"]).remarks().is_empty());
    }

    #[test]
    fn a_prefix_names_the_only_session_that_begins_with_it() {
        let csv = "session_id,outcome\nab,1\nabc2,2\nabc,3\nx,4\ny,5\nz,6\nv,7\n,8\n";
        let outcomes = Outcomes::parse(csv).unwrap();
        let found = outcomes.of_sessions(["abc1", "abc2-long", "abc", "q"]);
        let of = |id: &str| found.of(id).and_then(score);
        assert_eq!(["abc1", "abc2-long", "abc", "q"].map(of), [None, Some(2.0), Some(3.0), None]);
        let remarks = found.remarks();
        let unknown = "5 of 8 ids in the outcomes do not match any of the 4 sessions: x, y, z, …";
        assert_eq!(remarks[0], unknown);
        let ambiguous = "1 of 8 ids in the outcomes matches more than one session: ab; ";
        assert!(remarks[1].starts_with(ambiguous), "{remarks:?}");
    }
}
