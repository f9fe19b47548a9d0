//! Colours by their meaning, of the 16 that every terminal has and the user has chosen.

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;

/// The styles of the interface. Everything can be told apart without colours too.
#[derive(Clone, Copy, Debug)]
pub struct Theme {
    /// Ordinary text.
    pub text: Style,
    /// What is less important.
    pub dim: Style,
    /// What is more important.
    pub strong: Style,
    /// What is current, and headings.
    pub accent: Style,
    /// The row that is selected.
    pub selected: Style,
    /// What the user named: names and labels.
    pub named: Style,
    /// What went well, and the active path.
    pub good: Style,
    /// What the user should look at.
    pub warning: Style,
    /// What went wrong.
    pub error: Style,
    /// What a search found.
    pub found: Style,
    /// Frames and separators.
    pub border: Style,
    /// What the user said.
    pub user: Style,
    /// Tools and their results.
    pub tool: Style,
    /// Thinking.
    pub thinking: Style,
    /// Summaries of compactions and branches.
    pub summary: Style,
    /// Code.
    pub code: Style,
    /// Words of a programming language.
    pub keyword: Style,
    /// Strings and numbers in code.
    pub literal: Style,
}

/// Whether the user wants colors: not with a `NO_COLOR` that is not empty (no-color.org), and not
/// on a terminal that has none. The command and the interface go by this.
pub fn wants_colors(variable: impl Fn(&str) -> Option<String>) -> bool {
    let no_color = variable("NO_COLOR").is_some_and(|value| !value.is_empty());
    let is_dumb = variable("TERM").is_some_and(|name| name == "dumb");
    !no_color && !is_dumb
}

impl Theme {
    /// With colours.
    pub fn colours() -> Self {
        let of = |colour: Color| Style::new().fg(colour);
        let plain = Self::plain();
        Self {
            accent: of(Color::Cyan),
            named: of(Color::Yellow),
            good: of(Color::Green),
            warning: of(Color::Yellow),
            error: of(Color::Red),
            found: of(Color::Magenta).add_modifier(Modifier::BOLD),
            border: of(Color::DarkGray),
            user: of(Color::Cyan),
            tool: of(Color::Blue),
            thinking: of(Color::DarkGray).add_modifier(Modifier::ITALIC),
            summary: of(Color::Magenta),
            code: of(Color::Yellow),
            keyword: of(Color::Blue),
            literal: of(Color::Green),
            ..plain
        }
    }

    /// Without colours, for `NO_COLOR`.
    pub fn plain() -> Self {
        let plain = Style::new();
        let with = |modifier| plain.add_modifier(modifier);
        Self {
            text: plain,
            dim: with(Modifier::DIM),
            strong: with(Modifier::BOLD),
            accent: with(Modifier::BOLD),
            selected: with(Modifier::REVERSED),
            named: with(Modifier::BOLD),
            good: plain,
            warning: with(Modifier::BOLD),
            error: with(Modifier::BOLD),
            found: with(Modifier::BOLD | Modifier::UNDERLINED),
            border: with(Modifier::DIM),
            user: with(Modifier::BOLD),
            tool: plain,
            thinking: with(Modifier::DIM | Modifier::ITALIC),
            summary: plain,
            code: plain,
            keyword: with(Modifier::BOLD),
            literal: plain,
        }
    }

    /// A line as the selected one: in one colour, so that it is seen as a whole.
    pub fn select<'l>(&self, mut line: Line<'l>) -> Line<'l> {
        for span in &mut line.spans {
            let kept = span.style.add_modifier.difference(Modifier::DIM);
            span.style = Style::new().add_modifier(kept);
        }
        line.style(self.selected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_are_for_those_who_want_and_can_see_them() {
        for (no_color, term, wanted) in [
            (None, Some("xterm"), true),
            (Some(""), Some("xterm"), true),
            (Some("1"), Some("xterm"), false),
            (Some("0"), None, false),
            (None, None, true),
            (None, Some("dumb"), false),
            (Some(""), Some("dumb"), false),
        ] {
            let variable = |name: &str| match name {
                "NO_COLOR" => no_color.map(str::to_owned),
                _ => term.map(str::to_owned),
            };
            assert_eq!(wants_colors(variable), wanted, "{no_color:?} {term:?}");
        }
    }
}
