//! How the tree navigator is drawn.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::line::{Ink, TreeLine, lines};
use super::screen::{TreeMode, TreeScreen};
use super::words::RowTone;
use crate::confirm;
use crate::field::Field;
use crate::keymap::{DialogAction, GlobalAction, InputAction, Keymap, TreeKey, hints};
use crate::migration;
use crate::rich;
use crate::sheet::{draw_hints, draw_rule};
use crate::state::AppState;
use crate::text;
use crate::theme::Theme;

const ASK: &str = "Summarize the branch you leave?";
/// The columns before a text that is typed.
const MARGIN: u16 = 2;

fn key_hints(keymap: &Keymap, is_read_only: bool) -> String {
    let tree = |actions: &[TreeKey], does| (keymap.tree.labels(actions), does);
    let (go, other) = match is_read_only {
        true => ("read", tree(&[TreeKey::NextLabel], "next label")),
        false => ("go", tree(&[TreeKey::EditLabel], "label")),
    };
    hints(&[
        tree(&[TreeKey::Up, TreeKey::Down], "move"),
        tree(&[TreeKey::PageUp, TreeKey::PageDown], "page"),
        tree(&[TreeKey::FoldOrUp], "fold"),
        tree(&[TreeKey::Go], go),
        other,
        tree(&[TreeKey::NextFilter], "filter"),
        (keymap.global.labels(&[GlobalAction::Help]), "keys"),
    ])
}

fn choice_hints(keymap: &Keymap) -> String {
    let dialog = |actions: &[DialogAction], does| (keymap.dialog.labels(actions), does);
    hints(&[
        dialog(&[DialogAction::Up, DialogAction::Down], "choose"),
        dialog(&[DialogAction::Accept], ""),
        dialog(&[DialogAction::Cancel], "back"),
    ])
}

fn text_hints(keymap: &Keymap) -> String {
    hints(&[
        (keymap.input.labels(&[InputAction::Submit]), "go"),
        (keymap.input.labels(&[InputAction::NewLine]), "or \\ and Enter: a new line"),
        (keymap.dialog.labels(&[DialogAction::Cancel]), "back"),
    ])
}

fn field_hints(keymap: &Keymap) -> String {
    hints(&[
        (keymap.input.labels(&[InputAction::Submit]), "save"),
        (keymap.dialog.labels(&[DialogAction::Cancel]), "cancel"),
    ])
}

impl TreeScreen {
    pub(super) fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, state: &AppState) {
        let dialog_rows = self.dialog_rows(area.width);
        let [title, hints, search, border, rows, status, dialog] = Layout::vertical([
            Constraint::Length(1),
            Constraint::Length(1),
            Constraint::Length(1),
            Constraint::Length(1),
            Constraint::Min(1),
            Constraint::Length(1),
            Constraint::Length(dialog_rows),
        ])
        .areas(area);
        let theme = &state.theme;
        self.draw_title(frame, title, state);
        draw_hints(frame, hints, &key_hints(&state.keymap, self.is_read_only), theme);
        let prompt = Span::styled("  Type to search: ", theme.dim);
        let room = usize::from(search.width).saturating_sub(prompt.width());
        let query = text::line(self.model.query());
        let query = Span::styled(text::cut_start(&query, room).into_owned(), theme.accent);
        frame.render_widget(Paragraph::new(Line::from_iter([prompt, query])), search);
        draw_rule(frame, border, theme);
        let (rows, preview) = self.preview_area(rows);
        self.draw_rows(frame, rows, state);
        self.draw_preview(frame, preview, state);
        self.draw_status(frame, status, theme);
        self.draw_dialog(frame, dialog, state);
    }

    fn draw_title(&self, frame: &mut Frame<'_>, area: Rect, state: &AppState) {
        let name = state.session().map(|session| {
            let name = session.name().ok().flatten().map(|name| name.to_string());
            name.or_else(|| session.path().map(|path| state.display(path))).unwrap_or_default()
        });
        let title = Span::styled("  Session tree  ", state.theme.strong);
        let room = usize::from(area.width).saturating_sub(title.width());
        let name = text::cut_start(&text::line(&name.unwrap_or_default()), room).into_owned();
        let line = Line::from_iter([title, Span::styled(name, state.theme.dim)]);
        // Not the line itself: that would draw letters without a width too.
        frame.render_widget(Paragraph::new(line), area);
    }

    fn draw_rows(&mut self, frame: &mut Frame<'_>, area: Rect, state: &AppState) {
        self.height = usize::from(area.height).max(1);
        let Some(session) = state.session() else { return };
        if self.model.rows().is_empty() {
            frame.render_widget(Span::styled("  No entries found", state.theme.dim), area);
            return;
        }
        self.rows_area = area;
        let size = (usize::from(area.width), self.height);
        let lines = lines(&mut self.model, session, size);
        let text = |line: &TreeLine| line.parts.iter().map(|(_, part)| part.as_str()).collect();
        self.drawn = lines.iter().map(text).collect();
        let lines: Vec<Line<'_>> =
            lines.into_iter().map(|line| drawn(line, &state.theme)).collect();
        frame.render_widget(Paragraph::new(lines), area);
    }

    fn draw_status(&self, frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
        let reading = if self.reading.goes_on() { "  reading…" } else { "" };
        let status = Span::styled(format!("  {}{reading}", self.model.status()), theme.dim);
        let room = usize::from(area.width).saturating_sub(status.width() + 2);
        let message = self.message.as_ref().map(|(words, is_bad)| {
            let style = if *is_bad { theme.error } else { theme.accent };
            // What is wrong stands at the end of an error, often behind a long path.
            let words = if *is_bad { text::cut_start(words, room) } else { text::cut(words, room) };
            Span::styled(format!("  {words}"), style)
        });
        let line = Line::from_iter([Some(status), message].into_iter().flatten());
        frame.render_widget(Paragraph::new(line), area);
    }

    fn dialog_rows(&self, width: u16) -> u16 {
        match &self.mode {
            TreeMode::Browse => 0,
            TreeMode::Wait(_) => 1,
            TreeMode::Label { .. } => 2,
            TreeMode::Compose { editor, .. } => editor.height(width.saturating_sub(MARGIN)) + 2,
            TreeMode::Ask { choices, .. } => choices.len() as u16 + 2,
            TreeMode::Migrate { version, .. } => migrate_rows(*version, width).len() as u16 + 1,
        }
    }

    fn draw_dialog(&mut self, frame: &mut Frame<'_>, area: Rect, state: &AppState) {
        let (theme, keymap) = (&state.theme, &state.keymap);
        match &mut self.mode {
            TreeMode::Browse => {}
            TreeMode::Wait(running) => {
                let stop = keymap.dialog.label(DialogAction::Cancel);
                let words = format!("  {} · {stop} stops it", running.words());
                frame.render_widget(Span::styled(words, theme.accent), area);
            }
            TreeMode::Label { field, .. } => {
                draw_field(frame, area, "Label (empty to remove)", field, state);
            }
            TreeMode::Compose { choice, editor, .. } => {
                let [question, text, hints] = Layout::vertical([
                    Constraint::Length(1),
                    Constraint::Min(1),
                    Constraint::Length(1),
                ])
                .areas(area);
                let prompt = choice.prompt().unwrap_or_default();
                frame.render_widget(Span::styled(format!("  {prompt}"), theme.strong), question);
                let text = Rect {
                    x: text.x + MARGIN.min(text.width),
                    width: text.width.saturating_sub(MARGIN),
                    ..text
                };
                editor.view(frame, text, theme);
                let keys = text_hints(keymap);
                frame.render_widget(Span::styled(format!("  {keys}"), theme.dim), hints);
            }
            TreeMode::Migrate { version, .. } => {
                let rows = migrate_rows(*version, area.width);
                let margin = rich::Line::of("  ", rich::Tone::Plain);
                let rows = rows.iter().map(|row| margin.clone().followed_by(row));
                let rows = rows.map(|row| rich::painted(&row, theme));
                let hints = Line::styled(format!("  {}", confirm::hint(keymap)), theme.dim);
                let lines: Vec<Line<'_>> = rows.chain([hints]).collect();
                frame.render_widget(Paragraph::new(lines), area);
            }
            TreeMode::Ask { choices, at, .. } => {
                let mut lines = vec![Line::styled(format!("  {ASK}"), theme.strong)];
                lines.extend(choices.iter().enumerate().map(|(index, choice)| {
                    let (cursor, style) =
                        if index == *at { ("› ", theme.selected) } else { ("  ", theme.text) };
                    Line::styled(format!("  {cursor}{}", choice.words()), style)
                }));
                lines.push(Line::styled(format!("  {}", choice_hints(keymap)), theme.dim));
                frame.render_widget(Paragraph::new(lines), area);
            }
        }
    }
}

/// The question about a file of an old version, in rows.
fn migrate_rows(version: u8, width: u16) -> Vec<rich::Line> {
    let mut rows = Vec::new();
    let question = rich::Line::of(&migration::question(version), rich::Tone::Bad);
    let margin = rich::Margin::default();
    rich::wrap(&question, &margin, usize::from(width.saturating_sub(MARGIN)), &mut rows);
    rows
}

fn draw_field(frame: &mut Frame<'_>, area: Rect, words: &str, field: &Field, state: &AppState) {
    let theme = &state.theme;
    let [line, hints] =
        Layout::vertical([Constraint::Length(1), Constraint::Length(1)]).areas(area);
    let prompt = Span::styled(format!("  {words}: "), theme.accent);
    field.view(frame, line, prompt, true, theme);
    let keys = field_hints(&state.keymap);
    frame.render_widget(Span::styled(format!("  {keys}"), theme.dim), hints);
}

fn drawn(line: TreeLine, theme: &Theme) -> Line<'static> {
    let cursor = if line.is_selected { "› " } else { "  " };
    let parts = line.parts.into_iter().map(|(ink, part)| Span::styled(part, style(ink, theme)));
    let spans = std::iter::once(Span::styled(cursor, theme.accent)).chain(parts);
    let drawn = Line::from_iter(spans);
    if line.is_selected { theme.select(drawn) } else { drawn }
}

fn style(ink: Ink, theme: &Theme) -> Style {
    match ink {
        Ink::Lane(lane) => theme.lanes[lane % theme.lanes.len()],
        Ink::LabelTime => theme.dim,
        Ink::Mark => theme.accent,
        Ink::Label => theme.named,
        Ink::Words(tone) => match tone {
            RowTone::Plain => theme.text,
            RowTone::User => theme.user,
            RowTone::Assistant => theme.good,
            RowTone::Muted => theme.tool,
            RowTone::Dim => theme.dim,
            RowTone::Error => theme.error,
            RowTone::Warning => theme.warning,
            RowTone::Extension | RowTone::Compaction => theme.summary,
        },
    }
}
