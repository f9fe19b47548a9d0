//! The pictures of the README, drawn from the real screens. `PITREE_BLESS=1` draws them anew.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use pitree_format::js::date::parse_iso;
use pitree_session::location::{Layout, Location, Origin};
use pitree_session::{Environment, Session};
use pitree_store::{Scope, Store};
use pitree_tui::picker::Picker;
use pitree_tui::screen::{Ending, Screen, Transition};
use pitree_tui::state::{Allowed, AppState};
use pitree_tui::tree::{Purpose, TreeScreen};
use pitree_tui::view::SessionView;
use tempfile::TempDir;
use vt100::{Cell, Color};

use crate::screens::colors::{Run, runs};
use crate::screens::harness::{Driven, patient};

/// Columns and rows of a picture.
const SIZE: (u16, u16) = (100, 26);
/// The size of a cell, and of the margin around all.
const CELL: (u16, u16) = (9, 19);
const MARGIN: u16 = 12;
const PAPER: &str = "#16181d";
const INK: &str = "#d7dae0";
/// The 16 colours, as a terminal might have them.
const COLOURS: [&str; 16] = [
    "#16181d", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d7dae0",
    "#7f848e", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#ffffff",
];

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
        let layout = Layout::PerDirectory;
        let location = Location { path, layout, origin: Origin::SessionsRootFlag };
        fs_err::create_dir_all(location.directory_for(&cwd)).unwrap();
        let now = parse_iso(b"2026-03-03T10:00:00.000Z").unwrap();
        let environment = Environment::new(folder.path(), &cwd, move || now, |bytes| bytes.fill(7));
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
        let mut state = self.state();
        let path = self.session("2026-03-02T09-14-07-312Z_019cadd3-8850-7c41-9a5e-3f0b6d18e274");
        state.begin(Session::open(&path, &self.environment).unwrap()).unwrap();
        let screen = screen(&state);
        Driven::new(state, screen, SIZE)
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
    driven.type_text("And without electricity?");
    compare("view", &driven);
}

/// Compares a picture with what the screen looks like now.
#[track_caller]
fn compare(name: &str, driven: &Driven) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let path = root.join(format!("docs/pictures/{name}.svg"));
    let drawn = svg(&driven.screen());
    if std::env::var_os("PITREE_BLESS").is_some() {
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(&path, drawn).unwrap();
        return;
    }
    let readme = fs_err::read_to_string(root.join("README.md")).unwrap();
    assert!(readme.contains(&format!("docs/pictures/{name}.svg")), "the README shows {name}");
    let before = fs_err::read_to_string(&path).unwrap_or_default();
    assert!(
        drawn == before,
        "{} is no longer what the screen looks like (PITREE_BLESS=1 draws it anew)\n{}",
        path.display(),
        driven.text()
    );
}

/// How a cell looks: its colours, bold, dim, italic.
#[derive(Clone, PartialEq)]
struct Look {
    ink: &'static str,
    paper: &'static str,
    is_bold: bool,
    is_dim: bool,
    is_italic: bool,
}

impl Look {
    fn of(cell: &Cell) -> Self {
        let (ink, paper) = (colour(cell.fgcolor(), INK), colour(cell.bgcolor(), PAPER));
        let (ink, paper) = if cell.inverse() { (paper, ink) } else { (ink, paper) };
        let [is_bold, is_dim, is_italic] = [cell.bold(), cell.dim(), cell.italic()];
        Self { ink, paper, is_bold, is_dim, is_italic }
    }
}

fn colour(colour: Color, usual: &'static str) -> &'static str {
    match colour {
        Color::Idx(number) => COLOURS[usize::from(number) % COLOURS.len()],
        _ => usual,
    }
}

/// The screen as a picture.
fn svg(screen: &vt100::Screen) -> String {
    let (width, height) = (SIZE.0 * CELL.0 + 2 * MARGIN, SIZE.1 * CELL.1 + 2 * MARGIN);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" \
         font-size=\"15\" xml:space=\"preserve\">\n<rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"{PAPER}\"/>\n"
    );
    for row in 0..SIZE.1 {
        for run in runs(screen, row, Look::of) {
            draw_run(&mut out, row, &run);
        }
    }
    out + "</svg>\n"
}

fn draw_run(out: &mut String, row: u16, run: &Run<Look>) {
    let Run { look, text, .. } = run;
    let (x, y) = (MARGIN + run.column * CELL.0, MARGIN + row * CELL.1);
    let width = run.cells * CELL.0;
    if look.paper != PAPER {
        let (height, paper) = (CELL.1, look.paper);
        let rect =
            format!(r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{paper}"/>"#);
        writeln!(out, "{rect}").unwrap();
    }
    let shown = text.trim();
    if shown.is_empty() {
        return;
    }
    // Each run is as wide as its cells, whatever font the reader has.
    let spaces = |rest: &str| (text.len() - rest.len()) as u16 * CELL.0;
    let (x, y) = (x + spaces(text.trim_start()), y + CELL.1 - 5);
    let width = width - spaces(shown);
    let weight = if look.is_bold { r#" font-weight="bold""# } else { "" };
    let style = if look.is_italic { r#" font-style="italic""# } else { "" };
    let opacity = if look.is_dim { r#" opacity="0.6""# } else { "" };
    let shown = shown.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    writeln!(
        out,
        r#"<text x="{x}" y="{y}" fill="{}" textLength="{width}" lengthAdjust="spacingAndGlyphs"{weight}{style}{opacity}>{shown}</text>"#,
        look.ink,
    )
    .unwrap();
}
