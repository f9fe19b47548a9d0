//! Pi's theme `system`: colors made from those of the terminal.
//!
//! Each token has a hue, that of one of the terminal's 16 colors if it has reported them, and the
//! contrast that it needs on the surfaces that it is drawn on, which decides how light it is. The
//! curves and their numbers are Pi's; those of other tokens than the ones here have no influence.

use std::collections::HashMap;

use super::color::{Okhsl, Rgb, okhsl, oklch};
use super::terminal::{Appearance, TerminalColors};

/// A text must have this contrast on what it is drawn on, as WCAG counts it.
const LEAST_TEXT_CONTRAST: f64 = 4.5;

/// So many halvings are precise enough.
const HALVINGS: usize = 20;

const BACKGROUND: &str = "background";

/// Tokens of one hue.
struct Family {
    /// The hue, where the terminal has not reported its colors.
    hue: f64,
    /// The saturation near black and white, and in the middle.
    least: f64,
    most: f64,
    /// Which of the terminal's colors it is.
    slot: usize,
}

static NEUTRAL: Family = Family { hue: 231.49, least: 0.02, most: 0.08, slot: 8 };
static BLUE: Family = Family { hue: 231.49, least: 0.1, most: 0.68, slot: 4 };
static GREEN: Family = Family { hue: 158.68, least: 0.1, most: 0.76, slot: 2 };
static RED: Family = Family { hue: 20.0, least: 0.1, most: 0.92, slot: 1 };
static YELLOW: Family = Family { hue: 82.36, least: 0.5, most: 1.0, slot: 3 };
static ORANGE: Family = Family { hue: 52.0, least: 0.12, most: 0.85, slot: 3 };
static VIOLET: Family = Family { hue: 295.0, least: 0.2, most: 0.6, slot: 5 };

/// How light something must be on a surface: the factors of a polynomial, and between which
/// surfaces it holds.
struct Curve {
    from: f64,
    to: f64,
    factors: [f64; 6],
}

/// A contrast.
struct Level {
    dark: Curve,
    light: Curve,
}

static PANEL: Level = Level {
    dark: Curve {
        from: 0.0,
        to: 0.979,
        factors: [0.291_31, -0.397_46, 2.331_85, -0.855_24, -1.207_6, 0.862_76],
    },
    light: Curve {
        from: 0.348,
        to: 1.0,
        factors: [-3.740_73, 27.945_49, -78.442_58, 112.679_8, -79.600_15, 22.112_77],
    },
};
static SUBTLE: Level = Level {
    dark: Curve {
        from: 0.0,
        to: 0.848,
        factors: [0.567_62, -0.024_75, -0.538_3, 5.126_28, -7.109_31, 3.173_24],
    },
    light: Curve {
        from: 0.657,
        to: 1.0,
        factors: [
            -232.854_59,
            1_376.544_73,
            -3_249.118_01,
            3_827.911_86,
            -2_248.294_72,
            526.557_51,
        ],
    },
};
static READABLE: Level = Level {
    dark: Curve {
        from: 0.0,
        to: 0.77,
        factors: [0.669_37, 0.047_04, -1.068_71, 6.439_41, -8.933_2, 4.172_29],
    },
    light: Curve {
        from: 0.751,
        to: 1.0,
        factors: [
            -1_554.525_76,
            8_733.568_17,
            -19_604.935_07,
            21_977.726_96,
            -12_300.995_99,
            2_749.812_88,
        ],
    },
};
static EMPHASIS: Level = Level {
    dark: Curve {
        from: 0.0,
        to: 0.712,
        factors: [0.730_3, 0.076_95, -1.316_26, 7.168_1, -10.144_36, 4.928_46],
    },
    light: Curve {
        from: 0.811,
        to: 1.0,
        factors: [
            -4_948.319_42,
            26_870.919_86,
            -58_334.483_99,
            63_280.171_97,
            -34_298.010_53,
            7_430.301_46,
        ],
    },
};
static TEXT_ON_PANEL: Level = Level {
    dark: Curve {
        from: 0.0,
        to: 0.542,
        factors: [0.867_13, 0.052_32, -0.894_28, 4.790_14, -5.543_2, 1.750_23],
    },
    light: Curve {
        from: 0.867,
        to: 1.0,
        factors: [
            -8_570.894_57,
            43_954.608_05,
            -90_084.007_02,
            92_220.679_1,
            -47_152.158_02,
            9_632.271_13,
        ],
    },
};
static TEXT: Level = Level {
    dark: Curve {
        from: 0.0,
        to: 0.5,
        factors: [0.892_42, 0.023_11, -0.448_62, 2.344_17, -0.060_84, -2.638_44],
    },
    light: Curve {
        from: 0.894,
        to: 1.0,
        factors: [
            -2_004.670_48,
            6_664.472_99,
            -6_060.702_02,
            -1_792.612_09,
            5_133.823_59,
            -1_939.855_83,
        ],
    },
};

/// What a token must look like.
struct Token {
    name: &'static str,
    family: &'static Family,
    /// On which surfaces it has which contrast.
    on: &'static [(&'static Level, &'static [&'static str])],
}

const fn token(
    name: &'static str,
    family: &'static Family,
    on: &'static [(&'static Level, &'static [&'static str])],
) -> Token {
    Token { name, family, on }
}

/// Surfaces, each before what is drawn on it.
static PANELS: [Token; 7] = [
    token("userMessageBg", &BLUE, &[(&PANEL, &[BACKGROUND])]),
    token("toolPendingBg", &NEUTRAL, &[(&PANEL, &[BACKGROUND])]),
    token("toolSuccessBg", &GREEN, &[(&PANEL, &[BACKGROUND])]),
    token("toolErrorBg", &RED, &[(&PANEL, &[BACKGROUND])]),
    token("selectedBg", &BLUE, &[(&PANEL, &[BACKGROUND])]),
    token("searchMatchBg", &ORANGE, &[(&PANEL, &[BACKGROUND])]),
    token("customMessageBg", &VIOLET, &[(&PANEL, &[BACKGROUND])]),
];

const TOOLS: &[&str] = &["toolPendingBg", "toolSuccessBg", "toolErrorBg"];
const STATE: &[&str] = &[BACKGROUND, "selectedBg", "toolPendingBg", "toolSuccessBg", "toolErrorBg"];
const STATE_OR_MESSAGE: &[&str] =
    &[BACKGROUND, "selectedBg", "customMessageBg", "toolPendingBg", "toolSuccessBg", "toolErrorBg"];
const PROSE: &[&str] = &[BACKGROUND, "userMessageBg", "customMessageBg"];
const CODE: &[&str] = &[
    BACKGROUND,
    "userMessageBg",
    "customMessageBg",
    "toolPendingBg",
    "toolSuccessBg",
    "toolErrorBg",
];

/// What is drawn on the surfaces.
static TOKENS: [Token; 14] = [
    token("text", &NEUTRAL, &[(&TEXT, &[BACKGROUND]), (&TEXT_ON_PANEL, &["selectedBg"])]),
    token("toolTitle", &NEUTRAL, &[(&TEXT_ON_PANEL, TOOLS)]),
    token("accent", &VIOLET, &[(&READABLE, STATE)]),
    token("success", &GREEN, &[(&READABLE, STATE)]),
    token("error", &RED, &[(&READABLE, STATE)]),
    token("warning", &YELLOW, &[(&READABLE, STATE)]),
    token("dim", &NEUTRAL, &[(&SUBTLE, STATE_OR_MESSAGE)]),
    token("thinkingText", &NEUTRAL, &[(&READABLE, &[BACKGROUND])]),
    token("customMessageLabel", &VIOLET, &[(&READABLE, STATE_OR_MESSAGE)]),
    token("mdCode", &VIOLET, &[(&READABLE, PROSE)]),
    token("syntaxKeyword", &BLUE, &[(&READABLE, CODE)]),
    token("syntaxString", &ORANGE, &[(&READABLE, CODE)]),
    token("searchMatchText", &NEUTRAL, &[(&READABLE, &["searchMatchBg"])]),
    token("borderMuted", &NEUTRAL, &[(&SUBTLE, &[BACKGROUND])]),
];

/// Tokens that have the terminal's own text color, if that is strong enough.
const FOREGROUND: [&str; 2] = ["text", "toolTitle"];

/// The colors that were found, by their tokens.
type Solved = HashMap<&'static str, Rgb>;

/// The colors of the tokens; `None` is the terminal's own. Without a background there are none.
pub(super) fn colors(terminal: &TerminalColors) -> Option<HashMap<&'static str, Option<Rgb>>> {
    let background = terminal.background?;
    let appearance = Appearance::of(background, terminal.foreground);
    let palette = terminal.palette();
    let palette = palette.map(|palette| palette.map(Source::of));
    let generator = Generator { background, foreground: terminal.foreground, appearance, palette };
    let (solved, relaxation) = generator.relax();
    let mut colors: HashMap<_, _> =
        solved.iter().map(|(name, color)| (*name, Some(*color))).collect();
    for token in TOKENS.iter().filter(|token| FOREGROUND.contains(&token.name)) {
        colors.insert(token.name, generator.foreground_color(token, &solved, relaxation));
    }
    Some(colors)
}

/// One of the terminal's colors.
#[derive(Clone, Copy)]
struct Source {
    color: Okhsl,
    chroma: f64,
}

impl Source {
    fn of(color: Rgb) -> Self {
        let [_, a, b] = color.oklab();
        Self { color: color.okhsl(), chroma: a.hypot(b) }
    }

    /// Its hue, lighter or darker. Nearer to black and white it is grayer, and never more colorful.
    fn at(&self, family: &Family, lightness: f64) -> Rgb {
        let anchor = family.share(self.color.lightness);
        let falloff = if anchor > 0.0 { (family.share(lightness) / anchor).min(1.0) } else { 1.0 };
        let saturation = self.color.saturation * falloff;
        let color = okhsl(Okhsl { saturation, lightness, ..self.color });
        let most = self.chroma * falloff;
        let [l, a, b] = color.oklab();
        if a.hypot(b) <= most { color } else { oklch(l, most, self.color.hue) }
    }
}

impl Family {
    /// Which share of its saturation it has at a lightness.
    fn share(&self, lightness: f64) -> f64 {
        let floor = if self.most > 0.0 { self.least / self.most } else { 1.0 };
        floor + (1.0 - floor) * bell(lightness)
    }
}

/// 1 in the middle between black and white, 0 at both.
fn bell(lightness: f64) -> f64 {
    let gaussian = |x: f64| (-(x - 0.5).powi(2) / (2.0 * 0.25_f64.powi(2))).exp();
    (gaussian(lightness) - gaussian(0.0)) / (1.0 - gaussian(0.0))
}

struct Generator {
    background: Rgb,
    foreground: Option<Rgb>,
    appearance: Appearance,
    palette: Option<[Source; 16]>,
}

impl Generator {
    /// The colors with as much contrast as the background has room for, and how much of it they
    /// went without: a gray one has not room for all.
    fn relax(&self) -> (Solved, f64) {
        if let Some(colors) = self.solve(0.0) {
            return (colors, 0.0);
        }
        let (mut low, mut high) = (0.0, 2.0);
        let mut colors = self.solve(high).unwrap_or_default();
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            match self.solve(middle) {
                Some(solved) => (high, colors) = (middle, solved),
                None => low = middle,
            }
        }
        (colors, high)
    }

    fn solve(&self, relaxation: f64) -> Option<Solved> {
        let mut colors = Solved::from([(BACKGROUND, self.background)]);
        for token in &PANELS {
            let lightness = self.lightness(token, &colors, relaxation)?;
            colors.insert(token.name, self.readable_panel(token, lightness));
        }
        for token in &TOKENS {
            let lightness = self.lightness(token, &colors, relaxation)?;
            colors.insert(token.name, self.paint(token, lightness));
        }
        Some(colors)
    }

    /// How light a token must be to be seen on all its surfaces.
    fn lightness(&self, token: &Token, colors: &Solved, relaxation: f64) -> Option<f64> {
        let of_level = |(level, surfaces): &(&'static Level, &'static [&'static str])| {
            let target = |name: &&str| {
                let surface = colors.get(*name).unwrap_or(&self.background);
                let wanted = self.target(level, surface.lightness(), relaxation)?;
                (0.0..=1.0).contains(&wanted).then_some(wanted)
            };
            surfaces.iter().map(target).collect::<Option<Vec<f64>>>()
        };
        let all: Vec<Vec<f64>> = token.on.iter().map(of_level).collect::<Option<_>>()?;
        all.into_iter().flatten().reduce(|a, b| self.stronger(a, b))
    }

    fn stronger(&self, a: f64, b: f64) -> f64 {
        if self.is_dark() { a.max(b) } else { a.min(b) }
    }

    fn is_dark(&self) -> bool {
        self.appearance == Appearance::Dark
    }

    /// White on a dark background, black on a light one.
    fn extreme(&self) -> f64 {
        if self.is_dark() { 1.0 } else { 0.0 }
    }

    /// How light something of this level is on a surface. Relaxed by up to 1, what is stronger than
    /// readable comes nearer to that; by more, all comes nearer to the surface.
    fn target(&self, level: &Level, surface: f64, relaxation: f64) -> Option<f64> {
        let reached = self.reached(level, surface);
        if reached.is_none() && relaxation == 0.0 {
            return None;
        }
        let floor = if self.is_dark() { &READABLE } else { &SUBTLE };
        let distance = reached.unwrap_or(self.extreme()) - surface;
        let floor = self.reached(floor, surface).unwrap_or(self.extreme()) - surface;
        let nearer = match distance.abs() > floor.abs() {
            true => distance - (distance - floor) * relaxation.min(1.0),
            false => distance,
        };
        Some(surface + nearer * (1.0 - (relaxation - 1.0).max(0.0)))
    }

    fn reached(&self, level: &Level, surface: f64) -> Option<f64> {
        let curve = if self.is_dark() { &level.dark } else { &level.light };
        let is_reachable = (curve.from..=curve.to).contains(&surface);
        let value = curve.factors.iter().rev().fold(0.0, |sum, factor| sum * surface + factor);
        is_reachable.then_some(value)
    }

    /// A token's color, this light.
    fn paint(&self, token: &Token, oklab_lightness: f64) -> Rgb {
        let lightness = Okhsl::lightness_of(oklab_lightness);
        let family = token.family;
        match &self.palette {
            None => {
                let saturation = family.least + (family.most - family.least) * bell(lightness);
                okhsl(Okhsl { hue: family.hue, saturation, lightness })
            }
            Some(palette) => {
                // It would have the color of `warning` otherwise.
                let slot = if token.name == "syntaxString" { 2 } else { family.slot };
                palette[slot].at(family, lightness)
            }
        }
    }

    /// A panel on which white or black text can be read, however gray the background is.
    fn readable_panel(&self, token: &Token, lightness: f64) -> Rgb {
        let white = if self.is_dark() { 255 } else { 0 };
        let text = Rgb(white, white, white);
        let can_be_read = |panel: Rgb| text.contrast(panel) >= LEAST_TEXT_CONTRAST;
        let color = self.paint(token, lightness);
        if can_be_read(color) {
            return color;
        }
        let (mut low, mut high) = (self.background.lightness(), lightness);
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            match can_be_read(self.paint(token, middle)) {
                true => low = middle,
                false => high = middle,
            }
        }
        self.paint(token, low)
    }

    /// The color of text: the terminal's own if that is strong enough, else its hue.
    fn foreground_color(&self, token: &Token, solved: &Solved, relaxation: f64) -> Option<Rgb> {
        let surface = |name: &&str| *solved.get(*name).unwrap_or(&self.background);
        let surfaces = token.on.iter().flat_map(|(_, names)| names.iter().map(surface));
        let surfaces: Vec<Rgb> = surfaces.collect();
        let mut text = *solved.get(token.name)?;
        if let Some(foreground) = self.foreground {
            let target = |surface: &Rgb| {
                let target = self.target(&EMPHASIS, surface.lightness(), relaxation)?;
                (0.0..=1.0).contains(&target).then_some(target)
            };
            let targets: Option<Vec<f64>> = surfaces.iter().map(target).collect();
            let needed = targets.and_then(|all| all.into_iter().reduce(|a, b| self.stronger(a, b)));
            if let Some(needed) = needed {
                let own = foreground.lightness();
                if self.stronger(own, needed) == own {
                    return None;
                }
                text = Source::of(foreground).at(&NEUTRAL, Okhsl::lightness_of(needed));
            }
        }
        Some(self.readable_text(text, &surfaces))
    }

    /// The color, lighter or darker until it can be read on all surfaces.
    fn readable_text(&self, color: Rgb, surfaces: &[Rgb]) -> Rgb {
        let can_be_read = |color: Rgb| {
            surfaces.iter().all(|surface| color.contrast(*surface) >= LEAST_TEXT_CONTRAST)
        };
        if can_be_read(color) {
            return color;
        }
        let own = color.okhsl();
        let at = |lightness| okhsl(Okhsl { lightness, ..own });
        let (mut low, mut high) = (own.lightness, self.extreme());
        if !can_be_read(at(high)) {
            return at(high);
        }
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            match can_be_read(at(middle)) {
                true => high = middle,
                false => low = middle,
            }
        }
        at(high)
    }
}

#[cfg(test)]
mod tests;
