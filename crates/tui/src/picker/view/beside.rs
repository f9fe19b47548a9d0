//! The preview: what is known of the selected session, the shape of its tree, its last messages.

use std::path::Path;

use pitree_format::js::date::format_iso;
use pitree_store::{SessionFacts, ShortIds};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Padding, Paragraph, Wrap};

use super::super::Picker;
use super::super::preview::Speaker;
use crate::state::AppState;
use crate::text;
use crate::theme::Theme;

/// Draws the preview beside the list, or with less in it below the list.
pub(super) fn draw(
    picker: &Picker,
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
        draw_messages(&preview.messages, frame, messages_area, theme);
    }
}

fn facts_lines(
    facts: &SessionFacts,
    ids: &ShortIds,
    beside: bool,
    state: &AppState,
) -> Vec<Line<'static>> {
    let theme = &state.theme;
    let title = facts.name.as_ref().or(facts.first_message.as_ref());
    let title = title.map(|title| title.to_text().into_owned()).unwrap_or_default();
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
    let moment = |time| moment(state.environment.local_ms(time));
    let created = facts.created_ms.map(|time| format!("begun {} · ", moment(time)));
    let changed = moment(facts.modified_ms);
    lines.push(dim(format!("{}last word {changed}", created.unwrap_or_default())));
    lines.push(dim(format!("{numbers}{models}")));
    lines
}

/// The shape of the tree, and what went wrong, in numbers.
fn numbers(facts: &SessionFacts) -> String {
    let count = |number: usize, one: &str, many: &str| match number {
        0 => String::new(),
        1 => format!(" · 1 {one}"),
        _ => format!(" · {number} {many}"),
    };
    let branches = if facts.branches > 1 { facts.branches } else { 0 };
    let mut words = match facts.entries {
        1 => "1 entry".to_owned(),
        entries => format!("{entries} entries"),
    };
    for part in [
        count(branches, "branch", "branches"),
        count(facts.compactions, "compaction", "compactions"),
        count(facts.subagents, "sub-agent", "sub-agents"),
        count(facts.errors, "error", "errors"),
        count(facts.damaged_lines, "damaged line", "damaged lines"),
    ] {
        words.push_str(&part);
    }
    if facts.spend.count > facts.spend.unknown_costs {
        words.push_str(&format!(" · ${:.2}", facts.spend.cost));
    }
    words
}

/// The models, the one that answered most first.
fn models(facts: &SessionFacts) -> String {
    let mut models: Vec<_> = facts.models.iter().collect();
    models.sort_by_key(|model| std::cmp::Reverse(model.answers));
    let Some(first) = models.first() else { return String::new() };
    let more = match models.len() {
        1 => String::new(),
        count => format!(" +{}", count - 1),
    };
    format!(" · {}{more}", first.model)
}

fn moment(local_ms: i64) -> String {
    format_iso(local_ms).get(..16).unwrap_or_default().replace('T', " ")
}

fn fit_line(line: &Line<'_>, width: usize) -> Line<'static> {
    let style = line.style;
    let words: String = line.spans.iter().map(|span| span.content.as_ref()).collect();
    Line::styled(text::cut(&words, width).into_owned(), style)
}

/// The last messages; the very last one is seen in any case.
fn draw_messages(messages: &[(Speaker, String)], frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
    let mut lines: Vec<Line<'_>> = Vec::new();
    for (speaker, said) in messages {
        let (name, style) = match speaker {
            Speaker::User => ("you", theme.user),
            Speaker::Assistant => ("pi", theme.good),
            Speaker::Summary => ("summary", theme.summary),
        };
        let said = text::block(said).replace('\t', "  ");
        for (at, line) in said.lines().filter(|line| !line.trim().is_empty()).enumerate() {
            let who = if at == 0 { format!("{name}: ") } else { "  ".to_owned() };
            let line = Span::styled(line.to_owned(), theme.text);
            lines.push(Line::from_iter([Span::styled(who, style), line]));
        }
    }
    let width = usize::from(area.width).max(1);
    let mut room = usize::from(area.height);
    let first = lines.iter().rposition(|line| {
        let high = line.width().div_ceil(width).max(1);
        let fits = high <= room;
        room = room.saturating_sub(high);
        !fits
    });
    let shown = lines.split_off(first.map_or(0, |at| (at + 1).min(lines.len().saturating_sub(1))));
    frame.render_widget(Paragraph::new(shown).wrap(Wrap { trim: false }), area);
}
