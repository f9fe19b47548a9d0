//! How the picker looks.

use std::path::Path;

use pitree_export::numbers::age;
use pitree_store::search::SessionMatch;
use pitree_store::{Scope, SessionFacts};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use super::mouse::PickerAreas;
use super::rows::SessionRow;
use super::runs::RunFacts;
use super::{PickedFor, Picker, PickerMode, PickerNotice};
use crate::keymap::{DialogAction, GlobalAction, HINT_SEPARATOR, Keymap, PickerAction, hints};
use crate::state::AppState;
use crate::text;
use crate::theme::Theme;

mod beside;

/// From this width on the preview stands beside the list, else below it.
const WIDE: u16 = 120;

/// From this height on there is room for a preview below the list.
const HIGH: u16 = 20;

/// So many lines the preview below the list has.
const BELOW: u16 = 8;

/// So wide is what stands before a row: whether it is selected, and marked.
const CURSOR_COLUMNS: usize = 2;

/// The bottom takes no more lines than these.
const MOST_FOOT: usize = 4;

pub(super) fn draw(picker: &mut Picker, frame: &mut Frame<'_>, area: Rect, state: &AppState) {
    let parts = [Constraint::Length(1), Constraint::Length(1), Constraint::Min(1)];
    let [head, field, rest] = Layout::vertical(parts).areas(area);
    let (foot_words, foot_style) = foot_words(picker, state);
    let mut foot_lines = foot_lines(&text::line(&foot_words), area.width.into());
    foot_lines.truncate(MOST_FOOT);
    let foot_height = Constraint::Length(u16::try_from(foot_lines.len()).unwrap_or(1));
    let [rest, foot] = Layout::vertical([Constraint::Min(0), foot_height]).areas(rest);
    frame.render_widget(Paragraph::new(head_line(picker, head.width, state)), head);
    draw_field(picker, frame, field, &state.theme);
    let is_wide = rest.width >= WIDE;
    let [list, preview] = if is_wide {
        let sides = [Constraint::Percentage(58), Constraint::Fill(1)];
        Layout::horizontal(sides).spacing(1).areas(rest)
    } else {
        let below = if area.height >= HIGH { BELOW } else { 0 };
        Layout::vertical([Constraint::Min(1), Constraint::Length(below)]).areas(rest)
    };
    picker.areas = PickerAreas { field, list, preview };
    draw_list(picker, frame, list, state);
    if !preview.is_empty() {
        beside::draw(picker, frame, preview, is_wide, state);
    }
    if let PickerMode::Rename(paths, field) = &picker.mode {
        let prompt = match paths.len() {
            1 => "Name: ".to_owned(),
            2 => "New name (1 and 2 will be added): ".to_owned(),
            count => format!("New name (1 to {count} will be added): "),
        };
        return field.view(
            frame,
            foot,
            Span::styled(prompt, state.theme.accent),
            true,
            &state.theme,
        );
    }
    let foot_lines = foot_lines.into_iter().map(|line| Line::styled(line, foot_style));
    frame.render_widget(Paragraph::new(foot_lines.collect::<Vec<_>>()), foot);
}

fn head_line(picker: &Picker, width: u16, state: &AppState) -> Line<'static> {
    let theme = &state.theme;
    let title = match picker.picked_for {
        PickedFor::Reading => "Sessions  ",
        PickedFor::Resuming => "Resume a session  ",
    };
    let mut spans = vec![Span::styled(title, theme.strong)];
    for (scope, name) in [
        (Scope::Directory, "this directory"),
        (Scope::Repository, "repository"),
        (Scope::All, "all"),
    ] {
        if scope == Scope::Repository && !picker.has_repository {
            continue;
        }
        let (text, style) = if scope == picker.scope {
            (format!("[{name}] "), theme.accent)
        } else {
            (format!(" {name}  "), theme.dim)
        };
        spans.push(Span::styled(text, style));
    }
    let mut right = String::new();
    match picker.list.marked().len() {
        0 => {}
        count => right.push_str(&format!("{count} marked · ")),
    }
    right.push_str(picker.list.sort().name());
    if picker.list.is_named_only() {
        right.push_str(" · named only");
    }
    right.push_str(&match (picker.is_loading, picker.progress) {
        (true, Some((done, total))) => format!(" · loading {done}/{total}"),
        (true, None) => " · loading".to_owned(),
        (false, _) => {
            let (at, count) = picker.list.place();
            let others = match picker.list.left_out {
                0 => String::new(),
                1 => " · 1 file is not a session".to_owned(),
                others => format!(" · {others} files are not sessions"),
            };
            let searching = if picker.searches_running > 0 { " · searching" } else { "" };
            format!("{searching} · {at}/{count}{others}")
        }
    });
    let used: usize = spans.iter().map(Span::width).sum();
    let room = usize::from(width).saturating_sub(used + text::width(&right));
    spans.push(Span::raw(" ".repeat(room)));
    spans.push(Span::styled(right, theme.dim));
    Line::from(spans)
}

fn draw_field(picker: &Picker, frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
    let focused = matches!(picker.mode, PickerMode::Search);
    if !focused && picker.field.is_empty() {
        let words = "/ to search names, messages and tool output";
        frame.render_widget(Paragraph::new(Span::styled(words, theme.dim)), area);
        return;
    }
    let style = if focused { theme.accent } else { theme.dim };
    picker.field.view(frame, area, Span::styled("/ ", style), focused, theme);
}

fn draw_list(picker: &mut Picker, frame: &mut Frame<'_>, area: Rect, state: &AppState) {
    if picker.list.is_empty() {
        let words = empty_words(picker);
        frame.render_widget(Paragraph::new(Span::styled(words, state.theme.dim)), area);
        return;
    }
    let (scope, show_paths) = (picker.scope, picker.show_paths);
    let seen: Vec<(SessionRow, bool)> = picker
        .list
        .seen(area.height.into())
        .map(|(row, selected)| (row.clone(), selected))
        .collect();
    let lines = seen.iter().map(|(row, selected)| {
        let facts = picker.list.facts(row);
        let parts = match picker.list.run(row) {
            Some(run) => run_parts(run, &state.theme),
            None => session_parts(picker, row, facts, scope, show_paths, state),
        };
        let cursor = match (*selected, picker.list.is_marked(row)) {
            (true, true) => "›*",
            (true, false) => "› ",
            (false, true) => " *",
            (false, false) => "  ",
        };
        row_line(row, &parts, (cursor, *selected), area.width.into(), &state.theme)
    });
    frame.render_widget(Paragraph::new(lines.collect::<Vec<_>>()), area);
}

fn empty_words(picker: &Picker) -> String {
    if let Some(problem) = picker.list.problem() {
        return format!("  {}", text::line(problem));
    }
    let words = match (picker.is_loading, picker.field.is_empty(), picker.scope) {
        (true, ..) => "  loading…",
        (false, false, _) if picker.searches_running > 0 => "  searching…",
        (false, false, Scope::All) => "  no match",
        (false, false, _) => "  no match here; Tab widens the scope",
        (false, true, Scope::All) if picker.list.is_named_only() => "  no session has a name",
        (false, true, Scope::All) => "  no sessions yet; `pitree demo` shows a sample",
        (false, true, _) => "  no sessions here; Tab widens the scope",
    };
    words.to_owned()
}

/// The parts of a row: what stands left, how it looks, and what stands right.
struct RowParts {
    mark: &'static str,
    title: String,
    style: Style,
    /// Where it is. It gives way to the numbers where there is little room.
    place: String,
    numbers: String,
}

fn session_parts(
    picker: &Picker,
    row: &SessionRow,
    facts: &SessionFacts,
    scope: Scope,
    show_paths: bool,
    state: &AppState,
) -> RowParts {
    let theme = &state.theme;
    let is_open = state.live.as_ref().and_then(|live| live.session().path());
    let (title, style) = match (&facts.name, &facts.first_message) {
        _ if is_open == Some(facts.path.as_path()) => (title_of(facts), theme.accent),
        (Some(_), _) => (title_of(facts), theme.named),
        (None, Some(_)) => (title_of(facts), theme.text),
        (None, None) => ("(no messages)".to_owned(), theme.dim),
    };
    let mark = match fold_of(picker, row) {
        Some(PickerAction::Unfold) => "⊞ ",
        Some(_) => "⊟ ",
        None => "",
    };
    let mut place = String::new();
    if row.hidden > 0 {
        place.push_str(&format!("+{} ", row.hidden));
    }
    let mut shown = |path: &Path| {
        let path = state.display(path);
        place.push_str(&format!("{} ", text::cut_start(&text::line(&path), 40)));
    };
    if show_paths {
        shown(&facts.path);
    }
    if scope != Scope::Directory && !facts.cwd.is_empty() {
        shown(Path::new(&*facts.cwd));
    }
    if row.is_fuzzy {
        // The word of `pitree search`.
        place.push_str("fuzzy ");
    }
    if let Some(found) = picker.list.match_of(row) {
        place.push_str(&format!("{} ", why(&found)));
    }
    let age = age(facts.last_used_ms(), state.environment.now_ms());
    let numbers = format!("{:>4} {age:>4}", facts.message_count);
    RowParts { mark, title, style, place, numbers }
}

/// What the mark before a row stands for: that it can be unfolded, or folded.
fn fold_of(picker: &Picker, row: &SessionRow) -> Option<PickerAction> {
    if row.run.is_some() {
        return None;
    }
    let is_unfolded = picker.list.is_unfolded(row);
    match row.hidden > 0 || (picker.list.facts(row).subagents > 0 && !is_unfolded) {
        true => Some(PickerAction::Unfold),
        false => is_unfolded.then_some(PickerAction::Fold),
    }
}

/// The same, if the mark of a row is at this column of the list.
pub(super) fn fold_at(picker: &Picker, place: usize, column: usize) -> Option<PickerAction> {
    let row = picker.list.row(place)?;
    let guides = guides(row, picker.areas.list.width.into());
    fold_of(picker, row).filter(|_| column == CURSOR_COLUMNS + text::width(&guides))
}

fn guides(row: &SessionRow, width: usize) -> String {
    text::cut(&row.guides, width / 2).into_owned()
}

/// Where the words of the query were found.
fn why(found: &SessionMatch) -> String {
    let mut places: Vec<&str> = Vec::new();
    for why in &found.why {
        if !places.contains(&why.place.name()) {
            places.push(why.place.name());
        }
    }
    match places.is_empty() {
        true => String::new(),
        false => format!("in {}", places.join(", ")),
    }
}

/// The name, else the first message.
pub(super) fn title_of(facts: &SessionFacts) -> String {
    facts.title().map(|title| title.to_text().into_owned()).unwrap_or_default()
}

fn run_parts(run: &RunFacts, theme: &Theme) -> RowParts {
    let place = run.model.as_deref().map(|model| text::fit(model, 30)).unwrap_or_default();
    let numbers = run.cost.map(|cost| format!(" ${cost:.2}")).unwrap_or_default();
    let failed = if run.failed { "failed: " } else { "" };
    let title = format!("{}: {failed}{}", run.agent, run.task);
    let style = if run.failed { theme.error } else { theme.tool };
    RowParts { mark: "", title, style, place, numbers }
}

fn row_line(
    row: &SessionRow,
    parts: &RowParts,
    (cursor, selected): (&'static str, bool),
    width: usize,
    theme: &Theme,
) -> Line<'static> {
    let guides = guides(row, width);
    // The title has at least half of the row.
    let most = (width / 2).saturating_sub(text::width(&parts.numbers));
    let place = text::cut_start(&parts.place, most);
    let right = text::cut(&format!("{place}{}", parts.numbers), width / 2).into_owned();
    let fixed = text::width(cursor) + text::width(&guides) + text::width(parts.mark);
    let room = width.saturating_sub(fixed + text::width(&right) + 1);
    let title = text::pad(&text::fit(&parts.title, room), room);
    let line = Line::from_iter([
        Span::styled(cursor, theme.accent),
        Span::styled(guides, theme.border),
        Span::styled(parts.mark, theme.border),
        Span::styled(title, parts.style),
        Span::raw(" "),
        Span::styled(right, theme.dim),
    ]);
    if selected { theme.select(line) } else { line }
}

/// The rows of the bottom. What a key does stays in one row with it.
fn foot_lines(words: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in words.split(HINT_SEPARATOR) {
        match lines.last_mut() {
            Some(line) if text::width(line) + text::width(part) + 3 <= width => {
                line.push_str(HINT_SEPARATOR);
                line.push_str(part);
            }
            _ => lines.extend(text::wrap(part, width)),
        }
    }
    lines
}

/// What stands at the bottom: a question, what happened, or the keys.
fn foot_words(picker: &Picker, state: &AppState) -> (String, Style) {
    let (theme, dialog) = (&state.theme, &state.keymap.dialog);
    let answers =
        format!("{} or {}", dialog.label(DialogAction::Yes), dialog.label(DialogAction::No));
    match (&picker.mode, &picker.notice) {
        (PickerMode::Rename(..), _) => (String::new(), theme.text),
        (PickerMode::Export(paths), _) => {
            let here = state.display(state.environment.cwd());
            let what = match paths.len() {
                1 => "it".to_owned(),
                count => format!("{count} sessions"),
            };
            (format!("Export {what} to HTML in {here}? {answers}"), theme.warning)
        }
        (PickerMode::Delete(deleting), _) => (deleting.question(&state.keymap), theme.error),
        (PickerMode::Elsewhere(chosen, _), _) => {
            let (gone, here) = (state.display(&chosen.cwd), state.environment.cwd());
            let here = state.display(here);
            (format!("{gone} does not exist. Continue in {here}? {answers}"), theme.warning)
        }
        (PickerMode::Migrate { version, .. }, _) => {
            let question = format!(
                "It is in format version {version}. Rewrite it as version 3? `pitree undo` \
                 restores it. {answers}"
            );
            (question, theme.warning)
        }
        (_, Some(PickerNotice::Said(words))) => (words.clone(), theme.good),
        (_, Some(PickerNotice::Wrong(words))) => (words.clone(), theme.error),
        _ => (key_hints(picker.picked_for, &state.keymap), theme.dim),
    }
}

fn key_hints(picked_for: PickedFor, keymap: &Keymap) -> String {
    use PickerAction::{Choose, Delete, Mark, NextScope, NextSort, OpenInPi, Search};
    let (enter, other) = match picked_for {
        PickedFor::Reading => ("read", "resume in Pi"),
        PickedFor::Resuming => ("resume in Pi", "read"),
    };
    let picker = |action, does| (keymap.picker.labels(&[action]), does);
    let hints = hints(&[
        picker(Choose, enter),
        picker(OpenInPi, other),
        picker(Search, "search"),
        picker(NextScope, "scope"),
        picker(NextSort, "sort"),
        picker(Mark, "mark"),
        picker(Delete, "delete"),
        (keymap.global.labels(&[GlobalAction::Help]), "keys"),
    ]);
    // There are many, and the screen may be narrow.
    hints.replace("Ctrl+", "^")
}
