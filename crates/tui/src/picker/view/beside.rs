//! The preview: what is known of the selected session, the shape of its tree, its last messages.

use std::path::Path;

use pitree_export::numbers::{count, minute_on_clock};
use pitree_store::{SessionFacts, ShortIds};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Padding, Paragraph};

use super::super::Picker;
use super::super::preview::{PreviewRow, Speaker};
use crate::state::AppState;
use crate::text;
use crate::theme::Theme;

/// Draws the preview beside the list, or with less in it below the list.
pub(super) fn draw(
    picker: &mut Picker,
    frame: &mut Frame<'_>,
    area: Rect,
    beside: bool,
    state: &AppState,
) {
    let theme = &state.theme;
    let (borders, padding) = if beside {
        (Borders::LEFT, Padding::horizontal(1))
    } else {
        (Borders::TOP, Padding::ZERO)
    };
    let block = Block::new().borders(borders).padding(padding).border_style(theme.border);
    let inner = block.inner(area);
    frame.render_widget(block, area);
    let Some(facts) = picker.list.selected() else { return };
    let mut lines = facts_lines(facts, &picker.ids, beside, state);
    let preview = &picker.preview;
    if preview.path == facts.path {
        if beside && preview.shape.len() > 1 {
            let shape = preview.shape.iter();
            lines.extend(shape.map(|line| Line::styled(line.clone(), theme.border)));
        }
        if let Some(problem) = &preview.problem {
            lines.push(Line::styled(text::line(problem).into_owned(), theme.error));
        }
    }
    let used = u16::try_from(lines.len()).unwrap_or(u16::MAX).min(inner.height);
    let (facts_area, rest) = (Rect { height: used, ..inner }, inner.height - used);
    let width = usize::from(inner.width);
    let fitted = lines.iter().map(|line| fit_line(line, width)).collect::<Vec<_>>();
    frame.render_widget(Paragraph::new(fitted), facts_area);
    let messages_area = Rect { y: inner.y + used, height: rest, ..inner };
    if preview.path == facts.path {
        draw_messages(picker, frame, messages_area, theme);
    }
}

fn facts_lines(
    facts: &SessionFacts,
    ids: &ShortIds,
    beside: bool,
    state: &AppState,
) -> Vec<Line<'static>> {
    let theme = &state.theme;
    let title = super::title_of(facts);
    let (numbers, models) = (numbers(facts), models(facts));
    let dim = |words: String| Line::styled(text::line(&words).into_owned(), theme.dim);
    if !beside {
        return vec![dim(format!("{} · {numbers}{models}", ids.short(&facts.id)))];
    }
    let path = state.display(&facts.path);
    let mut lines = vec![
        Line::styled(text::fit(&title, 400), theme.strong),
        dim(path),
        dim(format!("in {}", state.display(Path::new(&*facts.cwd)))),
    ];
    let moment = |time| minute_on_clock(state.environment.local_ms(time));
    let created = facts.created_ms.map(|time| format!("started {} · ", moment(time)));
    let changed = moment(facts.last_used_ms());
    lines.push(dim(format!("{}last activity {changed}", created.unwrap_or_default())));
    lines.push(dim(format!("{numbers}{models}")));
    lines
}

/// The shape of the tree, and what went wrong, in numbers.
fn numbers(facts: &SessionFacts) -> String {
    let branches = if facts.branches > 1 { facts.branches } else { 0 };
    let mut words = count(facts.entries, "entry", "entries");
    for (number, one, many) in [
        (branches, "branch", "branches"),
        (facts.compactions, "compaction", "compactions"),
        (facts.subagents, "sub-agent", "sub-agents"),
        (facts.errors, "error", "errors"),
        (facts.damaged_lines, "damaged line", "damaged lines"),
    ] {
        if number > 0 {
            words.push_str(&format!(" · {}", count(number, one, many)));
        }
    }
    if let Some(cost) = facts.spend.known_cost() {
        words.push_str(&format!(" · ${cost:.2}"));
    }
    words
}

/// The models, the one that answered most first.
fn models(facts: &SessionFacts) -> String {
    let mut models: Vec<_> = facts.models.iter().collect();
    models.sort_by_key(|model| std::cmp::Reverse(model.answers));
    let Some(first) = models.first().filter(|first| !first.model.is_empty()) else {
        return String::new();
    };
    let more = match models.len() {
        1 => String::new(),
        count => format!(" +{}", count - 1),
    };
    format!(" · {}{more}", first.model)
}

fn fit_line(line: &Line<'_>, width: usize) -> Line<'static> {
    let style = line.style;
    let words: String = line.spans.iter().map(|span| span.content.as_ref()).collect();
    Line::styled(text::cut(&words, width).into_owned(), style)
}

/// The rows around the hit, else the last ones; scrolled as far as there is something to see.
fn draw_messages(picker: &mut Picker, frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
    let (hit, query) = (picker.preview.hit, picker.list.query());
    let messages = &picker.preview.messages;
    let styles: Vec<Style> =
        messages.iter().map(|(speaker, _)| style_of(*speaker, theme)).collect();
    let rows = picker.preview.rows(area.width.into());
    // What is typed now, which may be more than when the preview was asked for.
    let marks = |row: &PreviewRow| query.map(|it| it.marks_in(&row.text)).unwrap_or_default();
    let is_of_hit = |row: &PreviewRow| Some(row.message) == hit;
    // The first row with something that was found, in the message that matches best.
    let found = rows.iter().position(|row| is_of_hit(row) && !marks(row).is_empty());
    let found = found.or_else(|| rows.iter().position(is_of_hit));
    let height = usize::from(area.height);
    let last = rows.len().saturating_sub(height);
    let usual = found.map_or(last, |row| row.saturating_sub(height / 3)).min(last);
    let top = usual.saturating_add_signed(picker.preview_scroll).min(last);
    // Keys beyond an end are not remembered.
    picker.preview_scroll = top as isize - usual as isize;
    let seen = rows.iter().skip(top).take(height).map(|row| {
        let mut spans = vec![Span::styled(row.who.as_str(), styles[row.message])];
        let mut done = 0;
        for mark in marks(row) {
            spans.push(Span::styled(&row.text[done..mark.start], theme.text));
            spans.push(Span::styled(&row.text[mark.clone()], theme.found));
            done = mark.end;
        }
        spans.push(Span::styled(&row.text[done..], theme.text));
        Line::from(spans)
    });
    frame.render_widget(Paragraph::new(seen.collect::<Vec<Line<'_>>>()), area);
}

fn style_of(speaker: Speaker, theme: &Theme) -> Style {
    match speaker {
        Speaker::User => theme.user,
        Speaker::Assistant => theme.good,
        Speaker::Summary => theme.summary,
        Speaker::Tool => theme.tool,
    }
}
