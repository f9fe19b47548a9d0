//! Colors as theme files of Pi spell them: `#rrggbb`, `okhsl(…)`, `oklch(…)`, and the 256 of a
//! terminal. The arithmetic of the color spaces is Björn Ottosson's, with Pi's constants.

use std::f64::consts::PI;

use ratatui::style::Color;

type Three = [f64; 3];

const LAB_TO_LMS: [Three; 3] = [
    [1.0, 0.396_337_777_376_174_9, 0.215_803_757_309_913_6],
    [1.0, -0.105_561_345_815_658_6, -0.063_854_172_825_813_3],
    [1.0, -0.089_484_177_529_811_9, -1.291_485_548_019_409_2],
];
const LMS_TO_RGB: [Three; 3] = [
    [4.076_741_636_075_958, -3.307_711_539_258_063, 0.230_969_903_182_104_3],
    [-1.268_437_973_285_031_5, 2.609_757_349_287_688, -0.341_319_376_002_657],
    [-0.004_196_076_138_675_6, -0.703_418_617_935_936_2, 1.707_614_694_074_611_7],
];
const RGB_TO_LMS: [Three; 3] = [
    [0.412_221_469_470_762_9, 0.536_332_537_261_734_9, 0.051_445_993_267_502_2],
    [0.211_903_495_817_825_1, 0.680_699_550_645_234_4, 0.107_396_953_536_940_5],
    [0.088_302_459_190_056_4, 0.281_718_839_136_121_5, 0.629_978_701_673_822_2],
];
const LMS_TO_LAB: [Three; 3] = [
    [0.210_454_268_309_314, 0.793_617_774_702_305, -0.004_072_043_011_619_3],
    [1.977_998_532_431_168_4, -2.428_592_242_048_58, 0.450_593_709_617_411],
    [0.025_904_042_465_547_8, 0.782_771_712_457_529_6, -0.808_675_754_923_077_4],
];
/// Which part of the gamut's surface a hue is on, and a first estimate of its saturation there.
const SATURATION_FIT: [([f64; 2], [f64; 5]); 3] = [
    (
        [-1.881_703_1, -0.809_365_01],
        [1.190_862_77, 1.765_767_28, 0.596_626_41, 0.755_151_97, 0.567_712_45],
    ),
    (
        [1.814_440_8, -1.194_452_67],
        [0.739_565_15, -0.459_544_04, 0.082_854_27, 0.125_410_73, -0.145_032_04],
    ),
    (
        [0.131_107_58, 1.813_339_71],
        [1.357_336_52, -0.009_157_99, -1.151_302_1, -0.505_596_06, 0.006_921_67],
    ),
];
const K1: f64 = 0.206;
const K2: f64 = 0.03;
const K3: f64 = (1.0 + K1) / (1.0 + K2);
/// The values of the color cube among a terminal's 256 colors.
const CUBE: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// A color by its parts of red, green and blue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    /// How light it looks, how green or red, how blue or yellow.
    pub(super) fn oklab(self) -> Three {
        let linear = [self.0, self.1, self.2].map(linear);
        times(&LMS_TO_LAB, &times(&RGB_TO_LMS, &linear).map(f64::cbrt))
    }

    /// How light it looks.
    pub(super) fn lightness(self) -> f64 {
        self.oklab()[0]
    }

    /// The contrast of two colors as WCAG counts it, from 1 to 21.
    pub(super) fn contrast(self, other: Self) -> f64 {
        let luminance = |color: Self| {
            let [red, green, blue] = [color.0, color.1, color.2].map(linear);
            0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05
        };
        let (a, b) = (luminance(self), luminance(other));
        a.max(b) / a.min(b)
    }

    pub(super) fn okhsl(self) -> Okhsl {
        let [l, a, b] = self.oklab();
        let (chroma, lightness) = (a.hypot(b), Okhsl::lightness_of(l));
        if chroma < 1e-9 || lightness <= 0.0 || lightness >= 1.0 {
            return Okhsl { hue: 0.0, saturation: 0.0, lightness };
        }
        let hue = (b.atan2(a).to_degrees() + 360.0).rem_euclid(360.0);
        let [none, mid, most] = chroma_stops(l, a / chroma, b / chroma);
        let saturation = if chroma < mid {
            let k = 0.8 * none;
            0.8 * (chroma / (k + (1.0 - k / mid) * chroma))
        } else {
            let (k, more) = (0.2 * mid * mid * 1.25 * 1.25 / none, chroma - mid);
            0.8 + 0.2 * (more / (k + (1.0 - k / (most - mid)) * more))
        };
        Okhsl { hue, saturation: saturation.clamp(0.0, 1.0), lightness }
    }

    /// The color for a terminal: as it is, or the nearest of 256.
    pub(super) fn color(self, has_all_colors: bool) -> Color {
        let Self(red, green, blue) = self;
        if has_all_colors { Color::Rgb(red, green, blue) } else { Color::Indexed(self.nearest()) }
    }

    fn nearest(self) -> u8 {
        let distance = |other: Self| {
            let part = |a: u8, b: u8| (i32::from(a) - i32::from(b)).pow(2);
            part(self.0, other.0) + part(self.1, other.1) + part(self.2, other.2)
        };
        let all = 16..=255;
        all.min_by_key(|index| distance(Self::indexed(*index))).unwrap_or(7)
    }

    /// One of the upper 240 of 256 colors, which are the same on every terminal.
    fn indexed(index: u8) -> Self {
        match index {
            232.. => {
                let gray = 8 + (index - 232) * 10;
                Self(gray, gray, gray)
            }
            _ => {
                let at = usize::from(index.saturating_sub(16));
                Self(CUBE[at / 36], CUBE[at % 36 / 6], CUBE[at % 6])
            }
        }
    }

    /// What a theme file says; `None` if it is not a color.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if let Some(digits) = text.strip_prefix('#') {
            return Self::of_digits(digits);
        }
        let lower = text.to_ascii_lowercase();
        let inside = |name: &str| lower.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')');
        let parts = |text: &str| -> Option<Three> {
            let parts: Vec<f64> = text.split_whitespace().map(number).collect::<Option<_>>()?;
            parts.try_into().ok()
        };
        if let Some([hue, saturation, lightness]) = inside("okhsl").and_then(parts) {
            let is_valid = [saturation, lightness].iter().all(|part| (0.0..=1.0).contains(part));
            return is_valid.then(|| okhsl(Okhsl { hue, saturation, lightness }));
        }
        let [lightness, chroma, hue] = inside("oklch").and_then(parts)?;
        ((0.0..=1.0).contains(&lightness) && chroma >= 0.0).then(|| oklch(lightness, chroma, hue))
    }

    /// What a terminal says: `rgb:1e1e/1e1e/1e1e` with one to four digits a part, or `#1e1e1e`.
    pub(crate) fn of_terminal(text: &str) -> Option<Self> {
        if let Some(digits) = text.strip_prefix('#') {
            return Self::of_digits(digits);
        }
        let parts = text.strip_prefix("rgba:").or(text.strip_prefix("rgb:"))?.split('/');
        let part = |part: &str| {
            let most = match part.len() {
                1 => 0xF,
                2 => 0xFF,
                3 => 0xFFF,
                4 => 0xFFFF,
                _ => return None,
            };
            let value = u32::from_str_radix(part, 16).ok()?;
            u8::try_from((value * 255 + most / 2) / most).ok()
        };
        let parts: Vec<u8> = parts.map(part).collect::<Option<_>>()?;
        match parts[..] {
            [red, green, blue] | [red, green, blue, _] => Some(Self(red, green, blue)),
            _ => None,
        }
    }

    fn of_digits(digits: &str) -> Option<Self> {
        let of = |part: &str| u8::from_str_radix(part, 16).ok();
        let part = |at: usize| match digits.len() {
            6 => of(&digits[2 * at..2 * at + 2]),
            // `#fa0` is `#ffaa00`.
            3 => of(&digits[at..=at]).map(|digit| 0x11 * digit),
            _ => None,
        };
        if digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            Some(Self(part(0)?, part(1)?, part(2)?))
        } else {
            None
        }
    }
}

/// A color by hue, saturation and lightness, as the eye sees them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Okhsl {
    pub(super) hue: f64,
    pub(super) saturation: f64,
    pub(super) lightness: f64,
}

impl Okhsl {
    /// The lightness here of one of Oklab.
    pub(super) fn lightness_of(oklab: f64) -> f64 {
        let x = K3 * oklab - K1;
        0.5 * (x + (x * x + 4.0 * K2 * K3 * oklab).sqrt())
    }
}

/// A part of a color as an amount of light.
fn linear(part: u8) -> f64 {
    let value = f64::from(part) / 255.0;
    if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

fn number(text: &str) -> Option<f64> {
    let (text, share) = match text.strip_suffix('%') {
        Some(text) => (text, 100.0),
        None => (text.strip_suffix("deg").unwrap_or(text), 1.0),
    };
    text.parse::<f64>().ok().map(|number| number / share).filter(|number| number.is_finite())
}

fn dot(a: &Three, b: &Three) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn times(matrix: &[Three; 3], vector: &Three) -> Three {
    [dot(&matrix[0], vector), dot(&matrix[1], vector), dot(&matrix[2], vector)]
}

fn to_linear(lab: &Three) -> Three {
    times(&LMS_TO_RGB, &times(&LAB_TO_LMS, lab).map(|part| part.powi(3)))
}

fn to_rgb(linear: Three) -> Rgb {
    let [red, green, blue] = linear.map(|part| {
        let shown =
            if part > 0.003_130_8 { 1.055 * part.powf(1.0 / 2.4) - 0.055 } else { 12.92 * part };
        (shown.clamp(0.0, 1.0) * 255.0).round() as u8
    });
    Rgb(red, green, blue)
}

/// How fast the parts of a color change along a hue.
fn slopes(a: f64, b: f64) -> Three {
    LAB_TO_LMS.map(|row| row[1] * a + row[2] * b)
}

fn most_saturation(a: f64, b: f64) -> f64 {
    let is_there = |([x, y], _): &([f64; 2], [f64; 5])| x * a + y * b > 1.0;
    let channel = SATURATION_FIT[..2].iter().position(is_there).unwrap_or(2);
    let [k0, k1, k2, k3, k4] = SATURATION_FIT[channel].1;
    let weights = &LMS_TO_RGB[channel];
    let estimate = k0 + k1 * a + k2 * b + k3 * a * a + k4 * a * b;
    let slopes = slopes(a, b);
    let base = slopes.map(|slope| 1.0 + estimate * slope);
    let (value, first, second) = derivatives(&base, &slopes, weights);
    estimate - value * first / (first * first - 0.5 * value * second)
}

/// A part of a color, and its first and second derivatives.
fn derivatives(lms: &Three, slopes: &Three, weights: &Three) -> (f64, f64, f64) {
    let with = |f: &dyn Fn(usize) -> f64| dot(weights, &[f(0), f(1), f(2)]);
    (
        with(&|at| lms[at].powi(3)),
        with(&|at| 3.0 * slopes[at] * lms[at].powi(2)),
        with(&|at| 6.0 * slopes[at].powi(2) * lms[at]),
    )
}

fn most_chroma(a: f64, b: f64, lightness: f64, (cusp_l, cusp_c): (f64, f64)) -> f64 {
    if lightness <= cusp_l {
        return cusp_c * lightness / cusp_l;
    }
    let estimate = cusp_c * (lightness - 1.0) / (cusp_l - 1.0);
    let slopes = slopes(a, b);
    let lms = slopes.map(|slope| lightness + estimate * slope);
    let steps = LMS_TO_RGB.map(|row| {
        let (value, first, second) = derivatives(&lms, &slopes, &row);
        let value = value - 1.0;
        let step = first / (first * first - 0.5 * value * second);
        if step >= 0.0 { -value * step } else { f64::MAX }
    });
    estimate + steps.into_iter().fold(f64::MAX, f64::min)
}

/// The chroma at no, at 80 and at 100 percent of the saturation.
fn chroma_stops(lightness: f64, a: f64, b: f64) -> Three {
    let saturation = most_saturation(a, b);
    let brightest = to_linear(&[1.0, saturation * a, saturation * b]);
    let cusp_l = (1.0 / brightest.into_iter().fold(f64::MIN, f64::max)).cbrt();
    let cusp = (cusp_l, cusp_l * saturation);
    let (l, dark) = (lightness, 1.0 - lightness);
    let most = most_chroma(a, b, l, cusp);
    let scale = most / (l * (cusp.1 / cusp.0)).min(dark * (cusp.1 / (1.0 - cusp.0)));
    let inner = -2.137_049_48 - 10.023_010_43 * b
        + a * (-4.248_945_61 + 5.387_708_19 * b + 4.698_910_13 * a);
    let mid_s = 0.115_169_93
        + 1.0
            / (7.447_789_7 + 4.159_012_4 * b + a * (-2.195_573_47 + 1.751_984_01 * b + a * inner));
    let inner =
        -0.270_879_43 + 0.612_239_9 * b + a * (0.002_992_15 - 0.453_995_68 * b - 0.146_618_72 * a);
    let mid_t = 0.112_396_42
        + 1.0
            / (1.613_203_2 - 0.681_243_79 * b + a * (0.403_706_12 + 0.901_481_23 * b + a * inner));
    let mid = 1.0 / (1.0 / (l * mid_s).powi(4) + 1.0 / (dark * mid_t).powi(4));
    let none = (1.0 / (1.0 / (l * 0.4).powi(2) + 1.0 / (dark * 0.8).powi(2))).sqrt();
    [none, 0.9 * scale * mid.sqrt().sqrt(), most]
}

pub(super) fn okhsl(color: Okhsl) -> Rgb {
    let Okhsl { hue, saturation, lightness } = color;
    let l = (lightness * lightness + K1 * lightness) / (K3 * (lightness + K2));
    if l <= 0.0 || l >= 1.0 || saturation <= 0.0 {
        return to_rgb(to_linear(&[l, 0.0, 0.0]));
    }
    let angle = 2.0 * PI * hue.rem_euclid(360.0) / 360.0;
    let (a, b) = (angle.cos(), angle.sin());
    let [none, mid, most] = chroma_stops(l, a, b);
    let chroma = if saturation < 0.8 {
        let (t, k) = (1.25 * saturation, 0.8 * none);
        t * k / (1.0 - (1.0 - k / mid) * t)
    } else {
        let (t, k) = (5.0 * (saturation - 0.8), 0.2 * mid * mid * 1.25 * 1.25 / none);
        mid + t * k / (1.0 - (1.0 - k / (most - mid)) * t)
    };
    to_rgb(to_linear(&[l, chroma * a, chroma * b]))
}

/// A color that a screen cannot show becomes grayer until it can.
pub(super) fn oklch(lightness: f64, chroma: f64, hue: f64) -> Rgb {
    let angle = hue.rem_euclid(360.0) * PI / 180.0;
    let at = |chroma: f64| to_linear(&[lightness, chroma * angle.cos(), chroma * angle.sin()]);
    let is_shown = |linear: &Three| linear.iter().all(|part| (-1e-7..=1.0 + 1e-7).contains(part));
    let (mut low, mut high) = (0.0, chroma);
    if is_shown(&at(chroma)) {
        low = chroma;
    }
    for _ in 0..20 {
        let middle = f64::midpoint(low, high);
        match is_shown(&at(middle)) {
            true => low = middle,
            false => high = middle,
        }
    }
    to_rgb(at(low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_are_read_as_pi_reads_them() {
        for (text, expected) in [
            ("#ff8000", Some(Rgb(255, 128, 0))),
            ("okhsl(0 0% 0%)", Some(Rgb(0, 0, 0))),
            ("okhsl(0 0% 100%)", Some(Rgb(255, 255, 255))),
            ("okhsl(295 50% 67%)", Some(Rgb(167, 152, 215))),
            ("okhsl(232 54% 67%)", Some(Rgb(105, 173, 208))),
            ("okhsl(83 99% 47%)", Some(Rgb(143, 104, 2))),
            ("okhsl(20 99% 63%)", Some(Rgb(254, 84, 98))),
            ("okhsl(235 19% 91%)", Some(Rgb(223, 231, 236))),
            ("okhsl(159 59% 67%)", Some(Rgb(104, 183, 141))),
            ("oklch(0.7 0.1 250)", Some(Rgb(109, 163, 218))),
            ("oklch(0.7 0.4 250)", Some(Rgb(63, 163, 255))),
            ("oklch(0.7 0 0)", Some(Rgb(158, 158, 158))),
            ("#f80", Some(Rgb(255, 136, 0))),
            ("#ff80", None),
            ("#ff800é", None),
            ("okhsl(1 2)", None),
            ("okhsl(1 200% 2%)", None),
            ("violet", None),
        ] {
            assert_eq!(Rgb::parse(text), expected, "{text}");
        }
    }

    #[test]
    fn a_terminal_with_256_colors_gets_the_nearest() {
        assert_eq!(Rgb(255, 0, 0).color(false), Color::Indexed(196));
        assert_eq!(Rgb(128, 128, 128).color(false), Color::Indexed(244));
        assert_eq!(Rgb(1, 2, 3).color(true), Color::Rgb(1, 2, 3));
    }
}
