//! Tool calls, their results, the user's shell commands, and images.

use pitree_format::js::stringify;
use pitree_format::message::{BashExecution, Block, Content, ImageData, ToolResultMessage};
use pitree_format::{JsString, Value};

use super::{EntryPage, cut};
use crate::rich::{Highlighter, Line, Look, Margin, Tone, untabbed, wrap, wrap_verbatim};
use crate::view::numbers;

/// How many rows of a shell command's output are shown where it is folded.
const FOLDED_OUTPUT: usize = 5;
/// How much of an argument a folded call shows.
const MOST_BRIEF: usize = 500;
/// How much of an argument that is not the main one.
const MOST_DETAIL: usize = 40;

impl EntryPage {
    pub(super) fn call(&mut self, name: &str, arguments: Option<&Value>) {
        self.set_apart();
        let mark = if self.unfolded.tools { "▾ " } else { "▸ " };
        let head =
            Line::of(mark, Tone::Tool).with(name, Look::bold(Tone::Tool)).with(" ", Tone::Dim);
        if !self.unfolded.tools {
            return self.one_row(&head.with(&main_argument(arguments), Tone::Plain));
        }
        self.rows.push(head);
        let Some(arguments) = arguments else { return };
        match arguments.as_object() {
            Some(object) => object.iter().for_each(|(key, value)| self.argument(key, value)),
            None => self.verbatim(&stringify(arguments), "    ", &mut Highlighter::new("json")),
        }
    }

    fn argument(&mut self, key: &JsString, value: &Value) {
        let text = match value.as_string() {
            Some(text) => text.to_text().into_owned(),
            None => stringify(value),
        };
        let key = format!("{key}: ");
        if text.contains('\n') {
            self.rows.push(Line::of("    ", Tone::Plain).with(&key, Tone::Dim));
            return self.verbatim(&text, "      ", &mut Highlighter::new(""));
        }
        let line = Line::of(&key, Tone::Dim).with(cut(&text).0, Tone::Code);
        let margin = Margin::same(Line::of("    ", Tone::Plain));
        wrap_verbatim(&line, &margin, self.width, &mut self.rows);
    }

    pub(super) fn result(&mut self, result: &ToolResultMessage) {
        let tone = if result.is_error { Tone::Bad } else { Tone::Dim };
        let text = result.content.to_text("\n");
        let text = text.trim_end();
        if self.unfolded.tools {
            match edit_shown(result) {
                Some(diff) => self.verbatim(&diff, "  │ ", &mut Highlighter::new("diff")),
                None => self.output(text, "  │ ", tone),
            }
        } else {
            let first = text.lines().find(|line| !line.trim().is_empty());
            let mut line = Line::of("  └ ", Tone::Dim);
            line = line.with(first.unwrap_or("(no output)").trim(), tone);
            let more = text.lines().count().saturating_sub(1);
            let more = (more > 0).then(|| format!("  +{}", numbers::count(more, "line", "lines")));
            self.one_row_with(&line, &more.unwrap_or_default());
        }
        self.images(&result.content);
    }

    /// The images of a result, under its text.
    fn images(&mut self, content: &Content) {
        let margin = Margin::same(Line::of("    ", Tone::Plain));
        let mut seen = self.nested(&margin);
        for block in content.blocks() {
            if let Block::Image { data, mime_type } = block {
                seen.image(data, mime_type.as_ref());
            }
        }
        self.take_in(seen.rows, &margin);
    }

    pub(super) fn image(&mut self, data: &ImageData, mime_type: Option<&JsString>) {
        let kind = mime_type.map_or("unknown type".to_owned(), JsString::to_string);
        let size = match data {
            ImageData::Inline(chars) => numbers::image_size(*chars),
            ImageData::Blob { size_bytes: Some(size), .. } => numbers::size(*size),
            ImageData::Blob { .. } => "in a file of its own".to_owned(),
            _ => "missing".to_owned(),
        };
        self.one_row(&Line::of(&format!("[image {kind}, {size}]"), Tone::Notice));
    }

    pub(super) fn bash(&mut self, bash: &BashExecution) {
        let sign = if bash.exclude_from_context { "!! " } else { "! " };
        let command = bash.command.to_text();
        let line = Line::of(sign, Tone::Tool).with(&command, Look::bold(Tone::Plain));
        wrap(&line, &Margin::default(), self.width, &mut self.rows);
        let output = bash.output.to_text();
        let output = output.trim_end();
        let lines = output.lines().count();
        if self.unfolded.tools || lines <= FOLDED_OUTPUT {
            self.output(output, "  │ ", Tone::Dim);
        } else {
            let hidden = numbers::count(lines - FOLDED_OUTPUT, "more line", "more lines");
            self.one_row(&Line::of(&format!("  │ … {hidden} above"), Tone::Dim));
            for line in output.lines().skip(lines - FOLDED_OUTPUT) {
                self.one_row(&Line::of("  │ ", Tone::Dim).with(&untabbed(line), Tone::Dim));
            }
        }
        let outcome = bash_outcome(bash);
        if !outcome.is_empty() {
            self.one_row(&Line::of(&format!("  └ {}", outcome.join(", ")), Tone::Notice));
        }
    }
}

/// What a call is about, on one line, with what tells it apart from others like it: the pattern
/// before the path that is searched, and then whatever else is short.
fn main_argument(arguments: Option<&Value>) -> String {
    let Some(arguments) = arguments else { return String::new() };
    let Some(members) = arguments.as_object() else {
        return stringify(arguments).chars().take(MOST_BRIEF).collect();
    };
    let of = |names: &[&'static str]| {
        let mut names = names.iter().copied();
        names.find_map(|name| Some((name, first_line(arguments.get_string(name)?))))
    };
    let what = of(&["command", "pattern", "query", "url"]);
    let place = of(&["path", "file_path", "filePath"]);
    let mut brief = match (&what, &place) {
        (Some((_, what)), Some((_, place))) => format!("{what} in {place}"),
        (Some((_, only)), None) | (None, Some((_, only))) => only.clone(),
        (None, None) => {
            return match members.is_empty() {
                true => String::new(),
                false => stringify(arguments).chars().take(MOST_BRIEF).collect(),
            };
        }
    };
    let named = [what, place].map(|named| named.map(|(name, _)| name));
    for (name, value) in members.iter() {
        let name = name.to_string();
        let detail = match value {
            _ if named.contains(&Some(name.as_str())) => None,
            Value::Number(_) | Value::Bool(_) => Some(stringify(value)),
            Value::String(text) if is_replaced(&name) => Some(first_line(text)),
            Value::String(text) => Some(text.to_string()).filter(|text| is_short(text)),
            // The edits of one file are told apart by what the first of them replaces.
            Value::Array(list) => {
                let first = list.first().and_then(|edit| edit.get_string("oldText"));
                first.map(first_line)
            }
            _ => None,
        };
        if let Some(detail) = detail.filter(|detail| !detail.trim().is_empty()) {
            let detail: String = detail.trim().chars().take(MOST_DETAIL).collect();
            brief.push_str(&format!("  {name}={detail}"));
        }
    }
    brief
}

/// Whether an argument is the text that an edit replaces.
fn is_replaced(name: &str) -> bool {
    matches!(name, "oldText" | "old_string" | "oldString")
}

fn is_short(text: &str) -> bool {
    text.chars().count() <= MOST_DETAIL && !text.contains('\n')
}

fn first_line(text: &JsString) -> String {
    let text = text.to_text();
    let first = cut(&text).0.lines().find(|line| !line.trim().is_empty());
    first.unwrap_or_default().trim_end().chars().take(MOST_BRIEF).collect()
}

/// What an edit changed, as Pi's `edit` tool notes it.
fn edit_shown(result: &ToolResultMessage) -> Option<String> {
    let diff = result.details.as_ref()?.get_string("diff")?;
    (!result.is_error && !diff.is_empty()).then(|| diff.to_string())
}

fn bash_outcome(bash: &BashExecution) -> Vec<String> {
    let mut list = Vec::new();
    let code = bash.exit_code.filter(|code| *code != 0.0);
    list.extend(code.map(|code| format!("exit code {code}")));
    list.extend(bash.marks().map(str::to_owned));
    list
}
