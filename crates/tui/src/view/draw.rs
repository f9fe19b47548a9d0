//! How the view is drawn.

use std::time::Instant;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};

use super::numbers;
use super::{Question, SessionView};
use crate::confirm;
use crate::desk::Desk;
use crate::keymap::{Keymap, ViewAction};
use crate::rich::{Line, LineEnds, Look, Margin, Tone, render_markdown, show, untabbed, wrap};
use crate::text;

/// How many completions are seen at once.
const MOST_CHOICES: usize = 8;
/// How many rows of a running command's output are seen.
const TAIL_ROWS: usize = 5;
/// So many rows for one line of what the user is told.
const MOST_NOTICE_ROWS: usize = 4;

impl SessionView {
    pub(super) fn draw(&mut self, frame: &mut Frame<'_>, area: Rect, desk: &Desk) {
        let width = usize::from(area.width);
        let below = self.below(width, &desk.keymap);
        let under = self.attached.as_ref().map(|attached| attached.panel.rows_below());
        let under: Vec<Line> =
            under.unwrap_or_default().iter().map(|row| row.truncated(width)).collect();
        let editor_height = self.editor.height(area.width.saturating_sub(2));
        let [conversation, messages, separator, editor, panel, footer] = Layout::vertical([
            Constraint::Min(1),
            Constraint::Length(below.len() as u16),
            Constraint::Length(1),
            Constraint::Length(editor_height),
            Constraint::Length(under.len() as u16),
            Constraint::Length(2),
        ])
        .areas(area);
        if let Some(session) = desk.session() {
            let height = usize::from(conversation.height);
            let mut rows = self.conversation.rows(session, width, height);
            if self.conversation.is_at_end() {
                rows.extend(self.words(width));
                rows.drain(..rows.len().saturating_sub(height));
            }
            self.rows = rows;
        }
        show(frame, conversation, &self.rows, &desk.theme);
        show(frame, messages, &below, &desk.theme);
        show(frame, separator, &[self.separator(width, &desk.keymap)], &desk.theme);
        let [prompt, text] =
            Layout::horizontal([Constraint::Length(2), Constraint::Min(1)]).areas(editor);
        show(frame, prompt, &[Line::of("› ", Look::bold(Tone::User))], &desk.theme);
        self.editor.view(frame, text, &desk.theme);
        show(frame, panel, &under, &desk.theme);
        show(frame, footer, &self.footer.rows(width), &desk.theme);
        if let Some(dialog) = self.dialog() {
            dialog.draw(frame, area, desk, Instant::now());
        }
    }

    /// What an agent is saying just now.
    fn words(&self, width: usize) -> Vec<Line> {
        let words = self.attached.as_ref().map_or("", |attached| attached.words.trim());
        let mut rows = render_markdown(words, LineEnds::Spaces, width);
        if !rows.is_empty() {
            rows.insert(0, Line::default());
        }
        rows
    }

    /// What stands between the conversation and the editor.
    fn below(&self, width: usize, keymap: &Keymap) -> Vec<Line> {
        let mut rows = Vec::new();
        if let Some(work) = &self.work {
            rows.extend(tail(&work.tail));
            let stop = keymap.view.label(ViewAction::Interrupt);
            let how =
                if work.can_stop() { format!("…  {stop} stops it") } else { "…".to_owned() };
            rows.push(Line::of(&work.what, Tone::Notice).with(&how, Tone::Dim));
        }
        if let Some(attached) = &self.attached {
            rows.extend(attached.panel.rows_above());
            let waiting = attached.waiting.iter();
            rows.extend(waiting.map(|text| Line::of(&format!("waits: {text}"), Tone::Dim)));
        }
        if let Some(busy) = self.attached.as_ref().and_then(|attached| attached.busy.as_ref()) {
            rows.extend(tail(&busy.tail));
            rows.push(Line::of(busy.words(), Tone::Notice).with(&busy.hint(keymap), Tone::Dim));
        }
        if let Some(notice) = &self.notice {
            for line in notice.lines() {
                // An error may begin with a long path, and say at its end what is wrong with it.
                let line = Line::of(line, notice.tone()).truncated(width * MOST_NOTICE_ROWS);
                wrap(&line, &Margin::default(), width, &mut rows);
            }
        }
        if let Some(question) = &self.question {
            wrap(&question.line(keymap), &Margin::default(), width, &mut rows);
        }
        rows.extend(self.choices());
        rows.iter().map(|row| row.truncated(width)).collect()
    }

    /// The commands that what is typed could become.
    fn choices(&self) -> Vec<Line> {
        if !self.is_choosing() {
            return Vec::new();
        }
        let entries = self.offers();
        let first = (self.choice + 1).saturating_sub(MOST_CHOICES);
        let seen = entries.iter().enumerate().skip(first).take(MOST_CHOICES);
        seen.map(|(at, entry)| {
            let (mark, tone) =
                if at == self.choice { ("› ", Tone::User) } else { ("  ", Tone::Plain) };
            let usage = format!("/{} {}", entry.name, entry.takes);
            Line::of(mark, tone).with(&format!("{usage:<24}"), tone).with(&entry.does, Tone::Dim)
        })
        .collect()
    }

    fn separator(&self, width: usize, keymap: &Keymap) -> Line {
        let rule = |text: &str| {
            let rest = width.saturating_sub(text::width(text));
            Line::of(&format!("{text}{}", "─".repeat(rest)), Tone::Dim)
        };
        if self.conversation.is_at_end() {
            let title = self.attached.as_ref().and_then(|attached| attached.panel.title());
            let title = title.map(|title| format!("── {} ", text::fit(title, width / 2)));
            return rule(&title.unwrap_or_default());
        }
        let below = numbers::count(self.conversation.entries_below());
        let end = keymap.view.label(ViewAction::Bottom);
        rule(&format!("── {below} entries from here to the end, {end} "))
    }
}

impl Question {
    fn line(&self, keymap: &Keymap) -> Line {
        let answers = format!("  {}", confirm::hint(keymap));
        Line::of(&self.words(), Tone::Bad).with(&answers, Tone::Dim)
    }
}

/// The end of what a command has written.
fn tail(text: &str) -> impl Iterator<Item = Line> {
    let rows: Vec<&str> = text.trim_end().lines().rev().take(TAIL_ROWS).collect();
    rows.into_iter().rev().map(|line| Line::of("  │ ", Tone::Dim).with(&untabbed(line), Tone::Dim))
}
