//! Pictures of terminal screens, as SVG: still ones, and animations of several screens.
//!
//! A picture must look the same in every browser, whatever font it has. So each text is as wide as
//! its cells (`textLength`), and no text holds two spaces in a row: browsers collapse them, some of
//! them even with `xml:space="preserve"`, and then stretch what is left to the full width.

use std::fmt::Write;
use std::num::NonZero;
use std::time::Duration;

use vt100::{Cell, Color, Parser, Screen};

/// The size of a cell, and of the margin around all.
const CELL: (u16, u16) = (9, 19);
const MARGIN: u16 = 12;
/// The colors of a terminal: the background, the text, and the 16 that programs name by number.
#[derive(Debug)]
pub struct Palette {
    /// The background.
    pub paper: &'static str,
    /// The text.
    pub ink: &'static str,
    /// The others.
    pub colors: [&'static str; 16],
}

/// A dark terminal.
pub static DARK: Palette = Palette {
    paper: "#16181d",
    ink: "#d7dae0",
    colors: [
        "#16181d", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#d7dae0",
        "#7f848e", "#e06c75", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#ffffff",
    ],
};

/// A light terminal.
pub static LIGHT: Palette = Palette {
    paper: "#fafafa",
    ink: "#383a42",
    colors: [
        "#383a42", "#e45649", "#50a14f", "#c18401", "#4078f2", "#a626a4", "#0184bc", "#a0a1a7",
        "#696c77", "#e45649", "#50a14f", "#c18401", "#4078f2", "#a626a4", "#0184bc", "#fafafa",
    ],
};

/// Cells of a row that look alike.
pub struct Run<L> {
    /// The first column.
    pub column: u16,
    /// How many columns it has.
    pub cells: u16,
    /// What the cells look like.
    pub look: L,
    /// What they say.
    pub text: String,
}

/// The runs of a row.
pub fn runs<L: PartialEq>(screen: &Screen, row: u16, look: fn(&Cell) -> L) -> Vec<Run<L>> {
    let mut runs: Vec<Run<L>> = Vec::new();
    for column in 0..screen.size().1.get() {
        let Some(cell) = screen.cell(row, column) else { continue };
        let (look, text) = (look(cell), shown(cell));
        match runs.last_mut() {
            Some(run) if cell.is_wide_continuation() => run.cells += 1,
            Some(run) if run.look == look => {
                run.cells += 1;
                run.text.push_str(text);
            }
            _ => runs.push(Run { column, cells: 1, look, text: text.to_owned() }),
        }
    }
    runs
}

fn shown(cell: &Cell) -> &str {
    if cell.has_contents() { cell.contents() } else { " " }
}

/// What a terminal with these columns shows of a text with escape sequences, as high as the text:
/// one row for each line, but none for empty lines at the end.
pub fn terminal(columns: u16, text: &str) -> Screen {
    let lines: Vec<&str> = text.lines().collect();
    let draw = |lines: &[&str]| {
        let rows = u16::try_from(lines.len()).unwrap_or(u16::MAX);
        let [rows, columns] =
            [rows, columns].map(|size| NonZero::new(size).unwrap_or(NonZero::<u16>::MIN));
        let mut parser = Parser::new(rows, columns, 0);
        parser.process(lines.join("\r\n").as_bytes());
        parser.screen().clone()
    };
    let all = draw(&lines);
    // What only sets colors is empty too.
    let shown = all.rows(0, columns).collect::<Vec<_>>();
    let last = shown.iter().rposition(|row| !row.trim().is_empty());
    draw(&lines[..last.map_or(0, |last| last + 1).min(lines.len())])
}

/// A screen of an animation.
pub struct Frame {
    /// What is seen.
    pub screen: Screen,
    /// How long.
    pub time: Duration,
}

/// A screen as a picture, of a dark terminal.
pub fn picture(screen: &Screen) -> String {
    picture_in(screen, &DARK)
}

/// A screen as a picture, of a terminal with these colors.
pub fn picture_in(screen: &Screen, palette: &'static Palette) -> String {
    let mut out = String::new();
    open(&mut out, screen, palette);
    draw(&mut out, screen, palette);
    out + "</svg>\n"
}

/// Screens of one size, one after the other, over and over. Who has asked the system for less
/// motion, and a program that does not know animations, sees the first one.
pub fn animation(frames: &[Frame]) -> String {
    let mut out = String::new();
    let Some(first) = frames.first() else { return out };
    open(&mut out, &first.screen, &DARK);
    let total: Duration = frames.iter().map(|frame| frame.time).sum();
    let percent = |time: Duration| time.as_secs_f64() / total.as_secs_f64() * 100.0;
    let seconds = total.as_secs_f64();
    out.push_str("<style>\ng{visibility:hidden}#f0{visibility:visible}\n");
    let mut begin = Duration::ZERO;
    for (number, frame) in frames.iter().enumerate() {
        let (from, to) = (percent(begin), percent(begin + frame.time));
        begin += frame.time;
        let _ = writeln!(
            out,
            "@keyframes k{number}{{0%{{visibility:hidden}}{from:.2}%{{visibility:visible}}\
             {to:.2}%{{visibility:hidden}}100%{{visibility:hidden}}}}"
        );
    }
    out.push_str("@media (prefers-reduced-motion:no-preference){\n");
    for number in 0..frames.len() {
        let _ = writeln!(out, "#f{number}{{animation:k{number} {seconds}s step-end infinite}}");
    }
    out.push_str("}\n</style>\n");
    for (number, frame) in frames.iter().enumerate() {
        let _ = writeln!(out, "<g id=\"f{number}\">");
        draw(&mut out, &frame.screen, &DARK);
        out.push_str("</g>\n");
    }
    out + "</svg>\n"
}

fn open(out: &mut String, screen: &Screen, palette: &Palette) {
    let paper = palette.paper;
    let (rows, columns) = screen.size();
    let (width, height) = (columns.get() * CELL.0 + 2 * MARGIN, rows.get() * CELL.1 + 2 * MARGIN);
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" \
         font-size=\"15\">\n<rect width=\"{width}\" height=\"{height}\" rx=\"8\" fill=\"{paper}\"/>"
    );
}

/// How a cell looks: its colors, bold, dim, italic.
#[derive(Clone, PartialEq)]
struct Look {
    ink: Color,
    paper: Color,
    is_inverse: bool,
    is_bold: bool,
    is_dim: bool,
    is_italic: bool,
}

impl Look {
    fn of(cell: &Cell) -> Self {
        Self {
            ink: cell.fgcolor(),
            paper: cell.bgcolor(),
            is_inverse: cell.inverse(),
            is_bold: cell.bold(),
            is_dim: cell.dim(),
            is_italic: cell.italic(),
        }
    }

    /// The colors of the text and of what is below it.
    fn colors(&self, palette: &Palette) -> (String, String) {
        let (ink, paper) =
            (color(self.ink, palette.ink, palette), color(self.paper, palette.paper, palette));
        if self.is_inverse { (paper, ink) } else { (ink, paper) }
    }
}

fn color(color: Color, usual: &str, palette: &Palette) -> String {
    match color {
        Color::Default => usual.to_owned(),
        Color::Idx(number) if number < 16 => palette.colors[usize::from(number)].to_owned(),
        Color::Idx(number) => {
            let part = |number: u8| if number == 0 { 0 } else { 55 + 40 * number };
            let (cube, gray) =
                (number - 16, 8_u8.wrapping_add(number.wrapping_sub(232).wrapping_mul(10)));
            let [red, green, blue] = match number {
                232.. => [gray; 3],
                _ => [cube / 36, cube / 6 % 6, cube % 6].map(part),
            };
            format!("#{red:02x}{green:02x}{blue:02x}")
        }
        Color::Rgb(red, green, blue) => format!("#{red:02x}{green:02x}{blue:02x}"),
    }
}

fn draw(out: &mut String, screen: &Screen, palette: &Palette) {
    for row in 0..screen.size().0.get() {
        for run in runs(screen, row, Look::of) {
            draw_paper(out, row, &run, palette);
            for text in texts(screen, row, &run) {
                draw_text(out, row, &text, palette);
            }
        }
    }
}

/// The parts of a run between which there is more than one space.
fn texts(screen: &Screen, row: u16, run: &Run<Look>) -> Vec<Run<Look>> {
    let mut texts: Vec<Run<Look>> = Vec::new();
    let mut spaces = 2;
    for column in run.column..run.column + run.cells {
        let Some(cell) = screen.cell(row, column) else { continue };
        if cell.is_wide_continuation() {
            texts.iter_mut().last().into_iter().for_each(|text| text.cells += 1);
            continue;
        }
        let text = shown(cell);
        if text.trim().is_empty() {
            spaces += 1;
            continue;
        }
        match texts.last_mut() {
            Some(last) if spaces < 2 => {
                last.text.push_str(&" ".repeat(usize::from(spaces)));
                last.text.push_str(text);
                last.cells += spaces + 1;
            }
            _ => {
                let (look, text) = (run.look.clone(), text.to_owned());
                texts.push(Run { column, cells: 1, look, text });
            }
        }
        spaces = 0;
    }
    texts
}

fn draw_paper(out: &mut String, row: u16, run: &Run<Look>, palette: &Palette) {
    let (_, paper) = run.look.colors(palette);
    if paper == palette.paper {
        return;
    }
    let (x, y) = (MARGIN + run.column * CELL.0, MARGIN + row * CELL.1);
    let (width, height) = (run.cells * CELL.0, CELL.1);
    let _ = writeln!(
        out,
        r#"<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{paper}"/>"#
    );
}

fn draw_text(out: &mut String, row: u16, run: &Run<Look>, palette: &Palette) {
    let Run { look, text, .. } = run;
    let (ink, _) = look.colors(palette);
    let (x, y) = (MARGIN + run.column * CELL.0, MARGIN + (row + 1) * CELL.1 - 5);
    let width = run.cells * CELL.0;
    let weight = if look.is_bold { r#" font-weight="bold""# } else { "" };
    let style = if look.is_italic { r#" font-style="italic""# } else { "" };
    let opacity = if look.is_dim { r#" opacity="0.6""# } else { "" };
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let _ = writeln!(
        out,
        r#"<text x="{x}" y="{y}" fill="{ink}" textLength="{width}" lengthAdjust="spacingAndGlyphs"{weight}{style}{opacity}>{text}</text>"#,
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_holds_two_spaces_in_a_row() {
        let drawn = picture(&terminal(40, "\u{1b}[7m› a b   c \u{1b}[0m 日本  x\n\u{1b}[0m\n"));
        let texts: Vec<&str> = drawn
            .lines()
            .filter_map(|line| line.strip_prefix("<text ")?.split_once('>'))
            .filter_map(|(_, text)| text.strip_suffix("</text>"))
            .collect();
        assert_eq!(texts, ["› a b", "c", "日本", "x"]);
        assert!(drawn.contains(&format!("height=\"{}\"", CELL.1 + 2 * MARGIN)), "{drawn}");
        // The second begins in the ninth column and the last in the seventeenth.
        assert!(drawn.contains(&format!("x=\"{}\"", MARGIN + 8 * CELL.0)), "{drawn}");
        assert!(drawn.contains(&format!("x=\"{}\"", MARGIN + 17 * CELL.0)), "{drawn}");
    }

    #[test]
    fn frames_share_the_time_of_an_animation() {
        let frame = |text: &str, seconds| Frame {
            screen: terminal(10, text),
            time: Duration::from_secs(seconds),
        };
        let drawn = animation(&[frame("a\n", 1), frame("b\n", 3)]);
        assert!(
            drawn.contains("@keyframes k0{0%{visibility:hidden}0.00%{visibility:visible}25.00%")
        );
        assert!(
            drawn.contains("@keyframes k1{0%{visibility:hidden}25.00%{visibility:visible}100.00%")
        );
        assert!(drawn.contains("#f1{animation:k1 4s step-end infinite}"), "{drawn}");
    }
}
