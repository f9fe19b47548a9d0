//! One HTML page that needs nothing else: no script, no address, no frame. It says so itself in
//! its content security policy, which allows its own style sheet and embedded images only.
//!
//! Elements nest to a fixed depth whatever the session's tree looks like, since browsers limit it.

mod print;

use std::io::{self, Write};

use pitree_format::Value;

use self::print::Printer;
use crate::Redactor;
use crate::nodes::{Call, Class, EntryView, Kind, Node, Tag, ViewOptions, ViewPage};
use crate::numbers;
use crate::page::{Fact, Fold, Heading, Page, Row, Shown};
use crate::parts::Parts;

pub use self::print::to_html;
pub(crate) use self::print::without_tags;

const STYLE: &str = include_str!("style.css");

/// The SHA-256 of the style sheet, by which the policy knows it; a test computes it anew.
const STYLE_HASH: &str = "sha256-xZVGOZhKPku875be9P7Y7435GqB7V94HhacNlKL5a8s=";

/// Rows of the outline are indented no further than this.
const MOST_INDENT: usize = 8;

/// So many calls wait at most for their results.
const MOST_WAITING: usize = 256;

/// What is shown of an entry: all of its texts. Calls stand with their results.
const OPTIONS: ViewOptions<'_> = ViewOptions {
    redactor: None,
    most_bytes: usize::MAX,
    images: true,
    call: None,
    leaves_out_calls: true,
    body: true,
};

/// A page of HTML.
pub(crate) struct HtmlPage<'o> {
    out: &'o mut dyn Write,
    /// Is told where texts begin.
    parts: Option<&'o Parts>,
    redactor: Option<&'o dyn Redactor>,
    /// Whether the part that is open is folded.
    folded_part: bool,
    /// The entry that is being written.
    view: ViewPage<'static>,
    /// The day of the entry before.
    day: String,
    /// Calls whose results have not come yet.
    waiting: Vec<Call>,
    /// The call that the entry answers.
    answered: Option<Call>,
}

impl<'o> HtmlPage<'o> {
    pub(crate) fn new(
        out: &'o mut dyn Write,
        parts: Option<&'o Parts>,
        redactor: Option<&'o dyn Redactor>,
    ) -> Self {
        Self {
            out,
            parts,
            redactor,
            folded_part: false,
            view: ViewPage::new(&OPTIONS, None),
            day: String::new(),
            waiting: Vec::new(),
            answered: None,
        }
    }

    fn printer(&mut self) -> Printer<'_> {
        Printer { out: self.out, parts: self.parts }
    }

    /// Writes markup of our own.
    fn raw(&mut self, markup: &str) -> io::Result<()> {
        self.out.write_all(markup.as_bytes())
    }

    /// Text between two pieces of markup.
    fn element(&mut self, open: &str, text: &Shown<'_>, close: &str) -> io::Result<()> {
        let mut printer = self.printer();
        printer.raw(open)?;
        printer.text(text.as_str())?;
        printer.raw(close)
    }

    /// Text of an entry between two pieces of markup.
    fn part(&mut self, open: &str, text: &str, close: &str) -> io::Result<()> {
        if let Some(parts) = self.parts {
            parts.begin();
        }
        self.element(open, &Shown::line(text), close)
    }

    fn entry(&mut self, view: &EntryView, call: Option<&Call>) -> io::Result<()> {
        let (at, kind) = (view.index, view.kind.name());
        let error = if view.is_error { " error" } else { "" };
        let (open, close) = match view.is_folded {
            true => ("<details>\n<summary class=\"head\">", "</summary>\n"),
            false => ("<header class=\"head\">", "</header>\n"),
        };
        self.raw(&format!("<article id=\"e{at}\" class=\"{kind}{error}\">\n{open}"))?;
        self.part("<h3>", &view.who, "</h3>")?;
        // A command that does not fit on the line stands below it.
        let is_below = !view.is_folded && call.is_some_and(is_long_command);
        self.head(view, !is_below)?;
        self.raw(close)?;
        if let Some(call) = call.filter(|_| !has_diff(view)) {
            self.printer().nodes(&call.body)?;
        }
        self.printer().nodes(&view.body)?;
        self.raw(if view.is_folded { "</details>\n</article>\n" } else { "</article>\n" })
    }

    /// What stands beside the title.
    fn head(&mut self, view: &EntryView, shows_what: bool) -> io::Result<()> {
        if let Some(what) = view.what.as_ref().filter(|_| shows_what) {
            self.part(" <code class=\"what\">", what, "</code>")?;
        } else if view.is_folded {
            self.part(" <span class=\"what\">", &view.summary, "</span>")?;
        }
        if let Some(label) = &view.label {
            self.part(" <span class=\"label\">", label, "</span>")?;
        }
        for particular in &view.particulars {
            self.part(" <span>", particular, "</span>")?;
        }
        if let Some(time) = view.time {
            let time = numbers::minute(time);
            let (day, minute) = time.split_once(' ').unwrap_or((&time, ""));
            // The day is told once.
            let text = if day == self.day { minute } else { &time };
            self.part(&format!(" <span class=\"time\" title=\"{time}\">"), text, "</span>")?;
            self.day = day.to_owned();
        }
        if !view.id.is_empty() {
            self.part(&format!(" <a href=\"#e{}\">", view.index), &view.id, "</a>")?;
        }
        if let Some(preview) = view.preview.as_ref().filter(|_| view.is_folded) {
            if let Some(parts) = self.parts {
                parts.begin();
            }
            self.element("<code class=\"preview\">", &Shown::block(preview), "</code>")?;
        }
        Ok(())
    }

    /// Writes the calls that have no result.
    fn write_waiting(&mut self) -> io::Result<()> {
        for call in std::mem::take(&mut self.waiting) {
            self.raw("<div class=\"tool\">\n<p class=\"head\">")?;
            self.part("<b>", &call.name, "</b>")?;
            if let Some(what) = &call.what {
                self.part(" <code class=\"what\">", what, "</code>")?;
            }
            self.part(" <span>", "no result", "</span></p>\n")?;
            self.printer().nodes(&call.body)?;
            self.raw("</div>\n")?;
        }
        Ok(())
    }
}

/// Whether what a call changes is in its result.
fn has_diff(view: &EntryView) -> bool {
    let is_diff = |node: &Node| matches!(node, Node::Element(it) if it.class == Some(Class::Diff));
    view.body.iter().any(is_diff)
}

fn is_long_command(call: &Call) -> bool {
    let is_code = |node: &Node| matches!(node, Node::Element(it) if it.tag == Tag::Pre);
    call.path.is_none() && call.body.first().is_some_and(is_code)
}

/// Methods that the view of an entry takes.
macro_rules! of_the_entry {
    ($($method:ident($($name:ident: $Type:ty),*) -> $Made:ty;)*) => {$(
        fn $method(&mut self, $($name: $Type),*) -> io::Result<$Made> {
            self.view.$method($($name),*)
        }
    )*};
}

impl Page for HtmlPage<'_> {
    of_the_entry! {
        prose(text: &Shown<'_>) -> ();
        verbatim(text: &Shown<'_>) -> ();
        output(text: &str) -> ();
        diff(text: &str) -> bool;
        call(call: &Call, arguments: Option<&Value>) -> bool;
        json(name: &Shown<'_>, value: &Value) -> bool;
        fact(name: &Shown<'_>, value: &Shown<'_>) -> ();
        remark(text: &Shown<'_>) -> ();
        image(mime_type: &'static str, data: &str) -> ();
        fold_begin(fold: Fold, summary: &Shown<'_>) -> ();
        fold_end() -> ();
    }

    fn begin(&mut self, title: &Shown<'_>, facts: &[Fact<'_>]) -> io::Result<()> {
        write!(
            self.out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             img-src data:; style-src '{STYLE_HASH}'; base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta name=\"generator\" content=\"pitree\">\n"
        )?;
        self.element("<title>", title, "</title>\n<style>")?;
        self.raw(STYLE)?;
        self.element("</style>\n</head>\n<body>\n<h1>", title, "</h1>\n<dl>\n")?;
        for (name, value) in facts {
            self.element("<div><dt>", &Shown::line(name), "</dt>")?;
            self.element("<dd>", value, "</dd></div>\n")?;
        }
        self.raw("</dl>\n")
    }

    fn is_brief(&self) -> bool {
        self.view.is_brief()
    }

    fn has_outline(&self) -> bool {
        true
    }

    fn outline_begin(&mut self, summary: &Shown<'_>) -> io::Result<()> {
        self.element("<nav>\n<details open=\"\">\n<summary>", summary, "</summary>\n<ol>\n")
    }

    fn outline_row(&mut self, row: &Row<'_>) -> io::Result<()> {
        let active = if row.is_active { " active" } else { "" };
        let (depth, anchor) = (row.depth.min(MOST_INDENT), row.anchor);
        self.raw(&format!("<li class=\"d{depth}{active}\"><a href=\"#e{anchor}\">"))?;
        self.element("", &row.text, "</a>")?;
        if let Some(label) = &row.label {
            self.element(" <span class=\"label\">", label, "</span>")?;
        }
        self.raw(if row.is_leaf { " ← current</li>\n" } else { "</li>\n" })
    }

    fn outline_end(&mut self) -> io::Result<()> {
        self.raw("</ol>\n</details>\n</nav>\n")
    }

    fn part_begin(&mut self, title: &Shown<'_>, is_folded: bool) -> io::Result<()> {
        self.folded_part = is_folded;
        if is_folded {
            self.element("<details class=\"branch\">\n<summary>", title, "</summary>\n")
        } else {
            self.element("<section>\n<h2>", title, "</h2>\n")
        }
    }

    fn part_end(&mut self) -> io::Result<()> {
        self.write_waiting()?;
        self.raw(if self.folded_part { "</details>\n" } else { "</section>\n" })
    }

    fn entry_begin(&mut self, heading: &Heading<'_>) -> io::Result<()> {
        let answers = |call: &Call| heading.answers.as_ref().is_some_and(|id| *id == call.id);
        self.answered = match self.waiting.iter().position(answers) {
            Some(at) => Some(self.waiting.remove(at)),
            None => None,
        };
        // A note between a call and its result does not end the turn.
        if self.answered.is_none() && !matches!(heading.kind, Kind::Note | Kind::Tool) {
            self.write_waiting()?;
        }
        self.view = ViewPage::new(&OPTIONS, self.answered.clone());
        self.view.entry_begin(heading)
    }

    fn entry_end(&mut self) -> io::Result<()> {
        let view = std::mem::replace(&mut self.view, ViewPage::new(&OPTIONS, None));
        let mut view = view.into_view(self.redactor);
        let call = self.answered.take();
        self.entry(&view, call.as_ref())?;
        self.waiting.append(&mut view.calls);
        if self.waiting.len() > MOST_WAITING {
            self.write_waiting()?;
        }
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        self.raw("</body>\n</html>\n")
    }
}

#[cfg(test)]
mod tests {
    use base64::Engine;
    use sha2::{Digest, Sha256};

    use super::*;

    /// The colors have the contrast that small text needs, and nothing to spare.
    #[test]
    fn only_dim_output_is_fainter_than_its_color() {
        let faint: Vec<&str> = STYLE.split('}').filter(|rule| rule.contains("opacity")).collect();
        assert!(faint.iter().all(|rule| rule.trim().starts_with(".ansi-dim")), "{faint:?}");
    }

    #[test]
    fn the_style_sheet_knows_what_is_colored() {
        let is_color =
            |name: &&str| ["tok-", "diff-", "ansi-"].iter().any(|it| name.starts_with(it));
        for name in Class::all().map(Class::name).filter(is_color) {
            assert!(STYLE.contains(&format!(".{name} {{")) || STYLE.contains(&format!(".{name},")));
        }
    }

    #[test]
    fn the_policy_knows_the_style_sheet() {
        let digest = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(STYLE));
        assert_eq!(STYLE_HASH, format!("sha256-{digest}"));
    }
}
