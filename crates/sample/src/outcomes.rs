//! What came of sessions, from a file that the user gives.
//!
//! Lines of JSON, or CSV with a first line of names. Each has `session_id` and `outcome`; one that
//! is about a branch or a reply also has `entry_id` (or `leaf_id`). An outcome may be any JSON
//! value; in CSV a word is text unless it is a number, `true`, `false` or empty.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use pitree_format::Value;
use pitree_format::js::parse;
use pitree_session::cause;
use thiserror::Error;

use crate::about::About;

/// What came of sessions.
#[derive(Clone, Debug, Default)]
pub struct Outcomes {
    sessions: HashMap<String, OfSession>,
    /// Lines that say something else than an earlier one about the same.
    contradictions: usize,
}

#[derive(Clone, Debug, Default)]
struct OfSession {
    whole: Option<Value>,
    entries: BTreeMap<String, Value>,
    /// How many lines are about it.
    lines: usize,
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
        let text = fs_err::read_to_string(path).map_err(unreadable)?;
        let bad = |(line, problem)| OutcomesError::BadLine { path: path.to_owned(), line, problem };
        Self::parse(&text).map_err(bad)
    }

    /// Adds what came of a session to what is known of it.
    pub fn apply(&self, about: &mut About) {
        if let Some(found) = self.sessions.get(&about.session_id) {
            about.outcome.clone_from(&found.whole);
            about.entry_outcomes.clone_from(&found.entries);
        }
    }

    /// What the user should know of the file, given the ids of the sessions that were chosen.
    pub fn remarks<'a>(&self, chosen: impl IntoIterator<Item = &'a str>) -> Vec<String> {
        let chosen: HashSet<&str> = chosen.into_iter().collect();
        let others = self.sessions.iter().filter(|(id, _)| !chosen.contains(id.as_str()));
        let lines: usize = others.map(|(_, told)| told.lines).sum();
        let counted = |count: usize| match count {
            1 => "1 line of the outcomes".to_owned(),
            _ => format!("{count} lines of the outcomes"),
        };
        let mut remarks = Vec::new();
        if lines > 0 {
            remarks
                .push(format!("ignored: {} about sessions that were not chosen", counted(lines)));
        }
        if self.contradictions > 0 {
            let says = if self.contradictions == 1 { "contradicts" } else { "contradict" };
            let lines = counted(self.contradictions);
            remarks.push(format!("{lines} {says} an earlier one; the last one counts"));
        }
        remarks
    }

    fn parse(text: &str) -> Result<Self, (usize, String)> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut outcomes = Self::default();
        if text.trim_start().starts_with('{') {
            for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
                let told = json_row(line).map_err(|problem| (at + 1, problem))?;
                outcomes.add(told);
            }
            return Ok(outcomes);
        }
        let mut rows = csv_rows(text)?.into_iter();
        let Some((line, names)) = rows.next() else { return Ok(outcomes) };
        let columns = Columns::of(&names).map_err(|problem| (line, problem))?;
        for (line, cells) in rows {
            outcomes.add(columns.row(&cells).map_err(|problem| (line, problem))?);
        }
        Ok(outcomes)
    }

    fn add(&mut self, told: Told) {
        let session = self.sessions.entry(told.session_id).or_default();
        session.lines += 1;
        let outcome = told.outcome.clone();
        let before = match told.entry_id {
            Some(entry) => session.entries.insert(entry, outcome),
            None => session.whole.replace(outcome),
        };
        self.contradictions += usize::from(before.is_some_and(|before| before != told.outcome));
    }
}

struct Told {
    session_id: String,
    entry_id: Option<String>,
    outcome: Value,
}

fn json_row(line: &str) -> Result<Told, String> {
    let value = parse(line.as_bytes()).map_err(|error| error.to_string())?;
    let text = |name: &str| match value.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.to_string())),
        // A number would else be taken for no entry, and so for the whole session.
        Some(_) => Err(format!("`{name}` must be a text in quotes")),
    };
    let (entry_id, leaf_id) = (text("entry_id")?, text("leaf_id")?);
    let entry_id = entry_id.or(leaf_id);
    let session_id = text("session_id")?.ok_or("`session_id` is missing")?;
    let outcome = value.get("outcome").cloned().ok_or("`outcome` is missing")?;
    Ok(Told { session_id, entry_id, outcome })
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

    fn row(&self, cells: &[String]) -> Result<Told, String> {
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
        Ok(Told { session_id: cell(self.session_id)?, entry_id: entry_id.cloned(), outcome })
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
        let outcomes = Outcomes::parse(text).unwrap();
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
            ("{\"outcome\":1,\"session_id\":\"a\",\"entry_id\":7}", 1, "`entry_id` must be a text"),
            ("{\"outcome\":1,\"session_id\":\"a\",\"leaf_id\":[]}", 1, "`leaf_id` must be a text"),
            ("{\"outcome\":1,\"session_id\":7}", 1, "`session_id` must be a text"),
            ("id,outcome\na,b", 1, "`session_id` is not among them"),
            ("session_id,outcome\na", 2, "a cell is missing"),
            ("session_id,outcome\na,\"b", 2, "a quote is not closed"),
        ] {
            let (at, said) = Outcomes::parse(text).unwrap_err();
            assert!(at == line && said.contains(problem), "{text}: {at}: {said}");
        }
    }

    #[test]
    fn what_cannot_be_used_is_counted() {
        let lines = [
            r#"{"session_id":"a","entry_id":null,"outcome":1}"#,
            r#"{"session_id":"a","outcome":2}"#,
            r#"{"session_id":"a","entry_id":"e","outcome":2}"#,
            r#"{"session_id":"a","entry_id":"e","outcome":2}"#,
            r#"{"session_id":"b","outcome":2}"#,
        ];
        let outcomes = Outcomes::parse(&lines.join("\n")).unwrap();
        let [contradicts] = &outcomes.remarks(["a", "b"])[..] else { panic!("one is wrong") };
        assert_eq!(
            contradicts,
            "1 line of the outcomes contradicts an earlier one; the last one counts"
        );
        let remarks = outcomes.remarks(["b"]);
        assert_eq!(
            remarks[0],
            "ignored: 4 lines of the outcomes about sessions that were not chosen"
        );
        assert!(Outcomes::default().remarks(["a"]).is_empty());
    }
}
