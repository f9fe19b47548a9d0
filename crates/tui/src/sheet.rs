//! A page above a screen: the help on `?`, what commands have to say. Any key but those that
//! scroll it closes it, and text is typed into the screen below, so that none of it is lost. And
//! the box around it, for others that lie above a screen.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Span;
use ratatui::widgets::{Block, Clear, Paragraph};

use crate::keymap::{GlobalAction, Key, KeyHelp, Keymap, SheetAction};
use crate::rich::{Line, Tone, painted};
use crate::screen::{Event, Screen, Transition};
use crate::state::AppState;
use crate::text;
use crate::theme::Theme;

/// No box is narrower, if there is room.
const LEAST_WIDTH: u16 = 24;

/// The page.
pub(crate) struct Sheet {
    title: &'static str,
    lines: Vec<Line>,
    /// The first line that is seen.
    top: usize,
    /// How many lines were seen when it was drawn last.
    height: usize,
}

impl Sheet {
    pub(crate) fn new(title: &'static str, lines: Vec<Line>) -> Self {
        Self { title, lines, top: 0, height: 1 }
    }

    /// A page of which the end matters most.
    pub(crate) fn at_end(title: &'static str, lines: Vec<Line>) -> Self {
        Self { top: lines.len(), ..Self::new(title, lines) }
    }

    /// What keys do.
    pub(crate) fn help(keys: &[KeyHelp]) -> Self {
        let widest = keys.iter().map(|line| text::width(&line.keys)).max().unwrap_or(0);
        let line = |line: &KeyHelp| {
            let keys = format!("{}  ", text::pad(&line.keys, widest));
            Line::of(&keys, Tone::Heading).with(&line.does, Tone::Plain)
        };
        Self::new(" Keys ", keys.iter().map(line).collect())
    }

    fn scroll(&mut self, by: isize) {
        let last = self.lines.len().saturating_sub(self.height);
        self.top = self.top.saturating_add_signed(by).min(last);
    }
}

impl Screen for Sheet {
    fn update(&mut self, event: &Event, state: &mut AppState) -> Transition {
        match event {
            Event::Key(key) => match state.keymap.sheet.action(Key::of(key)) {
                Some(SheetAction::Up) => self.scroll(-1),
                Some(SheetAction::Down) => self.scroll(1),
                Some(SheetAction::PageUp) => self.scroll(-10),
                Some(SheetAction::PageDown) => self.scroll(10),
                // What opened it closes it, and a text does not begin with a space.
                None => {
                    let key = Key::of(key);
                    let is_help = state.keymap.global.is(key, GlobalAction::Help);
                    let is_text = key.typed().is_some_and(|c| c != ' ');
                    return if is_text && !is_help {
                        Transition::PassOn
                    } else {
                        Transition::Close
                    };
                }
            },
            Event::Paste(_) => return Transition::PassOn,
            Event::Wheel(lines) => self.scroll(*lines as isize),
            _ => {}
        }
        Transition::Stay
    }

    fn view(&mut self, frame: &mut Frame<'_>, area: Rect, state: &AppState) {
        self.height = usize::from(area.height.saturating_sub(2)).max(1);
        self.scroll(0);
        draw_box(frame, area, self.title, &self.lines, self.top, &state.theme);
    }

    fn help(&self, keymap: &Keymap) -> Vec<KeyHelp> {
        keymap.sheet.help()
    }

    fn takes_text(&self) -> bool {
        true
    }

    fn is_overlay(&self) -> bool {
        true
    }
}

/// Draws a line across a screen.
pub(crate) fn draw_rule(frame: &mut Frame<'_>, area: Rect, theme: &Theme) {
    let rule = "─".repeat(usize::from(area.width));
    frame.render_widget(Span::styled(rule, theme.border), area);
}

/// Draws the line that names the keys of a screen.
pub(crate) fn draw_hints(frame: &mut Frame<'_>, area: Rect, keys: &str, theme: &Theme) {
    let fitted = text::cut(keys, usize::from(area.width).saturating_sub(2));
    frame.render_widget(Span::styled(format!("  {fitted}"), theme.dim), area);
}

/// Draws lines, from `top` on, in a box in the middle that is as large as it must be.
pub(crate) fn draw_box(
    frame: &mut Frame<'_>,
    area: Rect,
    title: &'static str,
    lines: &[Line],
    top: usize,
    theme: &Theme,
) {
    let size = |size: usize| u16::try_from(size).unwrap_or(u16::MAX);
    let widest = lines.iter().map(Line::width).max().unwrap_or(0);
    let width = size(widest + 4).max(LEAST_WIDTH).min(area.width);
    let height = size(lines.len() + 2).min(area.height);
    let place = Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    };
    let room = usize::from(width).saturating_sub(4);
    let margin = Line::of(" ", Tone::Plain);
    let seen = lines.iter().skip(top).take(height.into());
    let rows = seen.map(|line| painted(&margin.clone().followed_by(&line.truncated(room)), theme));
    let block = Block::bordered().border_style(theme.border).title(title);
    frame.render_widget(Clear, place);
    frame.render_widget(Paragraph::new(rows.collect::<Vec<_>>()).block(block), place);
}
