//! What the terminal has reported about its colors.

use super::color::Rgb;

/// How many colors a palette has.
const PALETTE: usize = 16;

/// An answer of the terminal about its colors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TerminalAnswer {
    /// The color of its text.
    Foreground(Rgb),
    /// Its background.
    Background(Rgb),
    /// One of its 16 colors.
    Palette(u8, Rgb),
    /// It has answered all that it was asked.
    End,
}

/// The terminal's colors, as far as it has reported them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TerminalColors {
    pub(super) foreground: Option<Rgb>,
    pub(super) background: Option<Rgb>,
    palette: [Option<Rgb>; PALETTE],
}

impl TerminalColors {
    /// Takes an answer.
    pub fn take(&mut self, answer: TerminalAnswer) {
        match answer {
            TerminalAnswer::Foreground(color) => self.foreground = Some(color),
            TerminalAnswer::Background(color) => self.background = Some(color),
            TerminalAnswer::Palette(index, color) => {
                if let Some(slot) = self.palette.get_mut(usize::from(index)) {
                    *slot = Some(color);
                }
            }
            TerminalAnswer::End => {}
        }
    }

    /// All colors of the palette; some of them are of no use.
    pub(super) fn palette(&self) -> Option<[Rgb; PALETTE]> {
        let known: Vec<Rgb> = self.palette.iter().copied().collect::<Option<_>>()?;
        known.try_into().ok()
    }

    /// Whether it is dark or light, if the terminal has reported its background.
    pub(super) fn appearance(&self) -> Option<Appearance> {
        self.background.map(|background| Appearance::of(background, self.foreground))
    }
}

/// Whether a terminal is dark or light.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Appearance {
    Dark,
    Light,
}

impl Appearance {
    /// By the side of the background on which the text is, if one can read there; else by the side
    /// that has more room for contrast.
    pub(super) fn of(background: Rgb, foreground: Option<Rgb>) -> Self {
        let on_white = Rgb(255, 255, 255).contrast(background);
        let on_black = Rgb(0, 0, 0).contrast(background);
        if let Some(foreground) = foreground {
            let difference = foreground.lightness() - background.lightness();
            if difference > 0.05 && on_white >= 4.5 {
                return Self::Dark;
            }
            if difference < -0.05 && on_black >= 4.5 {
                return Self::Light;
            }
        }
        if on_white >= on_black { Self::Dark } else { Self::Light }
    }
}
