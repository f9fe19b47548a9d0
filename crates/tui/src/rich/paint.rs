//! Rows in the colors of the theme.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line as Drawn, Span};
use ratatui::widgets::Paragraph;

use super::row::{Line, Look, Tone};
use crate::theme::Theme;

/// A line in the colors of the theme.
pub(crate) fn painted(line: &Line, theme: &Theme) -> Drawn<'static> {
    line.pieces
        .iter()
        .map(|piece| Span::styled(piece.text.clone(), style(piece.look, theme)))
        .collect()
}

fn style(look: Look, theme: &Theme) -> Style {
    let base = match look.tone {
        _ if look.found => theme.highlight,
        Tone::Plain => theme.text,
        Tone::Dim => theme.dim,
        Tone::User => theme.user,
        Tone::Heading => theme.accent,
        Tone::Code => theme.code,
        Tone::Link => theme.accent,
        Tone::Tool => theme.tool,
        Tone::Good => theme.good,
        Tone::Bad => theme.error,
        Tone::Notice => theme.summary,
        Tone::Keyword => theme.keyword,
        Tone::Literal => theme.literal,
        Tone::Comment => theme.dim,
    };
    let marks = [
        (look.bold, Modifier::BOLD),
        (look.italic, Modifier::ITALIC),
        (look.underlined, Modifier::UNDERLINED),
        (look.struck, Modifier::CROSSED_OUT),
    ];
    marks.iter().filter(|(is, _)| *is).fold(base, |style, (_, mark)| style.add_modifier(*mark))
}

/// Draws rows from the top of an area on.
pub(crate) fn show(frame: &mut Frame<'_>, area: Rect, rows: &[Line], theme: &Theme) {
    let rows: Vec<Drawn<'_>> = rows.iter().map(|row| painted(row, theme)).collect();
    frame.render_widget(Paragraph::new(rows), area);
}
