//! The pictures of the README, drawn from the real screens. `PITREE_BLESS=1` redraws
//! them.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Duration;

use pitree_format::js::date::parse_iso;
use pitree_session::location::{Layout, Location, Origin};
use pitree_session::{Environment, Session};
use pitree_store::{Scope, Store};
use pitree_testkit::{DARK, Frame, LIGHT, Palette, animation, picture, picture_in};
use pitree_tui::fork::ForkScreen;
use pitree_tui::picker::Picker;
use pitree_tui::screen::{Ending, Event, Screen, Transition};
use pitree_tui::state::{Allowed, AppState};
use pitree_tui::theme::{Rgb, TerminalAnswer, ThemeChoice};
use pitree_tui::tree::{Purpose, TreeScreen};
use pitree_tui::view::{SessionView, go_on_with};
use tempfile::TempDir;

use crate::screens::harness::{Driven, LARGE, SMALL, patient};

/// Columns and rows of a picture.
const SIZE: (u16, u16) = (100, 26);

/// The sessions of the tour that `pitree demo` gives.
const FORECAST: &str = include_str!("../../../cli/src/verbs/demo/sample/forecast.jsonl");
const WIND: &str = include_str!("../../../cli/src/verbs/demo/sample/wind.jsonl");

/// A home with the sessions of a project.
struct Home {
    folder: TempDir,
    location: Location,
    environment: Environment,
}

impl Home {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let cwd = folder.path().join("projects/weather");
        fs_err::create_dir_all(&cwd).unwrap();
        let path = folder.path().join("sessions");
        // The name of a folder for each directory would be another one in each run.
        let layout = Layout::Flat;
        let location = Location { path, layout, origin: Origin::SessionsRootFlag };
        fs_err::create_dir_all(location.directory_for(&cwd)).unwrap();
        let now = parse_iso(b"2026-03-03T10:00:00.000Z").unwrap();
        // Ids that differ, and are the same in each run.
        let count = AtomicU8::new(7);
        let next = move || count.fetch_add(109, Ordering::Relaxed);
        let random = move |bytes: &mut [u8]| bytes.fill_with(&next);
        let environment = Environment::new(folder.path(), &cwd, move || now, random);
        let home = Self { folder, location, environment };
        home.write("2026-03-02T09-14-07-312Z_019cadd3-8850-7c41-9a5e-3f0b6d18e274", FORECAST);
        home.write("2026-03-03T08-02-51-940Z_019cb2b8-a7a4-7193-8d2f-64a8c05be91d", WIND);
        home.write_short("019c9f10", "2026-02-27T16:20:00.000Z", "Print the week as a table");
        home.write_short("019c8a51", "2026-02-23T11:05:00.000Z", "Why is the first call so slow?");
        home.write_short("019c62e7", "2026-02-15T09:40:00.000Z", "Set up the project with uv");
        home
    }

    fn session(&self, name: &str) -> PathBuf {
        let folder = self.location.directory_for(self.environment.cwd());
        folder.join(format!("{name}.jsonl"))
    }

    fn write(&self, name: &str, text: &str) {
        let folder = self.location.directory_for(self.environment.cwd());
        let of_tour = "/home/ana/.pi/agent/sessions/--home-ana-projects-weather--";
        let text = text.replace(of_tour, folder.to_str().unwrap());
        let text = text.replace("/home/ana", self.folder.path().to_str().unwrap());
        fs_err::write(self.session(name), text).unwrap();
    }

    fn write_short(&self, id: &str, time: &str, said: &str) {
        let lines = format!(
            r#"{{"type":"session","version":3,"id":"{id}","timestamp":"{time}","cwd":"/home/ana/projects/weather"}}
{{"type":"message","id":"00000001","parentId":null,"timestamp":"{time}","message":{{"role":"user","content":"{said}"}}}}
{{"type":"message","id":"00000002","parentId":"00000001","timestamp":"{time}","message":{{"role":"assistant","content":[{{"type":"text","text":"Done."}}]}}}}
"#
        );
        self.write(&format!("{}_{id}", time.replace([':', '.'], "-")), &lines);
    }

    fn state(&self) -> AppState {
        let store = Store::new(vec![self.location.clone()], &self.environment);
        patient(AppState::new(&self.environment, store, Allowed::default()))
    }

    fn open(&self, screen: impl FnOnce(&AppState) -> Box<dyn Screen>) -> Driven {
        let state = self.state_with_session();
        let screen = screen(&state);
        Driven::new(state, screen, SIZE)
    }

    fn state_with_session(&self) -> AppState {
        let mut state = self.state();
        let path = self.session("2026-03-02T09-14-07-312Z_019cadd3-8850-7c41-9a5e-3f0b6d18e274");
        state.begin(Session::open(&path, &self.environment).unwrap()).unwrap();
        state
    }
}

#[test]
fn the_picker() {
    let home = Home::new();
    let state = home.state();
    let picker = Picker::new(&state, Scope::Directory, "", |_, _| Transition::End(Ending::Quit));
    let mut driven = Driven::new(state, Box::new(picker), SIZE);
    driven.wait_for("1/5");
    driven.press("Down");
    driven.wait_for("pi: ");
    compare("picker", &driven);
}

#[test]
fn the_tree() {
    let home = Home::new();
    let open = |state: &AppState| -> Box<dyn Screen> {
        Box::new(TreeScreen::open(state, Purpose::Within).unwrap().unwrap())
    };
    let mut driven = home.open(open);
    driven.press("Up Up Up");
    compare("tree", &driven);
}

#[test]
fn the_view() {
    let home = Home::new();
    let mut driven = home.open(|state| Box::new(SessionView::new(state)));
    driven.wait_for("$0");
    driven.wait_for("tokens");
    driven.press("[");
    compare("view", &driven);
}

/// The sizes and the terminals in which the screens are shown in their pages.
const SIZES: [(&str, (u16, u16)); 2] = [("80x24", SMALL), ("200x60", LARGE)];
static TERMINALS: [(&str, &Palette); 2] = [("dark", &DARK), ("light", &LIGHT)];

/// A screen on a terminal that reports these colors.
fn on_terminal(
    mut state: AppState,
    screen: impl FnOnce(&AppState) -> Box<dyn Screen>,
    palette: &Palette,
    size: (u16, u16),
) -> Driven {
    let environment = &state.environment;
    let environment =
        environment.clone().with_var("TERM", "xterm").with_var("COLORTERM", "truecolor");
    let choice = ThemeChoice::load(&environment, true);
    (state.theme, state.theme_choice) = (choice.now, Some(choice));
    let screen = screen(&state);
    let mut driven = Driven::new(state, screen, size);
    let color = |text: &str| {
        let part = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
        Rgb(part(1), part(3), part(5))
    };
    let colors = (0..).zip(palette.colors);
    let answers = colors.map(|(index, text)| TerminalAnswer::Palette(index, color(text)));
    for answer in answers.chain([
        TerminalAnswer::Foreground(color(palette.ink)),
        TerminalAnswer::Background(color(palette.paper)),
        TerminalAnswer::End,
    ]) {
        driven.event(&Event::Answer(answer));
    }
    driven
}

/// Compares the pictures of a screen in each size and terminal.
fn compare_all(name: &str, show: impl Fn(&Home, &Palette, (u16, u16)) -> Driven) {
    let home = Home::new();
    for (size_name, size) in SIZES {
        for (terminal, palette) in TERMINALS {
            let driven = show(&home, palette, size);
            let drawn = picture_in(&driven.screen(), palette);
            compare_drawn(&format!("{name}-{size_name}-{terminal}"), &drawn, &driven.text());
        }
    }
}

#[test]
fn the_picker_light_and_dark() {
    compare_all("picker", |home, palette, size| {
        let picker = |state: &AppState| -> Box<dyn Screen> {
            Box::new(Picker::new(state, Scope::Directory, "", |_, _| Transition::End(Ending::Quit)))
        };
        let mut driven = on_terminal(home.state(), picker, palette, size);
        driven.wait_for("1/5");
        driven.type_text("forecast");
        driven.wait_until("found", |text| !text.contains("searching") && text.contains("you: "));
        driven
    });
}

#[test]
fn the_reader_light_and_dark() {
    compare_all("reader", |home, palette, size| {
        let view = |state: &AppState| -> Box<dyn Screen> { Box::new(SessionView::new(state)) };
        let mut driven = on_terminal(home.state_with_session(), view, palette, size);
        driven.wait_for("$0");
        driven.wait_for("tokens");
        driven.type_text("/cache");
        driven.press("Enter n n");
        driven.wait_for("/cache 3/");
        driven
    });
}

#[test]
fn the_tree_light_and_dark() {
    compare_all("tree", |home, palette, size| {
        let tree = |state: &AppState| -> Box<dyn Screen> {
            Box::new(TreeScreen::open(state, Purpose::Within).unwrap().unwrap())
        };
        let mut driven = on_terminal(home.state_with_session(), tree, palette, size);
        driven.press("Up Up Up");
        driven
    });
}

#[test]
fn the_fork_list_light_and_dark() {
    compare_all("fork", |home, palette, size| {
        let fork = |state: &AppState| -> Box<dyn Screen> {
            Box::new(ForkScreen::open(state, Purpose::Within).unwrap())
        };
        let mut driven = on_terminal(home.state_with_session(), fork, palette, size);
        driven.press("Up Up");
        driven
    });
}

#[test]
fn the_composer_light_and_dark() {
    compare_all("composer", |home, palette, size| {
        let mut state = home.state_with_session();
        state.opens_writing = true;
        let view = |state: &AppState| -> Box<dyn Screen> { Box::new(SessionView::new(state)) };
        let mut driven = on_terminal(state, view, palette, size);
        driven.wait_for("$0");
        driven.wait_for("tokens");
        driven.type_text("/c");
        driven
    });
}

/// From a search to a fork: the animation at the top of the README.
#[test]
fn the_tour() {
    let home = Home::new();
    let state = home.state();
    let picker = Picker::new(&state, Scope::Directory, "", go_on_with);
    let mut driven = Driven::new(state, Box::new(picker), SIZE);
    let mut frames = Vec::new();
    let mut show = |driven: &Driven, milliseconds| {
        let time = Duration::from_millis(milliseconds);
        frames.push(Frame { screen: driven.screen(), time });
    };
    driven.wait_for("1/5");
    driven.wait_for("pi: ");
    show(&driven, 1600);
    for (typed, time) in [("c", 250), ("ac", 350), ("he", 1500)] {
        driven.type_text(typed);
        driven.wait_until("found", |text| !text.contains("searching") && text.contains("pi: "));
        show(&driven, time);
    }
    driven.press("Enter");
    driven.wait_for("$0");
    show(&driven, 2200);
    driven.type_text(":tree");
    show(&driven, 800);
    driven.press("Enter");
    driven.wait_for("Session tree");
    show(&driven, 1600);
    driven.press("Down Down Down");
    show(&driven, 1600);
    driven.press("Esc");
    driven.type_text(":fork");
    driven.press("Enter");
    driven.wait_for("Message 2 of 6");
    show(&driven, 2000);
    driven.press("Enter");
    driven.wait_for("$0");
    driven.wait_for("Forked to a new session");
    show(&driven, 2600);
    compare_drawn("tour", &animation(&frames), &driven.text());
}

/// Compares a picture with what the screen looks like now.
#[track_caller]
fn compare(name: &str, driven: &Driven) {
    compare_drawn(name, &picture(&driven.screen()), &driven.text());
}

/// Compares a picture with the one in the documentation, or replaces that.
#[track_caller]
fn compare_drawn(name: &str, drawn: &str, text: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = root.join(format!("docs/pictures/{name}.svg"));
    if std::env::var_os("PITREE_BLESS").is_some() {
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(&path, drawn).unwrap();
        return;
    }
    assert_shown(&root, name);
    let before = fs_err::read_to_string(&path).unwrap_or_default();
    assert!(
        drawn == before,
        "{} is no longer what the screen looks like (PITREE_BLESS=1 redraws it)\n{}",
        path.display(),
        text
    );
}

/// Fails if no page shows a picture.
#[track_caller]
fn assert_shown(root: &Path, name: &str) {
    let pages =
        ["", "docs", "docs/guides"].map(|folder| fs_err::read_dir(root.join(folder)).unwrap());
    let mut pages = pages.into_iter().flatten().map(|page| page.unwrap().path());
    let is_shown = pages.any(|page| {
        page.extension().is_some_and(|end| end == "md")
            && fs_err::read_to_string(page).unwrap().contains(&format!("pictures/{name}.svg)"))
    });
    assert!(is_shown, "no page shows {name}.svg");
}
