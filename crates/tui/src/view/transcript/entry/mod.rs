//! What an entry looks like in the conversation.

mod tools;

use pitree_format::entry::{Body, Compaction};
use pitree_format::message::{
    AssistantMessage, Attachment, Block, Content, CustomMessage, Message, UserMessage,
};
use pitree_format::{EntryKind, JsString, Role, Value};
use pitree_session::{EntryRef, SessionError, outline_of};

use crate::rich::{
    Highlighter, Line, LineEnds, Look, Margin, Tone, render_markdown, untabbed, wrap, wrap_verbatim,
};
use crate::view::numbers;

/// How much of one text is laid out. The rest is in the file, and an export shows it.
const MOST_BYTES: usize = 1 << 20;
/// How many rows of a summary are shown where it is folded.
const FOLDED_SUMMARY: usize = 3;

/// What is unfolded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unfolded {
    /// Tool calls, their results, the output of commands, and summaries.
    pub(crate) tools: bool,
    /// What the model thought.
    pub(crate) thinking: bool,
}

/// What kinds of entries stand close to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryGroup {
    /// Somebody speaks.
    Speech,
    /// A tool's result; it stands under its call.
    Result,
    /// A remark of one row.
    Note,
}

/// The group of an entry that has a place in the conversation; none if it has no place there.
pub(crate) fn group_of(entry: EntryRef<'_>) -> Option<EntryGroup> {
    match entry.kind() {
        EntryKind::Message => Some(match entry.role() {
            Role::ToolResult => EntryGroup::Result,
            Role::System | Role::Other => EntryGroup::Note,
            _ => EntryGroup::Speech,
        }),
        EntryKind::Compaction | EntryKind::BranchSummary | EntryKind::CustomMessage => {
            Some(EntryGroup::Speech)
        }
        EntryKind::ModelChange
        | EntryKind::ThinkingLevelChange
        | EntryKind::ContextEdit
        | EntryKind::SessionInfo
        | EntryKind::Other => Some(EntryGroup::Note),
        _ => None,
    }
}

/// How calls that were made together are drawn.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToolPairing {
    /// The calls of a reply that are drawn with their results, by their ids.
    pub(crate) elsewhere: Vec<JsString>,
    /// The call that is drawn with a result: its name, its arguments, and whether it is the first.
    pub(crate) call: Option<(String, Option<Value>, bool)>,
}

/// The rows of an entry. `after` is the group of what stands above it.
pub(crate) fn rows_of(
    entry: EntryRef<'_>,
    label: Option<&str>,
    after: Option<EntryGroup>,
    pairing: ToolPairing,
    unfolded: Unfolded,
    width: usize,
) -> Vec<Line> {
    let group = group_of(entry).unwrap_or(EntryGroup::Note);
    let ToolPairing { elsewhere, call } = pairing;
    let mut page =
        EntryPage { width, unfolded, line_ends: LineEnds::Spaces, elsewhere, rows: Vec::new() };
    if let Some((name, arguments, _)) = &call {
        page.call(name, arguments.as_ref());
    }
    match entry.value() {
        Ok(value) => page.body(&Body::decode(&value), &value),
        Err(error) => page.unreadable(&error),
    }
    if page.rows.is_empty() {
        return Vec::new();
    }
    if let Some(label) = label {
        let line = Line::of(&format!("[{label}]"), Tone::Notice);
        page.rows.insert(0, line.truncated(width));
    }
    let begins_pair = call.is_some_and(|(_, _, is_first)| is_first || unfolded.tools);
    let is_close = after.is_none()
        || (group == EntryGroup::Result && !begins_pair)
        || (group == EntryGroup::Note && after == Some(EntryGroup::Note));
    if !is_close {
        page.rows.insert(0, Line::default());
    }
    page.rows
}

struct EntryPage {
    width: usize,
    unfolded: Unfolded,
    line_ends: LineEnds,
    /// Calls that are drawn elsewhere.
    elsewhere: Vec<JsString>,
    rows: Vec<Line>,
}

impl EntryPage {
    fn body(&mut self, body: &Body, value: &Value) {
        match body {
            Body::Message(message) => self.message(message, value),
            Body::CustomMessage(custom) => self.custom(custom),
            Body::Compaction(compaction) => self.compaction(compaction),
            Body::BranchSummary(summary) => {
                self.summary("branch summary", &summary.summary);
            }
            Body::ModelChange { provider, model_id } => {
                let (provider, model) = (text_of(provider.as_ref()), text_of(model_id.as_ref()));
                self.note(&format!("model {provider}/{model}"));
            }
            Body::ThinkingLevelChange(level) => {
                self.note(&format!("thinking level {}", text_of(level.as_ref())));
            }
            Body::SessionInfo(name) => match name.as_ref().filter(|name| !name.is_empty()) {
                Some(name) => self.note(&format!("name {name}")),
                None => self.note("name removed"),
            },
            Body::ContextEdit { .. } | Body::Unknown { .. } => self.note(&outline_of(value)),
            _ => {}
        }
    }

    fn message(&mut self, message: &Message, value: &Value) {
        match message {
            Message::User(user) => self.user(user),
            Message::Assistant(answer) => self.answer(answer),
            Message::ToolResult(result) => self.result(result),
            Message::BashExecution(bash) => self.bash(bash),
            Message::Custom(custom) => self.custom(custom),
            Message::BranchSummary { summary, .. } => self.summary("branch summary", summary),
            Message::CompactionSummary { summary, .. } => self.summary("compaction", summary),
            Message::System(_) => self.note("system prompt or tools changed"),
            _ => self.note(&outline_of(value)),
        }
    }

    fn user(&mut self, user: &UserMessage) {
        let bar = Margin::same(Line::of("▌ ", Tone::User));
        let mut said = self.nested(&bar);
        said.line_ends = LineEnds::Kept;
        said.content(&user.content);
        for attachment in &user.attachments {
            said.attachment(attachment);
        }
        if said.rows.is_empty() {
            said.wrapped("(no content)", Tone::Dim);
        }
        let rows = said.rows;
        self.take_in(rows, &bar);
    }

    fn attachment(&mut self, attachment: &Attachment) {
        let name = text_of(attachment.file_name.as_ref());
        let size = attachment.size.map(numbers::size).unwrap_or_default();
        let line = format!("[attached: {name} {} {size}]", text_of(attachment.mime_type.as_ref()));
        self.rows.push(Line::of(&line, Tone::Notice));
    }

    fn answer(&mut self, answer: &AssistantMessage) {
        self.content(&answer.content);
        let stop = answer.stop_reason.as_ref().map(JsString::to_text);
        match stop.as_deref() {
            Some("aborted") => self.wrapped("(aborted)", Tone::Bad),
            Some("error") => {
                let why = text_of(answer.error_message.as_ref());
                self.wrapped(&format!("Error: {}", cut(&why).0), Tone::Bad);
            }
            Some("length") => self.wrapped("(cut off: the reply was too long)", Tone::Bad),
            _ => {}
        }
    }

    fn content(&mut self, content: &Content) {
        match content {
            Content::Text(text) => self.prose(&text.to_text()),
            Content::Blocks(blocks) => blocks.iter().for_each(|block| self.block(block)),
            Content::Missing => {}
            Content::Other => self.wrapped("(content of an unknown type)", Tone::Dim),
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Text { text, .. } => self.prose(&text.to_text()),
            Block::Thinking { thinking, redacted, .. } => {
                self.thinking(&thinking.to_text(), *redacted);
            }
            Block::ToolCall { id: Some(id), .. } if self.elsewhere.contains(id) => {}
            Block::ToolCall { name, arguments, .. } => {
                self.call(&text_of(name.as_ref()), arguments.as_ref());
            }
            Block::Image { data, mime_type } => self.image(data, mime_type.as_ref()),
            Block::Unknown { kind } => {
                self.wrapped(&format!("[block: {}]", text_of(kind.as_ref())), Tone::Dim);
            }
            _ => self.wrapped("[block]", Tone::Dim),
        }
    }

    /// A text in Markdown, set apart from what stands above it.
    fn prose(&mut self, text: &str) {
        let (text, rest) = cut(text.trim());
        if text.is_empty() {
            return;
        }
        self.set_apart();
        self.rows.extend(render_markdown(text, self.line_ends, self.width));
        self.say_rest(rest);
    }

    fn thinking(&mut self, text: &str, redacted: bool) {
        let (text, rest) = cut(text.trim());
        let look = Look { italic: true, ..Look::from(Tone::Dim) };
        if redacted || text.is_empty() {
            if redacted {
                self.set_apart();
                self.rows.push(Line::of("∴ reasoning hidden by the provider", look));
            }
            return;
        }
        self.set_apart();
        if !self.unfolded.thinking {
            let first = text.lines().next().unwrap_or_default();
            return self.one_row(&Line::of("∴ ", look).with(first, look));
        }
        let margin = Margin::same(Line::of("∴ ", look));
        for line in text.lines() {
            wrap(&Line::of(&untabbed(line), look), &margin, self.width, &mut self.rows);
        }
        self.say_rest(rest);
    }

    /// A message of an extension. One that is not meant to be seen has no rows.
    fn custom(&mut self, custom: &CustomMessage) {
        if !custom.display {
            return;
        }
        let name = format!("[{}]", text_of(custom.custom_type.as_ref()));
        self.one_row(&Line::of(&name, Look::bold(Tone::Notice)));
        let mut said = self.nested(&Margin::default());
        said.content(&custom.content);
        self.rows.append(&mut said.rows);
    }

    fn compaction(&mut self, compaction: &Compaction) {
        let tokens = compaction.tokens_before.filter(|tokens| tokens.is_finite());
        let title = match tokens {
            Some(tokens) => format!("compaction, {} tokens before", numbers::tokens(tokens)),
            None => "compaction".to_owned(),
        };
        self.summary(&title, &compaction.summary);
    }

    fn summary(&mut self, title: &str, summary: &JsString) {
        let title = format!("── {title} ");
        let rule = "─".repeat(self.width.saturating_sub(title.chars().count()).min(60));
        self.one_row(&Line::of(&format!("{title}{rule}"), Tone::Notice));
        let text = summary.to_text();
        let (text, rest) = cut(text.trim());
        let rows = render_markdown(text, self.line_ends, self.width);
        let hidden = rows.len().saturating_sub(FOLDED_SUMMARY);
        if self.unfolded.tools || hidden <= 1 {
            self.rows.extend(rows);
            return self.say_rest(rest);
        }
        self.rows.extend(rows.into_iter().take(FOLDED_SUMMARY));
        let hidden = numbers::count(hidden, "more line", "more lines");
        self.one_row(&Line::of(&format!("… {hidden}"), Tone::Dim));
    }

    fn unreadable(&mut self, error: &SessionError) {
        self.wrapped(&format!("This entry cannot be read: {error}"), Tone::Bad);
    }

    fn note(&mut self, text: &str) {
        self.one_row(&Line::of("· ", Tone::Dim).with(text, Tone::Dim));
    }

    fn output(&mut self, text: &str, margin: &str, tone: Tone) {
        let (text, rest) = cut(text);
        let margin = Margin::same(Line::of(margin, Tone::Dim));
        for line in text.lines() {
            let line = Line::of(&untabbed(line), tone);
            wrap_verbatim(&line, &margin, self.width, &mut self.rows);
        }
        self.say_rest(rest);
    }

    fn verbatim(&mut self, text: &str, margin: &str, highlighter: &mut Highlighter) {
        let (text, rest) = cut(text);
        let margin = Margin::same(Line::of(margin, Tone::Dim));
        for line in text.lines() {
            wrap_verbatim(&highlighter.line(line), &margin, self.width, &mut self.rows);
        }
        self.say_rest(rest);
    }

    fn wrapped(&mut self, text: &str, tone: Tone) {
        wrap(&Line::of(text, tone), &Margin::default(), self.width, &mut self.rows);
    }

    /// A line that is cut where the row ends.
    fn one_row(&mut self, line: &Line) {
        self.rows.push(line.truncated(self.width));
    }

    /// The same with something after it that is never cut.
    fn one_row_with(&mut self, line: &Line, end: &str) {
        let room = self.width.saturating_sub(end.chars().count());
        self.rows.push(line.truncated(room).with(end, Tone::Dim));
    }

    fn say_rest(&mut self, rest: usize) {
        if rest > 0 {
            let size = numbers::size(rest as f64);
            self.wrapped(&format!("… {size} more; /export writes all of it"), Tone::Notice);
        }
    }

    /// A blank row after what stands there already.
    fn set_apart(&mut self) {
        if self.rows.last().is_some_and(|row| !row.is_empty()) {
            self.rows.push(Line::default());
        }
    }

    fn nested(&self, margin: &Margin) -> Self {
        let width = self.width.saturating_sub(margin.width()).max(2);
        let (unfolded, line_ends) = (self.unfolded, self.line_ends);
        Self { width, unfolded, line_ends, elsewhere: Vec::new(), rows: Vec::new() }
    }

    fn take_in(&mut self, rows: Vec<Line>, margin: &Margin) {
        for row in rows {
            let mut line = margin.rest.clone();
            row.pieces.into_iter().for_each(|piece| line.push(piece));
            self.rows.push(line);
        }
    }
}

fn text_of(text: Option<&JsString>) -> String {
    text.map(ToString::to_string).unwrap_or_default()
}

/// The beginning of a text, and how many bytes are left out.
fn cut(text: &str) -> (&str, usize) {
    if text.len() <= MOST_BYTES {
        return (text, 0);
    }
    let end = text.floor_char_boundary(MOST_BYTES);
    (&text[..end], text.len() - end)
}
