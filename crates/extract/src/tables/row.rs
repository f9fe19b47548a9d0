//! A row of a table, and the line of text that it waits in.
//!
//! Rows of a session are made once and may be kept, while some cells are known only when all
//! sessions are: whether a usage counts here, the split. So rows wait as lines of JSON, in which
//! every text can still be looked at, and become Parquet last.

use pitree_format::js::{decode_string, print_list, print_text, stringify};
use pitree_format::scan::string_end;
use pitree_format::{JsString, Value};

use super::columns::{Kind, Table};

/// What stands in a column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Cell {
    /// Nothing.
    #[default]
    Empty,
    /// Text.
    Text(String),
    /// A whole number, a moment in milliseconds, or millionths of a millionth of a dollar.
    Int(i64),
    /// Yes or no.
    Bool(bool),
    /// The text of a JSON value.
    Json(String),
    /// A list of texts.
    Texts(Vec<String>),
    /// A list of yes or no.
    Bools(Vec<bool>),
    /// The texts of JSON values.
    Jsons(Vec<String>),
}

/// A row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRow {
    /// The table it belongs to.
    pub table: Table,
    /// One cell for each column.
    pub cells: Vec<Cell>,
}

impl TableRow {
    /// A row with empty cells.
    pub(crate) fn new(table: Table) -> Self {
        Self { table, cells: vec![Cell::Empty; table.columns().len()] }
    }

    /// Fills a column. A name that the table does not have is a mistake that a test finds.
    pub(crate) fn set(&mut self, column: &str, cell: impl Into<Cell>) {
        let place = self.table.place(column);
        debug_assert!(place.is_some(), "{} has no column {column}", self.table);
        if let Some(place) = place {
            self.cells[place] = cell.into();
        }
    }

    /// What stands in a column.
    pub fn get(&self, column: &str) -> Option<&Cell> {
        self.cells.get(self.table.place(column)?)
    }

    /// Appends the row as a line of JSON without its line feed: the table's name, then the cells.
    pub fn print(&self, out: &mut String) {
        out.push('[');
        print_text(self.table.name(), out);
        for cell in &self.cells {
            out.push(',');
            cell.print(out);
        }
        out.push(']');
    }

    /// Reads the line that [`print`](Self::print) wrote; `None` for any other.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let mut items = items(line)?.into_iter();
        let table = Table::from_name(&text_of(items.next()?)?)?;
        let columns = table.columns();
        if items.len() != columns.len() {
            return None;
        }
        let cells = columns.iter().zip(items).map(|(column, item)| Cell::read(column.kind, item));
        Some(Self { table, cells: cells.collect::<Option<_>>()? })
    }
}

impl Cell {
    fn print(&self, out: &mut String) {
        match self {
            Self::Empty => out.push_str("null"),
            Self::Text(text) => print_text(text, out),
            // As text: a number of JavaScript has only 53 bits.
            Self::Int(number) => print_text(&number.to_string(), out),
            Self::Bool(is) => out.push_str(if *is { "true" } else { "false" }),
            // Inside a list, since `null` is a value of JSON too.
            Self::Json(json) => print_list(std::slice::from_ref(json), out, |json, out| {
                out.push_str(json);
            }),
            Self::Texts(texts) => print_list(texts, out, |text, out| print_text(text, out)),
            Self::Bools(list) => print_list(list, out, |is, out| Self::Bool(*is).print(out)),
            Self::Jsons(list) => print_list(list, out, |json, out| out.push_str(json)),
        }
    }

    /// Reads what [`print`](Self::print) wrote for a column of this kind.
    fn read(kind: Kind, item: &[u8]) -> Option<Self> {
        if item == b"null" {
            return Some(Self::Empty);
        }
        Some(match kind {
            Kind::Text => Self::Text(text_of(item)?),
            Kind::Int | Kind::Time | Kind::Money => Self::Int(text_of(item)?.parse().ok()?),
            Kind::Bool => Self::Bool(item == b"true"),
            Kind::Json => Self::Json(json_text(items(item)?.first()?)?),
            Kind::Texts => {
                Self::Texts(items(item)?.into_iter().map(text_of).collect::<Option<_>>()?)
            }
            Kind::Bools => Self::Bools(items(item)?.into_iter().map(|is| is == b"true").collect()),
            Kind::Jsons => {
                Self::Jsons(items(item)?.into_iter().map(json_text).collect::<Option<_>>()?)
            }
        })
    }
}

/// The items of a list that was printed without blanks, as they stand. Only as much is looked at
/// as is needed to find their ends: what is in them was printed here and is taken as it is.
fn items(list: &[u8]) -> Option<Vec<&[u8]>> {
    let inner = list.strip_prefix(b"[")?.strip_suffix(b"]")?;
    let mut items = Vec::new();
    let (mut start, mut depth, mut at) = (0, 0_u32, 0);
    while let Some(byte) = inner.get(at) {
        match byte {
            b'"' => at = string_end(inner, at + 1)?,
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.checked_sub(1)?,
            b',' if depth == 0 => {
                items.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    if !inner.is_empty() {
        items.push(&inner[start..]);
    }
    (depth == 0).then_some(items)
}

fn text_of(item: &[u8]) -> Option<String> {
    let raw = item.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    match raw.contains(&b'\\') {
        true => Some(decode_string(raw).to_text().into_owned()),
        false => String::from_utf8(raw.to_vec()).ok(),
    }
}

fn json_text(item: &[u8]) -> Option<String> {
    String::from_utf8(item.to_vec()).ok()
}

/// The text of a value as every reader of JSON takes it: halves of surrogate pairs, which
/// JavaScript allows, become replacement characters.
pub(crate) fn json_of(value: &Value) -> String {
    let json = stringify(value);
    if !json.contains("\\ud") {
        return json;
    }
    let mut out = String::with_capacity(json.len());
    let mut rest = &json[..];
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        out.push_str(before);
        // The printer escapes only control characters, quotes, backslashes and such halves.
        let len = if escape.starts_with("\\u") { 6 } else { 2 };
        let (escape, after) = escape.split_at_checked(len).unwrap_or((escape, ""));
        out.push_str(if escape.starts_with("\\ud") { "\u{FFFD}" } else { escape });
        rest = after;
    }
    out.push_str(rest);
    out
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Empty, Into::into)
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&String> for Cell {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<&JsString> for Cell {
    fn from(text: &JsString) -> Self {
        Self::Text(text.to_text().into_owned())
    }
}

impl From<bool> for Cell {
    fn from(is: bool) -> Self {
        Self::Bool(is)
    }
}

impl From<i64> for Cell {
    fn from(number: i64) -> Self {
        Self::Int(number)
    }
}

impl From<u64> for Cell {
    fn from(number: u64) -> Self {
        Self::Int(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl From<usize> for Cell {
    fn from(number: usize) -> Self {
        Self::from(number as u64)
    }
}

impl From<&Value> for Cell {
    fn from(value: &Value) -> Self {
        Self::Json(json_of(value))
    }
}

#[cfg(test)]
mod tests {
    use pitree_format::js::parse;

    use super::*;

    #[test]
    fn a_row_comes_back_from_its_line() {
        let mut row = TableRow::new(Table::Samples);
        row.set("sample_id", "line\nfeed \u{2028} \u{1F600}");
        row.set("segment", i64::MAX);
        row.set("messages", Cell::Jsons(vec!["null".into(), r#"{"a":[1,"\n],\"\\"]}"#.into()]));
        row.set("metadata", Cell::Json(r#"{"a":{"b":[",",{}]}}"#.into()));
        row.set("leaf_id", "");
        row.set("trained", Cell::Bools(vec![true, false]));
        row.set("tools", Cell::Json("null".into()));
        let mut line = String::new();
        row.print(&mut line);
        assert!(!line.contains('\n'));
        assert_eq!(TableRow::parse(line.as_bytes()), Some(row));
    }

    #[test]
    fn lines_of_others_are_no_rows() {
        for line in ["", "{}", "[]", r#"["entries"]"#, r#"["gone",1]"#, "[1,2]", "[\"", "[]]"] {
            assert_eq!(TableRow::parse(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn half_surrogates_become_replacement_characters() {
        let json = |text: &str| json_of(&parse(text.as_bytes()).unwrap());
        assert_eq!(
            json(r#"["\ud800x","\\ud800","\u0001"]"#),
            "[\"\u{FFFD}x\",\"\\\\ud800\",\"\\u0001\"]"
        );
        assert_eq!(json(r#""\ud83d\ude00""#), "\"\u{1F600}\"");
    }
}
