//! A sheet of text above the conversation: what `/session` and `/cost` answer.

use crossterm::event::KeyCode;
use pitree_session::Session;
use pitree_store::SessionFacts;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::widgets::{Block, Clear, Paragraph};

use super::draw::drawn;
use super::follow::ContextFacts;
use super::numbers;
use super::row::{Line, Look, Tone};
use crate::desk::Desk;
use crate::keys::Key;
use crate::screen::{Event, KeyHelp, Outcome, Screen};

/// The overlay.
pub(crate) struct Sheet {
    title: &'static str,
    lines: Vec<Line>,
    top: usize,
    height: usize,
}

impl Sheet {
    pub(crate) fn new(title: &'static str, lines: Vec<Line>) -> Self {
        Self { title, lines, top: 0, height: 1 }
    }

    fn scroll(&mut self, by: isize) {
        let last = self.lines.len().saturating_sub(self.height);
        self.top = self.top.saturating_add_signed(by).min(last);
    }
}

impl Screen for Sheet {
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
        let widest = self.lines.iter().map(Line::width).max().unwrap_or(0);
        let wanted = |size: usize| u16::try_from(size).unwrap_or(u16::MAX);
        let width = wanted(widest + 4).max(24).min(area.width);
        let height = wanted(self.lines.len() + 2).min(area.height);
        let place = Rect {
            x: area.x + (area.width - width) / 2,
            y: area.y + (area.height - height) / 2,
            width,
            height,
        };
        self.height = usize::from(height.saturating_sub(2)).max(1);
        self.scroll(0);
        let room = usize::from(width).saturating_sub(4);
        let rows = self.lines.iter().skip(self.top).take(self.height);
        let rows: Vec<_> = rows
            .map(|line| {
                drawn(&Line::of(" ", Tone::Plain).followed_by(&line.truncated(room)), &desk.theme)
            })
            .collect();
        let block = Block::bordered().border_style(desk.theme.border).title(self.title);
        frame.render_widget(Clear, place);
        frame.render_widget(Paragraph::new(rows).block(block), place);
    }

    fn keys(&self) -> &'static [KeyHelp] {
        &[("↑ ↓", "scroll"), ("any other key", "close")]
    }

    fn takes_text(&self) -> bool {
        true
    }

    fn is_overlay(&self) -> bool {
        true
    }
}

fn fact(name: &str, value: &str) -> Line {
    Line::of(&format!("{name:<12}"), Tone::Dim).with(value, Tone::Plain)
}

/// What `/session` says.
pub(crate) fn about(
    session: &Session,
    file: &str,
    facts: Option<&SessionFacts>,
    context: Option<&ContextFacts>,
) -> Vec<Line> {
    let name = session.name().ok().flatten().map(|name| name.to_string());
    let mut lines = vec![
        fact("Name", name.as_deref().unwrap_or("none")),
        fact("File", file),
        fact("Id", &session.id()),
        fact("Directory", &session.cwd().to_string_lossy()),
        fact("Entries", &numbers::count(session.len())),
        fact("Branch", &format!("{} entries", numbers::count(session.active_path().len()))),
    ];
    if let Some(facts) = facts {
        lines.push(fact("Branches", &numbers::count(facts.branches)));
        lines.push(fact("Messages", &numbers::count(facts.message_count)));
        lines.push(fact("Compactions", &numbers::count(facts.compactions)));
        if facts.damaged_lines > 0 {
            let lines_damaged = numbers::count(facts.damaged_lines);
            lines.push(fact(
                "Damaged",
                &format!("{lines_damaged} lines; pitree check explains them"),
            ));
        }
    }
    if let Some(context) = context {
        let model = context.model.as_deref().unwrap_or("none");
        lines.push(fact("Model", model));
        lines.push(fact("Context", &format!("{} tokens", numbers::tokens(context.tokens))));
    }
    lines.push(Line::default());
    lines.extend(cost(facts));
    lines
}

/// What `/cost` says.
pub(crate) fn cost(facts: Option<&SessionFacts>) -> Vec<Line> {
    let Some(facts) = facts else {
        return vec![Line::of("Nothing was spent yet.", Tone::Dim)];
    };
    let spend = &facts.spend;
    let mut lines = vec![
        fact("Cost", &numbers::dollars(spend.cost)),
        fact("Tokens", &numbers::tokens(spend.tokens)),
        fact("Answers", &format!("{} with a usage", numbers::count(spend.count))),
    ];
    if spend.unknown_costs > 0 {
        let unknown = format!("{} of them have no cost", numbers::count(spend.unknown_costs));
        lines.push(fact("", &unknown));
    }
    for model in &facts.models {
        let name = format!("{}/{}", model.provider, model.model);
        let word = if model.answers == 1 { "answer" } else { "answers" };
        let answers = format!("  {} {word}", numbers::count(model.answers));
        lines.push(Line::of(&name, Look::bold(Tone::Plain)).with(&answers, Tone::Dim));
    }
    lines
}
