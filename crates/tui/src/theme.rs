//! Colors by their meaning: of the 16 that every terminal has and the user has chosen, or of a theme
//! of Pi.

mod color;
mod pi;
mod system;
mod terminal;

use ratatui::style::{Color, Modifier, Style};
use ratatui::text::Line;

pub use color::Rgb;
pub use pi::ThemeChoice;
pub use terminal::{TerminalAnswer, TerminalColors};

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
    /// The same in the middle of a text.
    pub highlight: Style,
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
    /// The branches of a tree, one after the other.
    pub lanes: [Style; 6],
}

/// When colors are used, as `--color` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorMode {
    /// On a terminal, unless a variable says otherwise.
    #[default]
    Auto,
    /// Always, whatever the variables say.
    Always,
    /// Never.
    Never,
}

impl ColorMode {
    /// Every mode.
    pub const ALL: [Self; 3] = [Self::Auto, Self::Always, Self::Never];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        }
    }

    /// What it does, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::Auto => "On a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`",
            Self::Always => "Also into files and pipes",
            Self::Never => "No colors",
        }
    }

    /// Whether colors are used. The command and the interface both ask here. A mode other
    /// than `Auto` decides; then a `NO_COLOR` that is not empty (no-color.org) turns them off; then
    /// a `CLICOLOR_FORCE` other than `0` turns them on; then there must be a terminal that has
    /// colors.
    pub fn wants_colors(
        self,
        on_terminal: bool,
        variable: impl Fn(&str) -> Option<String>,
    ) -> bool {
        self.decided_by(variable).map_or(on_terminal, |(wants, _)| wants)
    }

    /// Whether colors are used wherever the output goes, and what says so: the option or the name of
    /// a variable. `None` if only a terminal has colors.
    pub fn decided_by(
        self,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Option<(bool, &'static str)> {
        let is_set = |name: &str| variable(name).filter(|value| !value.is_empty());
        match self {
            Self::Always => Some((true, "--color")),
            Self::Never => Some((false, "--color")),
            Self::Auto if is_set("NO_COLOR").is_some() => Some((false, "NO_COLOR")),
            Self::Auto if is_set("CLICOLOR_FORCE").is_some_and(|value| value != "0") => {
                Some((true, "CLICOLOR_FORCE"))
            }
            Self::Auto if variable("TERM").is_some_and(|name| name == "dumb") => {
                Some((false, "TERM"))
            }
            Self::Auto => None,
        }
    }
}

impl Theme {
    /// With or without colors.
    pub fn new(colors: bool) -> Self {
        if colors { Self::colors() } else { Self::plain() }
    }

    /// With colors.
    pub fn colors() -> Self {
        let of = |color: Color| Style::new().fg(color);
        let plain = Self::plain();
        Self {
            accent: of(Color::Cyan),
            named: of(Color::Yellow),
            good: of(Color::Green),
            warning: of(Color::Yellow),
            error: of(Color::Red),
            found: of(Color::Magenta).add_modifier(Modifier::BOLD),
            highlight: of(Color::Magenta).add_modifier(Modifier::BOLD | Modifier::REVERSED),
            border: of(Color::DarkGray),
            user: of(Color::Cyan),
            tool: of(Color::Blue),
            thinking: of(Color::DarkGray).add_modifier(Modifier::ITALIC),
            summary: of(Color::Magenta),
            code: of(Color::Yellow),
            keyword: of(Color::Blue),
            literal: of(Color::Green),
            lanes: [
                Color::DarkGray,
                Color::Cyan,
                Color::Magenta,
                Color::Yellow,
                Color::Green,
                Color::Blue,
            ]
            .map(of),
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
            highlight: with(Modifier::BOLD | Modifier::REVERSED),
            border: with(Modifier::DIM),
            user: with(Modifier::BOLD),
            tool: plain,
            thinking: with(Modifier::DIM | Modifier::ITALIC),
            summary: plain,
            code: plain,
            keyword: with(Modifier::BOLD),
            literal: plain,
            lanes: [with(Modifier::DIM); 6],
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
    fn one_rule_decides_about_colors() {
        use ColorMode::{Always, Auto, Never};
        let (on, off) = (true, false);
        type Variables<'v> = &'v [(&'v str, &'v str)];
        let cases: [(ColorMode, bool, Variables<'_>, bool); 17] = [
            (Auto, on, &[], true),
            (Auto, on, &[("TERM", "xterm")], true),
            (Auto, off, &[("TERM", "xterm")], false),
            (Auto, on, &[("TERM", "dumb")], false),
            (Auto, on, &[("NO_COLOR", "")], true),
            (Auto, on, &[("NO_COLOR", "1")], false),
            (Auto, on, &[("NO_COLOR", "0")], false),
            (Auto, on, &[("NO_COLOR", ""), ("TERM", "dumb")], false),
            (Auto, off, &[("CLICOLOR_FORCE", "1")], true),
            (Auto, off, &[("CLICOLOR_FORCE", "0")], false),
            (Auto, off, &[("CLICOLOR_FORCE", "")], false),
            (Auto, on, &[("CLICOLOR_FORCE", "1"), ("TERM", "dumb")], true),
            (Auto, on, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], false),
            (Always, off, &[("NO_COLOR", "1"), ("TERM", "dumb")], true),
            (Always, on, &[], true),
            (Never, on, &[("CLICOLOR_FORCE", "1")], false),
            (Never, off, &[], false),
        ];
        for (mode, on_terminal, variables, wanted) in cases {
            let variable = |name: &str| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            let colors = mode.wants_colors(on_terminal, variable);
            assert_eq!(colors, wanted, "{mode:?}, terminal: {on_terminal}, {variables:?}");
        }
    }
}
