//! How the view is drawn: which part gets which rows of the screen.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};

use super::SessionView;
use super::transcript::Marks;
use crate::keymap::{ReadAction, ViewAction};
use crate::rich::{Line, show};
use crate::state::AppState;

pub(super) fn draw(view: &mut SessionView, frame: &mut Frame<'_>, area: Rect, state: &AppState) {
    let (width, keymap, theme) = (usize::from(area.width), &state.keymap, &state.theme);
    let between = [
        view.tasks.rows(keymap),
        view.agent.rows_above(keymap),
        view.notices.rows(width, usize::from(area.height), keymap),
        match view.reader.is_reading() {
            true => view.reader.choices(),
            false => view.composer.choices(view.agent.commands()),
        },
    ];
    let cut = |row: &Line| row.truncated(width);
    let between: Vec<Line> = between.iter().flatten().map(cut).collect();
    let under: Vec<Line> = view.agent.rows_below().iter().map(cut).collect();
    let is_reading = view.reader.is_reading();
    let typed = if is_reading { view.reader.height() } else { view.composer.height(area.width) };
    let [transcript, messages, separator, composer, panel, footer] = Layout::vertical([
        Constraint::Min(1),
        Constraint::Length(between.len() as u16),
        Constraint::Length(1),
        Constraint::Length(typed),
        Constraint::Length(under.len() as u16),
        Constraint::Length(2),
    ])
    .areas(area);
    let words = |width, height| view.agent.words(width, height);
    let marks = Marks { cursor: is_reading, found: view.reader.finder.query() };
    view.transcript.draw(frame, transcript, state.session(), words, marks, theme);
    show(frame, messages, &between, theme);
    let (title, end) = match is_reading {
        true => {
            let title = view.reading_title(state.session(), keymap);
            (Some(title), keymap.read.label(ReadAction::Last))
        }
        false => (view.agent.title().map(str::to_owned), keymap.view.label(ViewAction::Bottom)),
    };
    let rule = view.transcript.separator(title.as_deref(), width, &end);
    show(frame, separator, &[rule], theme);
    match is_reading {
        true => view.reader.draw(frame, composer, state),
        false => view.composer.draw(frame, composer, state),
    }
    show(frame, panel, &under, theme);
    show(frame, footer, &view.footer.rows(width), theme);
    view.agent.draw_dialog(frame, area, state);
}
