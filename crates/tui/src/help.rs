//! The help on `?`: what the keys of the screen below do.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Paragraph};

use crossterm::event::KeyCode;

use crate::desk::Desk;
use crate::keys::Key;
use crate::screen::{Event, KeyHelp, Outcome, Screen};
use crate::text;

/// The overlay.
pub(crate) struct Help {
    keys: &'static [KeyHelp],
    /// The first line that is seen.
    top: usize,
    /// How many lines were seen when it was drawn last.
    height: usize,
}

impl Help {
    pub(crate) fn new(keys: &'static [KeyHelp]) -> Self {
        Self { keys, top: 0, height: 1 }
    }

    fn scroll(&mut self, lines: isize) {
        let last = self.keys.len().saturating_sub(self.height);
        self.top = self.top.saturating_add_signed(lines).min(last);
    }
}

impl Screen for Help {
    fn update(&mut self, event: &Event, _desk: &mut Desk) -> Outcome {
        match event {
            Event::Key(key) => match Key::of(key) {
                Key::Plain(KeyCode::Up) | Key::Char('k') => self.scroll(-1),
                Key::Plain(KeyCode::Down) | Key::Char('j') => self.scroll(1),
                Key::Plain(KeyCode::PageUp) => self.scroll(-10),
                Key::Plain(KeyCode::PageDown) => self.scroll(10),
                _ => return Outcome::Close,
            },
            Event::Wheel(lines) => self.scroll(*lines as isize),
            _ => {}
        }
        Outcome::Stay
    }

    fn view(&mut self, frame: &mut Frame<'_>, area: Rect, desk: &Desk) {
        let theme = &desk.theme;
        let widest = |part: fn(&KeyHelp) -> &str| {
            self.keys.iter().map(|key| text::width(part(key))).max().unwrap_or(0)
        };
        let (first, second) = (widest(|key| key.0), widest(|key| key.1));
        let wanted = Rect { width: (first + second + 6) as u16, ..area };
        let (width, rows) = (wanted.width.min(area.width), self.keys.len() as u16 + 2);
        let height = rows.min(area.height);
        let place = Rect {
            x: area.x + (area.width - width) / 2,
            y: area.y + (area.height - height) / 2,
            width,
            height,
        };
        self.height = usize::from(height.saturating_sub(2)).max(1);
        self.scroll(0);
        let lines = self.keys.iter().skip(self.top).take(self.height).map(|(keys, words)| {
            let keys = Span::styled(format!(" {}  ", text::pad(keys, first)), theme.accent);
            Line::from_iter([keys, Span::styled(*words, theme.text)])
        });
        let paragraph = Paragraph::new(lines.collect::<Vec<_>>())
            .block(Block::bordered().border_style(theme.border).title(" Keys "));
        frame.render_widget(Clear, place);
        frame.render_widget(paragraph, place);
    }

    fn keys(&self) -> &'static [KeyHelp] {
        &[]
    }

    fn takes_text(&self) -> bool {
        true
    }

    fn is_overlay(&self) -> bool {
        true
    }
}
