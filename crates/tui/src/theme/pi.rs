//! Pi's themes: the one that its setting `theme` names, which may be `system`, its own `dark` and
//! `light`, or one of the user's files; or two of them, for a light and a dark background.
//!
//! Without a setting it is `system`, as in Pi. As long as the terminal has not reported its colors,
//! those are used that the user has given it.

use std::path::{Path, PathBuf};

use pitree_format::{JsString, Object, Value};
use pitree_host::settings::Settings;
use pitree_session::Environment;
use pitree_session::location::agent_directory;
use ratatui::style::{Color, Modifier, Style};

use super::Theme;
use super::color::Rgb;
use super::system;
use super::terminal::{Appearance, TerminalColors};

/// A variable may name another one, but not for ever.
const MOST_STEPS: usize = 32;
/// A theme file is small. A larger one is something else.
const MOST_BYTES: u64 = 1 << 20;
/// So many files of a folder are looked at.
const MOST_FILES: usize = 256;

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

/// Which themes there are to choose from, once the terminal's colors are known.
#[derive(Clone, Debug)]
pub struct ThemeChoice {
    /// As long as the terminal's colors are not known.
    pub now: Theme,
    /// On a light and on a dark background, if that makes a difference.
    by_background: Option<[NamedTheme; 2]>,
    /// Whether the terminal's colors make a difference.
    pub asks_terminal: bool,
    /// Why it is not the theme that the user has set.
    pub problem: Option<String>,
    all_colors: bool,
}

/// A theme, or that it is made of the terminal's colors.
#[derive(Clone, Debug)]
enum NamedTheme {
    Fixed(Box<Theme>),
    System,
}

impl ThemeChoice {
    /// The user's theme. Instead of one that cannot be read it is `system`, as in Pi.
    pub fn load(environment: &Environment, colors: bool) -> Self {
        let all_colors = has_all_colors(environment);
        let fixed = |theme| Self {
            now: theme,
            by_background: None,
            asks_terminal: false,
            problem: None,
            all_colors,
        };
        if !colors {
            return fixed(Theme::plain());
        }
        let settings = Settings::load(environment, environment.cwd()).ok();
        let setting = settings.as_ref().and_then(|settings| settings.theme().ok().flatten());
        let setting = setting.unwrap_or_default();
        let mut problem = None;
        let mut named = |name: &str| {
            let found = named(name.trim(), settings.as_ref(), environment);
            found.unwrap_or_else(|words| {
                problem.get_or_insert(words);
                NamedTheme::System
            })
        };
        let names: Vec<&str> = setting.split('/').collect();
        let (light, dark) = match names[..] {
            [name] => match named(name) {
                NamedTheme::Fixed(theme) => return fixed(*theme),
                NamedTheme::System => (NamedTheme::System, NamedTheme::System),
            },
            [light, dark] => (named(light), named(dark)),
            // It means nothing to Pi.
            _ => {
                problem = Some(format!(
                    "Theme “{setting}”: at most two names, LIGHT/DARK. Using the system theme."
                ));
                (NamedTheme::System, NamedTheme::System)
            }
        };
        let is_light = background_by_variable(environment) == Some(true);
        let now = match if is_light { &light } else { &dark } {
            NamedTheme::Fixed(theme) => **theme,
            NamedTheme::System => Theme::colors(),
        };
        // The console of Linux has no answer.
        let asks_terminal = environment.var("TERM").is_some_and(|name| name != "linux");
        let by_background = Some([light, dark]);
        Self { now, by_background, asks_terminal, problem, all_colors }
    }

    /// The theme for what the terminal has reported.
    pub fn on(&self, terminal: &TerminalColors) -> Theme {
        let Some(([light, dark], appearance)) =
            self.by_background.as_ref().zip(terminal.appearance())
        else {
            return self.now;
        };
        match if appearance == Appearance::Light { light } else { dark } {
            NamedTheme::Fixed(theme) => **theme,
            NamedTheme::System => system::colors(terminal).map_or(self.now, |colors| {
                theme_of(|token| Some((*colors.get(token)?)?.color(self.all_colors)))
            }),
        }
    }
}

/// Whether the background is light, by the variable that some terminals set, read as Pi does.
fn background_by_variable(environment: &Environment) -> Option<bool> {
    let last = environment.var("COLORFGBG")?.rsplit(';').next()?.trim();
    let index: u8 = last.parse().ok().filter(|index| *index < 16)?;
    Some(!(index <= 6 || index == 8))
}

/// The theme of this name, or why there is none.
fn named(
    name: &str,
    settings: Option<&Settings>,
    environment: &Environment,
) -> Result<NamedTheme, String> {
    let all_colors = has_all_colors(environment);
    let fixed = |theme| NamedTheme::Fixed(Box::new(theme));
    let is_light = match name {
        "" | "system" => return Ok(NamedTheme::System),
        "dark" => false,
        "light" => true,
        _ => return of_file(name, settings, environment, all_colors).map(fixed),
    };
    let of = |token: &str| {
        let (_, dark, light) = BUILT_IN.iter().find(|(known, ..)| *known == token)?;
        Some(Rgb::parse(if is_light { light } else { dark })?.color(all_colors))
    };
    Ok(fixed(theme_of(of)))
}

/// A theme of the user: a file that says this name, else one that has it.
fn of_file(
    name: &str,
    settings: Option<&Settings>,
    environment: &Environment,
    all_colors: bool,
) -> Result<Theme, String> {
    let folder = agent_directory(environment).join("themes");
    let own = settings.map(|settings| settings.theme_paths(environment)).unwrap_or_default();
    let files = own.iter().chain([&folder]).flat_map(|path| theme_files(path));
    let says_name = |file: &Value| {
        let said = file.get("name").and_then(Value::as_string);
        said.is_some_and(|said| said.to_text() == name)
    };
    // It is the name of a file in one folder, and nothing else.
    let is_file_name = !name.contains(['/', '\\', '\0']) && !name.starts_with('.');
    let by_file_name = || {
        let path = folder.join(format!("{name}.json"));
        if is_file_name && path.exists() { Some(read(&path)) } else { None }
    };
    let said = files.filter_map(|path| read(&path).ok()).find(says_name);
    let file = match said.map(Ok).or_else(by_file_name) {
        Some(file) => file,
        None => Err("there is no such theme".to_owned()),
    };
    let colors = file.and_then(|file| match file.get("colors").and_then(Value::as_object) {
        Some(colors) => Ok((colors.clone(), file.get("vars").and_then(Value::as_object).cloned())),
        None => Err("its file has no `colors`".to_owned()),
    });
    match colors {
        Ok((colors, vars)) => {
            Ok(theme_of(|token| color(colors.get(token)?, vars.as_ref(), all_colors)))
        }
        Err(why) => Err(format!("Theme “{name}”: {why}. Using the system theme.")),
    }
}

/// The theme files that a path stands for: itself, or those in the folder.
fn theme_files(path: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs_err::read_dir(path) else { return vec![path.to_owned()] };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let is_theme = |path: &PathBuf| path.extension().is_some_and(|end| end == "json");
    let mut files: Vec<PathBuf> = paths.filter(is_theme).take(MOST_FILES).collect();
    files.sort();
    files
}

fn read(path: &Path) -> Result<Value, String> {
    let about = fs_err::metadata(path).map_err(|error| error.to_string())?;
    if !about.is_file() || about.len() > MOST_BYTES {
        return Err("its file is not a theme".to_owned());
    }
    let bytes = fs_err::read(path).map_err(|error| error.to_string())?;
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&bytes);
    pitree_format::js::parse(bytes).map_err(|_| "its file is not valid JSON".to_owned())
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
fn theme_of(of: impl Fn(&str) -> Option<Color>) -> Theme {
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
    use crate::theme::TerminalAnswer;

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

    fn on(choice: &ThemeChoice, background: u8) -> Theme {
        let mut terminal = TerminalColors::default();
        let background = Rgb(background, background, background);
        terminal.take(TerminalAnswer::Background(background));
        choice.on(&terminal)
    }

    const WHITE: u8 = 255;
    const BLACK: u8 = 0;
    const DARK: Option<Color> = Some(Color::Rgb(167, 152, 215));
    const RED: Option<Color> = Some(Color::Rgb(255, 0, 0));

    #[test]
    fn the_theme_is_the_one_of_pis_settings() {
        let home = tempfile::tempdir().unwrap();
        let load = |settings: &str| ThemeChoice::load(&environment(home.path(), settings), true);
        for system in ["{}", r#"{"theme": "system"}"#, r#"{"theme": "system/system"}"#] {
            let choice = load(system);
            assert_eq!(accent(choice.now), Some(Color::Cyan), "until the terminal answers");
            assert!(choice.asks_terminal && choice.problem.is_none());
            let (on_black, on_white) = (accent(on(&choice, BLACK)), accent(on(&choice, WHITE)));
            assert!(matches!(on_black, Some(Color::Rgb(..))) && on_black != on_white);
        }
        let choice = load(r#"{"theme": "dark"}"#);
        assert_eq!((accent(choice.now), choice.asks_terminal), (DARK, false));
        assert_eq!(accent(on(&choice, WHITE)), DARK, "it was chosen");
        let choice = load(r#"{"theme": "mine/dark"}"#);
        assert_eq!(accent(on(&choice, WHITE)), RED);
        assert_eq!(accent(on(&choice, BLACK)), DARK);
        let mine = load(r#"{"theme": "mine"}"#).now;
        assert_eq!(accent(mine), RED);
        assert_eq!((mine.error.fg, mine.text.fg), (Some(Color::Indexed(9)), Some(Color::Reset)));
        assert_eq!(mine.dim.fg, None, "variables that name each other are no color");
        assert_eq!(mine.selected.bg, Some(Color::Indexed(7)));
        let without = ThemeChoice::load(&environment(home.path(), "{}"), false);
        assert_eq!((accent(without.now), without.asks_terminal), (None, false));
    }

    #[test]
    fn a_theme_may_have_another_name_than_its_file_and_lie_elsewhere() {
        let home = tempfile::tempdir().unwrap();
        let themes = home.path().join("more");
        fs_err::create_dir_all(&themes).unwrap();
        let of = |name: &str| format!(r##"{{"name": "{name}", "colors": {{"accent": "#f00"}}}}"##);
        fs_err::write(themes.join("a.json"), of("Far away")).unwrap();
        fs_err::write(home.path().join("one.json"), of("One")).unwrap();
        for name in ["Far away", "One"] {
            let settings =
                format!(r#"{{"theme": "{name}", "themes": ["~/more", "../../one.json"]}}"#);
            let choice = ThemeChoice::load(&environment(home.path(), &settings), true);
            assert_eq!((accent(choice.now), choice.problem), (RED, None), "{name}");
        }
    }

    #[test]
    fn instead_of_a_theme_that_is_not_there_it_is_system_and_that_is_said() {
        let home = tempfile::tempdir().unwrap();
        for (wrong, why) in [
            ("broken", "its file is not valid JSON"),
            ("missing", "there is no such theme"),
            ("..", "there is no such theme"),
            ("missing/dark", "there is no such theme"),
        ] {
            let settings = format!(r#"{{"theme": "{wrong}"}}"#);
            let choice = ThemeChoice::load(&environment(home.path(), &settings), true);
            let name = wrong.split('/').next().unwrap();
            let words = format!("Theme “{name}”: {why}. Using the system theme.");
            assert_eq!(choice.problem, Some(words));
            assert_eq!(accent(on(&choice, WHITE)), {
                let system = ThemeChoice::load(&environment(home.path(), "{}"), true);
                accent(on(&system, WHITE))
            });
        }
        // Only one slash has a meaning.
        let settings = environment(home.path(), r#"{"theme": "a/b/c"}"#);
        let problem = ThemeChoice::load(&settings, true).problem;
        let words = "Theme “a/b/c”: at most two names, LIGHT/DARK. Using the system theme.";
        assert_eq!(problem.as_deref(), Some(words));
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
