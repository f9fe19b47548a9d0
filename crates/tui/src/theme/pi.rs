//! Pi's themes: the one that its setting `theme` names, its own `dark` and `light`, and the files of
//! the user in `themes` of Pi's folder.
//!
//! Without a setting, and for `system`, the terminal's background decides between Pi's own two; as
//! long as it is not known, the colors are those that the user has given the terminal.

use std::path::Path;

use pitree_format::{JsString, Object, Value};
use pitree_host::settings::Settings;
use pitree_session::Environment;
use pitree_session::location::agent_directory;
use ratatui::style::{Color, Modifier, Style};

use super::Theme;
use super::color::Rgb;

/// A variable may name another one, but not for ever.
const MOST_STEPS: usize = 32;
/// A theme file is small. A larger one is something else.
const MOST_BYTES: u64 = 1 << 20;

/// The parts of Pi's own themes that have a place here: name, dark, light.
const BUILT_IN: [(&str, &str, &str); 16] = [
    ("accent", "okhsl(295 50% 67%)", "okhsl(295 60% 46%)"),
    ("borderMuted", "okhsl(229 8% 53%)", "okhsl(235 7% 66%)"),
    ("success", "okhsl(159 59% 67%)", "okhsl(159 75% 46%)"),
    ("error", "okhsl(20 72% 67%)", "okhsl(20 91% 47%)"),
    ("warning", "okhsl(83 88% 67%)", "okhsl(83 99% 47%)"),
    ("dim", "okhsl(229 8% 56%)", "okhsl(229 7% 59%)"),
    ("text", "okhsl(234 3% 89%)", "okhsl(225 5% 27%)"),
    ("thinkingText", "okhsl(226 7% 65%)", "okhsl(234 8% 55%)"),
    ("selectedBg", "okhsl(233 41% 24%)", "okhsl(235 19% 91%)"),
    ("searchMatchBg", "okhsl(53 51% 24%)", "okhsl(56 22% 91%)"),
    ("searchMatchText", "okhsl(229 6% 67%)", "okhsl(229 8% 47%)"),
    ("customMessageLabel", "okhsl(295 50% 67%)", "okhsl(295 60% 46%)"),
    ("toolTitle", "okhsl(234 3% 89%)", "okhsl(225 5% 27%)"),
    ("mdCode", "okhsl(295 50% 67%)", "okhsl(295 60% 46%)"),
    ("syntaxKeyword", "okhsl(232 54% 67%)", "okhsl(231 68% 47%)"),
    ("syntaxString", "okhsl(52 67% 67%)", "okhsl(52 84% 46%)"),
];

/// Which themes there are to choose from, once the terminal's background is known.
#[derive(Clone, Copy, Debug)]
pub struct ThemeChoice {
    /// As long as the background is not known.
    pub now: Theme,
    /// On a light background.
    light: Theme,
    /// On a dark background.
    dark: Theme,
    /// Whether the background makes a difference.
    pub asks_terminal: bool,
}

impl ThemeChoice {
    /// The user's theme. One that cannot be read counts as none, as in Pi.
    pub fn load(environment: &Environment, colors: bool) -> Self {
        if !colors {
            return Self::only(Theme::plain());
        }
        let settings = Settings::load(environment, environment.cwd()).ok();
        let setting = settings.and_then(|settings| settings.theme().ok().flatten());
        let setting = setting.unwrap_or_default();
        let named = |name: &str| named(name.trim(), environment);
        match setting.split_once('/') {
            _ if matches!(setting.trim(), "" | "system") => {
                Self::by_background(Theme::colours(), named("light"), named("dark"), environment)
            }
            None => Self::only(named(&setting).unwrap_or_else(Theme::colours)),
            Some((light, dark)) => {
                let dark = named(dark);
                let now = dark.unwrap_or_else(Theme::colours);
                Self::by_background(now, named(light), dark, environment)
            }
        }
    }

    fn only(theme: Theme) -> Self {
        Self { now: theme, light: theme, dark: theme, asks_terminal: false }
    }

    fn by_background(
        now: Theme,
        light: Option<Theme>,
        dark: Option<Theme>,
        environment: &Environment,
    ) -> Self {
        let (light, dark) = (light.unwrap_or(now), dark.unwrap_or(now));
        let now = match background_by_variable(environment) {
            Some(true) => light,
            Some(false) => dark,
            None => now,
        };
        // The console of Linux has no answer.
        let asks_terminal = environment.var("TERM").is_some_and(|name| name != "linux");
        Self { now, light, dark, asks_terminal }
    }

    /// The theme for a background that the terminal has reported.
    pub fn on(&self, background: Rgb) -> Theme {
        if background.is_light() { self.light } else { self.dark }
    }
}

/// Whether the background is light, by the variable that some terminals set, read as Pi does.
fn background_by_variable(environment: &Environment) -> Option<bool> {
    let last = environment.var("COLORFGBG")?.rsplit(';').next()?.trim();
    let index: u8 = last.parse().ok().filter(|index| *index < 16)?;
    Some(!(index <= 6 || index == 8))
}

/// The theme of this name; `None` if there is none, or if it cannot be read.
fn named(name: &str, environment: &Environment) -> Option<Theme> {
    let all_colors = has_all_colors(environment);
    let is_light = match name {
        "dark" => false,
        "light" => true,
        _ => return of_file(name, environment, all_colors),
    };
    let of = |token: &str| {
        let (_, dark, light) = BUILT_IN.iter().find(|(known, ..)| *known == token)?;
        Some(Rgb::parse(if is_light { light } else { dark })?.color(all_colors))
    };
    Some(theme(of))
}

fn of_file(name: &str, environment: &Environment, all_colors: bool) -> Option<Theme> {
    // It is the name of a file in one folder, and nothing else.
    if name.is_empty() || name.contains(['/', '\\', '\0']) || name.starts_with('.') {
        return None;
    }
    let path = agent_directory(environment).join("themes").join(format!("{name}.json"));
    let file = read(&path)?;
    let colors = file.get("colors")?.as_object()?;
    let vars = file.get("vars").and_then(Value::as_object);
    Some(theme(|token| color(colors.get(token)?, vars, all_colors)))
}

fn read(path: &Path) -> Option<Value> {
    let about = fs_err::metadata(path).ok().filter(std::fs::Metadata::is_file)?;
    let bytes = fs_err::read(path).ok().filter(|_| about.len() <= MOST_BYTES)?;
    pitree_format::js::parse(&bytes).ok()
}

/// A value of a theme file: a color, the number of one, nothing for the terminal's own, or the name
/// of a variable.
fn color(value: &Value, vars: Option<&Object>, all_colors: bool) -> Option<Color> {
    let mut value = value;
    for _ in 0..MOST_STEPS {
        let text = match value {
            Value::Number(index) if (0.0..256.0).contains(index) => {
                return Some(Color::Indexed(*index as u8));
            }
            Value::String(text) => JsString::to_text(text),
            _ => return None,
        };
        if text.is_empty() {
            return Some(Color::Reset);
        }
        if let Some(rgb) = Rgb::parse(&text) {
            return Some(rgb.color(all_colors));
        }
        value = vars?.get(&text)?;
    }
    None
}

/// Whether the terminal shows more than 256 colors.
fn has_all_colors(environment: &Environment) -> bool {
    let is = |name: &str, signs: &[&str]| {
        environment.var(name).is_some_and(|value| signs.iter().any(|sign| value.contains(sign)))
    };
    is("COLORTERM", &["truecolor", "24bit"]) || is("TERM", &["direct", "kitty", "ghostty"])
}

/// A theme made of Pi's. A color that it does not name is the terminal's own.
fn theme(of: impl Fn(&str) -> Option<Color>) -> Theme {
    let fg = |token: &str| of(token).map_or_else(Style::new, |color| Style::new().fg(color));
    let bg = |style: Style, token: &str| match of(token) {
        Some(color) => style.bg(color),
        None => style.add_modifier(Modifier::REVERSED),
    };
    let lanes = ["borderMuted", "accent", "syntaxKeyword", "warning", "success", "error"];
    Theme {
        text: fg("text"),
        dim: fg("dim"),
        strong: fg("text").add_modifier(Modifier::BOLD),
        accent: fg("accent"),
        selected: bg(fg("text"), "selectedBg"),
        named: fg("warning"),
        good: fg("success"),
        warning: fg("warning"),
        error: fg("error"),
        found: fg("accent").add_modifier(Modifier::BOLD),
        highlight: bg(fg("searchMatchText"), "searchMatchBg").add_modifier(Modifier::BOLD),
        border: fg("borderMuted"),
        user: fg("accent"),
        tool: fg("toolTitle"),
        thinking: fg("thinkingText").add_modifier(Modifier::ITALIC),
        summary: fg("customMessageLabel"),
        code: fg("mdCode"),
        keyword: fg("syntaxKeyword"),
        literal: fg("syntaxString"),
        lanes: lanes.map(fg),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(home: &Path, settings: &str) -> Environment {
        let folder = home.join(".pi/agent/themes");
        fs_err::create_dir_all(&folder).unwrap();
        fs_err::write(home.join(".pi/agent/settings.json"), settings).unwrap();
        let mine = r##"{"name": "mine", "vars": {"red": "#ff0000", "a": "b", "b": "a"},
            "colors": {"accent": "red", "error": 9, "text": "", "dim": "a", "selectedBg": 7}}"##;
        fs_err::write(folder.join("mine.json"), mine).unwrap();
        fs_err::write(folder.join("broken.json"), "{").unwrap();
        Environment::new(home, "/srv", || 0, |bytes| bytes.fill(7))
            .with_var("TERM", "xterm")
            .with_var("COLORTERM", "truecolor")
    }

    fn accent(theme: Theme) -> Option<Color> {
        theme.accent.fg
    }

    #[test]
    fn the_theme_is_the_one_of_pis_settings() {
        let home = tempfile::tempdir().unwrap();
        let load = |settings: &str| ThemeChoice::load(&environment(home.path(), settings), true);
        let (white, black) = (Rgb(255, 255, 255), Rgb(0, 0, 0));
        let dark = Color::Rgb(167, 152, 215);
        let choice = load("{}");
        assert_eq!(accent(choice.now), Some(Color::Cyan), "until the terminal answers");
        assert!(choice.asks_terminal);
        assert_eq!(accent(choice.on(black)), Some(dark));
        assert_ne!(accent(choice.on(white)), Some(dark));
        let choice = load(r#"{"theme": "dark"}"#);
        assert_eq!((accent(choice.now), choice.asks_terminal), (Some(dark), false));
        assert_eq!(accent(choice.on(white)), Some(dark), "it was chosen");
        let choice = load(r#"{"theme": "mine/dark"}"#);
        assert_eq!(accent(choice.on(white)), Some(Color::Rgb(255, 0, 0)));
        assert_eq!(accent(choice.on(black)), Some(dark));
        let mine = load(r#"{"theme": "mine"}"#).now;
        assert_eq!(accent(mine), Some(Color::Rgb(255, 0, 0)));
        assert_eq!((mine.error.fg, mine.text.fg), (Some(Color::Indexed(9)), Some(Color::Reset)));
        assert_eq!(mine.dim.fg, None, "variables that name each other are no color");
        assert_eq!(mine.selected.bg, Some(Color::Indexed(7)));
        for wrong in ["broken", "missing", "..", "a/b/c"] {
            let choice = load(&format!(r#"{{"theme": "{wrong}"}}"#));
            assert_eq!(accent(choice.now), Some(Color::Cyan), "{wrong}");
        }
        let without = ThemeChoice::load(&environment(home.path(), "{}"), false);
        assert_eq!((accent(without.now), without.asks_terminal), (None, false));
    }

    #[test]
    fn a_variable_may_tell_the_background() {
        let home = tempfile::tempdir().unwrap();
        let dark = |value: &str| {
            let environment = environment(home.path(), r#"{"theme": "mine/dark"}"#);
            let choice = ThemeChoice::load(&environment.with_var("COLORFGBG", value), true);
            accent(choice.now) != Some(Color::Rgb(255, 0, 0))
        };
        assert!(dark("15;0") && dark("15;default;8") && dark("x") && dark("0;99"));
        assert!(!dark("0;15") && !dark("0;default;7"));
    }

    #[test]
    fn the_built_in_themes_are_those_of_pi() {
        let Ok(pi) = pitree_testkit::Oracle::paths() else { return };
        let folder = "dist/modes/interactive/theme";
        let folder = pi.module.ancestors().map(|it| it.join(folder)).find(|it| it.exists());
        let folder = folder.expect("Pi's themes");
        for (name, is_light) in [("dark", false), ("light", true)] {
            let file = read(&folder.join(format!("{name}.json"))).unwrap();
            let colors = file.get("colors").and_then(Value::as_object).unwrap();
            let vars = file.get("vars").and_then(Value::as_object);
            for (token, dark, light) in BUILT_IN {
                let ours = Rgb::parse(if is_light { light } else { dark }).unwrap();
                let theirs = color(colors.get(token).unwrap(), vars, true);
                assert_eq!(Some(ours.color(true)), theirs, "{name}: {token}");
            }
        }
    }
}
