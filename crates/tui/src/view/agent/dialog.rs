//! A question that an extension of the agent has for the user, and the answer in Pi's form.

use std::time::{Duration, Instant};

use pitree_format::{JsString, Object, Value};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Span;
use ratatui::widgets::{Block, Clear};

use super::panel::text_of;
use crate::editor::{Editor, Pressed};
use crate::field::Field;
use crate::keymap::{DialogAction, InputAction, Key, Keymap, hints};
use crate::rich::{Line, Look, Margin, Tone, show, untabbed, wrap};
use crate::state::{AppState, STRAY_KEYS};
use crate::theme::Theme;

/// How many rows of a question are seen; what follows is cut.
const MOST_QUESTION_ROWS: usize = 12;
/// How much of a question is kept at all.
const MOST_QUESTION_CHARS: usize = 4_000;
/// No extension waits longer; what asks for more waits without an end.
const LONGEST_MS: f64 = 1e9;

/// A question.
pub(crate) struct Dialog {
    id: Value,
    title: String,
    body: DialogBody,
    /// When it was seen first.
    seen: Option<Instant>,
    /// When the agent answers it by itself.
    until: Option<Instant>,
}

enum DialogBody {
    Select { options: Vec<JsString>, chosen: usize },
    Confirm { message: String },
    Input { field: Field, placeholder: String },
    Editor { editor: Box<Editor>, prefill: String },
}

impl Dialog {
    /// The question of a request; `None` if it asks for nothing that is known.
    pub(super) fn of(method: &str, request: &Value, now: Instant) -> Option<Self> {
        let text = |name: &str| {
            let mut text = text_of(request, name).unwrap_or_default();
            if let Some((end, _)) = text.char_indices().nth(MOST_QUESTION_CHARS) {
                text.truncate(end);
                text.push('…');
            }
            text
        };
        let body = match method {
            "select" => {
                let options = request.get("options").and_then(Value::as_array).unwrap_or_default();
                let options = options.iter().filter_map(Value::as_string).cloned().collect();
                DialogBody::Select { options, chosen: 0 }
            }
            "confirm" => DialogBody::Confirm { message: text("message") },
            "input" => {
                DialogBody::Input { field: Field::default(), placeholder: text("placeholder") }
            }
            "editor" => {
                let mut editor = Editor::asking("");
                let prefill = text_of(request, "prefill").unwrap_or_default();
                if !prefill.is_empty() {
                    editor.set(&prefill);
                }
                let prefill = editor.text();
                DialogBody::Editor { editor: Box::new(editor), prefill }
            }
            _ => return None,
        };
        let limit = request.get("timeout").and_then(Value::as_number);
        let limit = limit.filter(|ms| (1.0..LONGEST_MS).contains(ms));
        let until = limit.map(|ms| now + Duration::from_millis(ms as u64));
        let id = request.get("id").cloned().unwrap_or(Value::Null);
        Some(Self { id, title: text("title"), body, seen: None, until })
    }

    /// Tells it from other questions; an agent may use an id twice.
    pub(super) fn id(&self) -> String {
        format!("{} {}", self.id, self.title)
    }

    /// How long it is there.
    pub(super) fn until(&self) -> Option<Instant> {
        self.until
    }

    pub(super) fn is_over(&self, now: Instant) -> bool {
        self.until.is_some_and(|until| now >= until)
    }

    /// What the user has typed and not sent, for when nobody waits for it any more.
    pub(super) fn unsent(self) -> Option<String> {
        let typed = match self.body {
            DialogBody::Input { field, .. } => field.text().to_owned(),
            DialogBody::Editor { editor, prefill } => {
                Some(editor.text()).filter(|it| *it != prefill)?
            }
            DialogBody::Select { .. } | DialogBody::Confirm { .. } => return None,
        };
        Some(typed).filter(|typed| !typed.is_empty())
    }

    /// Whether keys that page are its own.
    pub(crate) fn takes_pages(&self) -> bool {
        matches!(self.body, DialogBody::Editor { .. })
    }

    /// Hears a key, and gives the answer if it is one.
    pub(crate) fn press(&mut self, key: Key, keymap: &Keymap) -> Option<Object> {
        let takes_letters =
            matches!(self.body, DialogBody::Input { .. } | DialogBody::Editor { .. });
        let is_text = takes_letters && key.typed().is_some();
        let action = keymap.dialog.action(key).filter(|_| !is_text);
        if action == Some(DialogAction::Cancel) {
            return Some(cancelled(&self.id));
        }
        let is_stray = self.seen.is_none_or(|seen| seen.elapsed() < STRAY_KEYS);
        match &mut self.body {
            DialogBody::Select { .. } | DialogBody::Confirm { .. } if is_stray => None,
            DialogBody::Select { options, chosen } => {
                let last = options.len().checked_sub(1)?;
                match action? {
                    DialogAction::Up => *chosen = chosen.checked_sub(1).unwrap_or(last),
                    DialogAction::Down => *chosen = if *chosen == last { 0 } else { *chosen + 1 },
                    DialogAction::First => *chosen = 0,
                    DialogAction::Last => *chosen = last,
                    DialogAction::Accept => {
                        return Some(answer(&self.id).with("value", options[*chosen].clone()));
                    }
                    DialogAction::Cancel | DialogAction::Yes | DialogAction::No => {}
                }
                None
            }
            DialogBody::Confirm { .. } => {
                let confirmed = match action? {
                    DialogAction::Yes => true,
                    DialogAction::No => false,
                    _ => return None,
                };
                Some(answer(&self.id).with("confirmed", confirmed))
            }
            DialogBody::Input { field, .. } => {
                if keymap.input.is(key, InputAction::Submit) {
                    return Some(answer(&self.id).with("value", field.text()));
                }
                field.press(key, keymap);
                None
            }
            DialogBody::Editor { editor, .. } => match editor.press(key, keymap) {
                Pressed::Submit(text) => Some(answer(&self.id).with("value", text)),
                Pressed::Edited | Pressed::Older | Pressed::Newer => None,
            },
        }
    }

    /// Text was pasted.
    pub(crate) fn paste(&mut self, text: &str) {
        match &mut self.body {
            DialogBody::Input { field, .. } => field.insert(text),
            DialogBody::Editor { editor, .. } => editor.paste(text),
            DialogBody::Select { .. } | DialogBody::Confirm { .. } => {}
        }
    }

    /// Draws it over the lower part of the screen. `cancel` is what canceling it does.
    pub(crate) fn draw(
        &mut self,
        frame: &mut Frame<'_>,
        area: Rect,
        state: &AppState,
        cancel: &str,
    ) {
        let (theme, now) = (&state.theme, Instant::now());
        self.seen.get_or_insert(now);
        let width = usize::from(area.width.saturating_sub(4));
        let question = self.question(width, now);
        let keys = Line::of(&self.hints(&state.keymap, cancel), Tone::Dim).truncated(width);
        let wanted = match &self.body {
            DialogBody::Select { options, .. } => options.len() as u16,
            DialogBody::Confirm { .. } => 0,
            DialogBody::Input { .. } => 1,
            DialogBody::Editor { editor, .. } => editor.height(width as u16).max(3),
        };
        let rows = (question.len() as u16).saturating_add(wanted).saturating_add(3);
        let height = rows.min(area.height);
        let place = Rect { y: area.y + area.height - height, height, ..area };
        let block = Block::bordered().border_style(theme.accent).title(" Pi asks ");
        let inner = block.inner(place);
        let inner = Rect { x: inner.x + 1, width: inner.width.saturating_sub(2), ..inner };
        frame.render_widget(Clear, place);
        frame.render_widget(block, place);
        let [asked, body, help] = Layout::vertical([
            Constraint::Max(question.len() as u16),
            Constraint::Min(wanted.min(1)),
            Constraint::Length(1),
        ])
        .areas(inner);
        show(frame, asked, &question, theme);
        self.draw_body(frame, body, theme);
        show(frame, help, &[keys], theme);
    }

    fn draw_body(&mut self, frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
        match &mut self.body {
            DialogBody::Select { options, chosen } => {
                let height = usize::from(area.height).max(1);
                let first = (*chosen + 1).saturating_sub(height);
                let seen = options.iter().enumerate().skip(first).take(height);
                let rows: Vec<Line> = seen
                    .map(|(at, option)| {
                        let is_chosen = at == *chosen;
                        let (mark, tone) =
                            if is_chosen { ("› ", Tone::User) } else { ("  ", Tone::Plain) };
                        let text = pitree_host::shell::without_escapes(&option.to_text());
                        Line::of(mark, tone).with(&text, tone).truncated(area.width.into())
                    })
                    .collect();
                show(frame, area, &rows, theme);
            }
            DialogBody::Confirm { .. } => {}
            DialogBody::Input { field, placeholder } => {
                if field.is_empty() {
                    let line = Line::of("  ", Tone::Dim).with(placeholder, Tone::Dim);
                    show(frame, area, &[line.truncated(area.width.into())], theme);
                }
                // An empty field would wipe out the placeholder.
                let shown =
                    if field.is_empty() { Rect { width: 3.min(area.width), ..area } } else { area };
                field.view(frame, shown, Span::styled("› ", theme.user), true, theme);
            }
            DialogBody::Editor { editor, .. } => editor.view(frame, area, theme),
        }
    }

    /// What is asked, in rows.
    fn question(&self, width: usize, now: Instant) -> Vec<Line> {
        let mut rows = Vec::new();
        let mut add = |text: &str, look: Look| {
            for line in text.lines() {
                wrap(&Line::of(&untabbed(line), look), &Margin::default(), width, &mut rows);
            }
        };
        let title = match self.until {
            Some(until) => {
                let left = until.saturating_duration_since(now).as_secs_f64().ceil();
                format!("{} ({left} s)", self.title)
            }
            None => self.title.clone(),
        };
        add(&title, Look::bold(Tone::Plain));
        if let DialogBody::Confirm { message } = &self.body {
            add(message, Tone::Plain.into());
        }
        if rows.len() > MOST_QUESTION_ROWS {
            rows.truncate(MOST_QUESTION_ROWS - 1);
            rows.push(Line::of("…", Tone::Dim));
        }
        rows
    }

    fn hints(&self, keymap: &Keymap, cancel: &str) -> String {
        let dialog = |actions: &[DialogAction], does| (keymap.dialog.labels(actions), does);
        let submit = (keymap.input.labels(&[InputAction::Submit]), "done");
        let cancel = dialog(&[DialogAction::Cancel], cancel);
        let parts = match &self.body {
            DialogBody::Select { .. } => vec![
                dialog(&[DialogAction::Up, DialogAction::Down], "choose"),
                dialog(&[DialogAction::Accept], "take it"),
                cancel,
            ],
            DialogBody::Confirm { .. } => {
                vec![dialog(&[DialogAction::Yes], "yes"), dialog(&[DialogAction::No], "no"), cancel]
            }
            DialogBody::Input { .. } => vec![submit, cancel],
            DialogBody::Editor { .. } => {
                let line = (keymap.input.labels(&[InputAction::NewLine]), "a new line");
                vec![submit, line, cancel]
            }
        };
        hints(&parts)
    }
}

fn answer(id: &Value) -> Object {
    Object::new().with("type", "extension_ui_response").with("id", id.clone())
}

/// The answer of a user who wants none of it.
pub(super) fn cancelled(id: &Value) -> Object {
    answer(id).with("cancelled", true)
}
