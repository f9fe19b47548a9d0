//! How the view is drawn: which part gets which rows of the screen.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};

use super::SessionView;
use crate::rich::{Line, show};
use crate::state::AppState;

pub(super) fn draw(view: &mut SessionView, frame: &mut Frame<'_>, area: Rect, state: &AppState) {
    let (width, keymap, theme) = (usize::from(area.width), &state.keymap, &state.theme);
    let between = [
        view.tasks.rows(keymap),
        view.agent.rows_above(keymap),
        view.notices.rows(width, usize::from(area.height), keymap),
        view.composer.choices(view.agent.commands()),
    ];
    let cut = |row: &Line| row.truncated(width);
    let between: Vec<Line> = between.iter().flatten().map(cut).collect();
    let under: Vec<Line> = view.agent.rows_below().iter().map(cut).collect();
    let [transcript, messages, separator, composer, panel, footer] = Layout::vertical([
        Constraint::Min(1),
        Constraint::Length(between.len() as u16),
        Constraint::Length(1),
        Constraint::Length(view.composer.height(area.width)),
        Constraint::Length(under.len() as u16),
        Constraint::Length(2),
    ])
    .areas(area);
    let words = |width, height| view.agent.words(width, height);
    view.transcript.draw(frame, transcript, state.session(), words, theme);
    show(frame, messages, &between, theme);
    let rule = view.transcript.separator(view.agent.title(), width, keymap);
    show(frame, separator, &[rule], theme);
    view.composer.draw(frame, composer, state);
    show(frame, panel, &under, theme);
    show(frame, footer, &view.footer.rows(width), theme);
    view.agent.draw_dialog(frame, area, state);
}
