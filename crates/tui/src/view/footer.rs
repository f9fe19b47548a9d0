//! The two rows at the bottom: which session, how much of it, and how full the context is.

use pitree_store::{SessionFacts, ShortIds};

use super::follow::ContextFacts;
use super::numbers;
use crate::rich::{Line, Look, StyledText, Tone, width_of};

/// How many columns the bar has.
const BAR: usize = 10;
/// From here on the context is said to be nearly full.
const NEARLY_FULL: f64 = 0.8;

/// What the footer is about.
#[derive(Default)]
pub(crate) struct Footer {
    /// The session's name.
    pub(crate) name: Option<String>,
    /// The session's id.
    pub(crate) id: String,
    /// By which prefixes sessions can be named, once they are known.
    pub(crate) ids: ShortIds,
    /// The working directory, for people.
    pub(crate) cwd: String,
    /// How many entries there are.
    pub(crate) entries: usize,
    /// Where it stands, if that is not where the file ends.
    pub(crate) is_moved: bool,
    /// Whether the file has become something that cannot be read as this session, so that what is
    /// known of the file is not about what is shown.
    pub(crate) is_stale: bool,
    /// Whether somebody has deleted the file.
    pub(crate) is_deleted: bool,
    /// Sums, once they are made.
    pub(crate) facts: Option<Box<SessionFacts>>,
    /// The context, once it is known.
    pub(crate) context: Option<ContextFacts>,
}

impl Footer {
    /// The two rows, for a screen of this width.
    pub(crate) fn rows(&self, width: usize) -> [Line; 2] {
        [spread(&self.session(), Line::of(&self.cwd, Tone::Dim), width), self.numbers(width)]
    }

    fn session(&self) -> Line {
        let id = self.ids.short(&self.id);
        match &self.name {
            Some(name) => {
                Line::of(name, Look::bold(Tone::Notice)).with(&format!("  {id}"), Tone::Dim)
            }
            None => Line::of(&format!("session {id}"), Tone::Dim),
        }
    }

    fn numbers(&self, width: usize) -> Line {
        let mut parts = Vec::new();
        let facts = self.facts.as_ref().filter(|_| !self.is_stale);
        if let Some(facts) = facts {
            parts.push(numbers::count(facts.branches, "branch", "branches"));
        }
        parts.push(numbers::count(self.entries, "entry", "entries"));
        if let Some(facts) = facts {
            parts.push(format!("{} tokens", numbers::tokens(facts.spend.tokens)));
            let more = if facts.spend.unknown_costs > 0 { "+" } else { "" };
            parts.push(format!("{}{more}", numbers::dollars(facts.spend.cost)));
        }
        let mut left = Line::of(&parts.join(" · "), Tone::Dim);
        if self.is_stale {
            left = left.with(" · the file was changed and cannot be read", Tone::Bad);
        } else if self.is_deleted {
            left = left.with(" · file deleted; saving writes it again", Tone::Bad);
        }
        if self.is_moved {
            left = left.with(" · not at the saved position", Tone::Notice);
        }
        spread(&left, self.context.as_ref().map(context).unwrap_or_default(), width)
    }
}

/// `model ████░░░░░░ 42% of 200k`
fn context(facts: &ContextFacts) -> Line {
    let model = facts.model.as_deref().unwrap_or("no model");
    let name = Line::of(&format!("{model} "), Tone::Dim);
    let Some(window) = facts.window else {
        return name.with(&format!("{} in context", numbers::tokens(facts.tokens)), Tone::Dim);
    };
    let share = (facts.tokens / window).clamp(0.0, 1.0);
    // Some context is never an empty bar, and a bar that is full means it.
    let filled =
        ((share * BAR as f64).ceil() as usize).min(if share < 1.0 { BAR - 1 } else { BAR });
    let tone = if share >= NEARLY_FULL { Tone::Bad } else { Tone::Good };
    name.with(&"█".repeat(filled), tone).with(&"░".repeat(BAR - filled), Tone::Dim).with(
        &format!(" {:.0}% of {}", facts.tokens / window * 100.0, numbers::tokens(window)),
        Tone::Dim,
    )
}

/// One line at the left and one at the right. Where there is no room for both, the right one is
/// cut, and left out when little of it would be seen.
fn spread(left: &Line, right: Line, width: usize) -> Line {
    const GAP: usize = 2;
    const LEAST: usize = 10;
    let left = left.truncated(width);
    let room = width.saturating_sub(left.width() + GAP);
    if room < LEAST.min(right.width()) {
        return left;
    }
    let right = from_the_end(right, room);
    let gap = width - left.width() - right.width();
    let mut line = left;
    line.push(StyledText::new(&" ".repeat(gap), Tone::Plain));
    right.pieces.into_iter().for_each(|piece| line.push(piece));
    line
}

/// The end of a line that fits; the end of a path and of a bar say more than the beginning.
fn from_the_end(line: Line, room: usize) -> Line {
    let mut too_much = line.width().saturating_sub(room);
    if too_much == 0 {
        return line;
    }
    too_much += 1;
    let mut out = Line::of("…", Tone::Dim);
    for piece in line.pieces {
        let width = width_of(&piece.text);
        if width <= too_much {
            too_much -= width;
            continue;
        }
        let text = crate::text::cut_start(&piece.text, width - too_much + 1).into_owned();
        let text = if too_much > 0 {
            text.strip_prefix('…').unwrap_or(&text).to_owned()
        } else {
            piece.text
        };
        too_much = 0;
        out.push(StyledText { text, look: piece.look });
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn footer() -> Footer {
        let context = ContextFacts {
            tokens: 84_000.0,
            window: Some(200_000.0),
            model: Some("mock/m1".to_owned()),
        };
        Footer {
            name: Some("Refactor".to_owned()),
            id: "0123456789".to_owned(),
            cwd: "~/code/project".to_owned(),
            entries: 1_234,
            context: Some(context),
            ..Footer::default()
        }
    }

    #[test]
    fn it_says_the_same_on_every_width_as_far_as_there_is_room() {
        let shown = |width| footer().rows(width).map(|row| row.text());
        assert_eq!(
            shown(60),
            [
                "Refactor  01234567                            ~/code/project",
                "1,234 entries                 mock/m1 █████░░░░░ 42% of 200k",
            ]
            .map(str::to_owned)
        );
        for width in 0..80 {
            for row in footer().rows(width) {
                assert!(row.width() <= width, "{width}: {:?}", row.text());
            }
        }
        assert_eq!(shown(30)[0], "Refactor  01234567  …e/project");
    }

    #[test]
    fn the_bar_is_empty_and_full_only_when_the_context_is() {
        let bar = |tokens: f64| {
            let facts = ContextFacts { tokens, window: Some(100.0), model: None };
            context(&facts).text().chars().filter(|c| *c == '█').count()
        };
        assert_eq!([bar(0.0), bar(1.0), bar(99.0), bar(100.0), bar(500.0)], [0, 1, 9, 10, 10]);
    }
}
