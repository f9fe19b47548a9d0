//! How the fork list is drawn: the messages, and below them all of the selected one.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Paragraph, Wrap};

use super::screen::ForkScreen;
use crate::keymap::{ForkAction, GlobalAction, Keymap, hints};
use crate::sheet::{draw_hints, draw_rule};
use crate::state::AppState;
use crate::text;
use crate::theme::Theme;

const WORDS: &str = "A new session that ends before the message, to edit and resend it";

fn key_hints(keymap: &Keymap) -> String {
    let fork = |actions: &[ForkAction], does| (keymap.fork.labels(actions), does);
    hints(&[
        fork(&[ForkAction::Up, ForkAction::Down], "move"),
        fork(&[ForkAction::PageUp, ForkAction::PageDown], "page"),
        fork(&[ForkAction::Fork], "fork"),
        fork(&[ForkAction::Clone], "clone the branch"),
        fork(&[ForkAction::Close], "close"),
        (keymap.global.labels(&[GlobalAction::Help]), "keys"),
    ])
}

impl ForkScreen {
    pub(super) fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, state: &AppState) {
        let theme = &state.theme;
        let [title, hints, border, rows, status, below, preview] = Layout::vertical([
            Constraint::Length(1),
            Constraint::Length(1),
            Constraint::Length(1),
            Constraint::Fill(3),
            Constraint::Length(1),
            Constraint::Length(1),
            Constraint::Fill(2),
        ])
        .areas(area);
        let heading = Span::styled("  Fork  ", theme.strong);
        let room = usize::from(title.width).saturating_sub(heading.width());
        let words = Span::styled(text::cut(WORDS, room).into_owned(), theme.dim);
        frame.render_widget(Paragraph::new(Line::from_iter([heading, words])), title);
        draw_hints(frame, hints, &key_hints(&state.keymap), theme);
        draw_rule(frame, border, theme);
        draw_rule(frame, below, theme);
        self.draw_rows(frame, rows, theme);
        self.draw_status(frame, status, theme);
        if let Some(message) = self.list.selected() {
            // A tab is no character that a cell can hold.
            let whole = message.text.replace('\t', "    ");
            let whole = Paragraph::new(whole).wrap(Wrap { trim: false }).style(theme.text);
            frame.render_widget(whole, preview);
        }
    }

    fn draw_rows(&mut self, frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
        (self.height, self.rows_area) = (usize::from(area.height).max(1), area);
        if self.list.messages().is_empty() {
            let words = if self.is_reading() { "  Reading…" } else { "  No user messages" };
            frame.render_widget(Span::styled(words, theme.dim), area);
            return;
        }
        let room = usize::from(area.width).saturating_sub(4);
        let lines = self.list.window(self.height).map(|at| {
            let message = &self.list.messages()[at];
            let is_selected = at == self.list.at();
            let cursor = Span::styled(if is_selected { "› " } else { "  " }, theme.accent);
            let mark = Span::styled(if message.is_active { "• " } else { "  " }, theme.accent);
            let words = Span::styled(text::fit(&message.text, room), theme.text);
            let line = Line::from_iter([cursor, mark, words]);
            if is_selected { theme.select(line) } else { line }
        });
        frame.render_widget(Paragraph::new(lines.collect::<Vec<_>>()), area);
    }

    fn draw_status(&self, frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
        let count = self.list.messages().len();
        let place = if count == 0 { 0 } else { self.list.at() + 1 };
        let status = Span::styled(format!("  Message {place} of {count}"), theme.dim);
        let room = usize::from(area.width).saturating_sub(status.width() + 2);
        let message = match &self.message {
            _ if self.is_making() => Some(("Making the new session…", theme.dim)),
            message => message.as_deref().map(|words| (words, theme.error)),
        };
        let message = message
            .map(|(words, style)| Span::styled(format!("  {}", text::cut(words, room)), style));
        let line = Line::from_iter([Some(status), message].into_iter().flatten());
        frame.render_widget(Paragraph::new(line), area);
    }
}
