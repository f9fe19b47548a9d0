//! One HTML page that needs nothing else: no script, no address, no frame. It says so itself in
//! its content security policy, which allows its own style sheet and embedded images only.
//!
//! Elements nest to a fixed depth whatever the session's tree looks like, since browsers limit it.

use std::io::{self, Write};

use crate::page::{Fact, Fold, Heading, Page, Row, Shown};

const STYLE: &str = include_str!("style.css");

/// The SHA-256 of the style sheet, by which the policy knows it; a test computes it anew.
const STYLE_HASH: &str = "sha256-fUCsPtMRlkauA/J47VOg33JzbtmMjcyXwdsEb1zymEw=";

/// Rows of the outline are indented no further than this.
const MOST_INDENT: usize = 8;

/// A page of HTML.
pub(crate) struct HtmlPage<'o> {
    out: &'o mut dyn Write,
    /// Whether the part that is open is folded.
    folded_part: bool,
}

impl<'o> HtmlPage<'o> {
    pub(crate) fn new(out: &'o mut dyn Write) -> Self {
        Self { out, folded_part: false }
    }

    /// Writes markup of our own.
    fn raw(&mut self, markup: &str) -> io::Result<()> {
        self.out.write_all(markup.as_bytes())
    }

    /// Writes text, escaped.
    fn text(&mut self, text: &Shown<'_>) -> io::Result<()> {
        let mut rest = text.as_str();
        while let Some(at) = rest.find(['<', '>', '&', '"', '\'']) {
            self.raw(&rest[..at])?;
            self.raw(match rest.as_bytes()[at] {
                b'<' => "&lt;",
                b'>' => "&gt;",
                b'&' => "&amp;",
                b'"' => "&quot;",
                _ => "&#39;",
            })?;
            rest = &rest[at + 1..];
        }
        self.raw(rest)
    }

    /// Text between two pieces of markup.
    fn element(&mut self, open: &str, text: &Shown<'_>, close: &str) -> io::Result<()> {
        self.raw(open)?;
        self.text(text)?;
        self.raw(close)
    }
}

impl Page for HtmlPage<'_> {
    fn begin(&mut self, title: &Shown<'_>, facts: &[Fact<'_>]) -> io::Result<()> {
        write!(
            self.out,
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             img-src data:; style-src '{STYLE_HASH}'; base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n\
             <meta name=\"generator\" content=\"pitree\">\n"
        )?;
        self.element("<title>", title, "</title>\n<style>")?;
        self.raw(STYLE)?;
        self.element("</style>\n</head>\n<body>\n<h1>", title, "</h1>\n<dl>\n")?;
        for (name, value) in facts {
            self.element("<dt>", &Shown::line(name), "</dt>")?;
            self.element("<dd>", value, "</dd>\n")?;
        }
        self.raw("</dl>\n")
    }

    fn has_outline(&self) -> bool {
        true
    }

    fn outline_begin(&mut self, summary: &Shown<'_>) -> io::Result<()> {
        self.element("<nav>\n<details>\n<summary>", summary, "</summary>\n<ol>\n")
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
        self.raw(if self.folded_part { "</details>\n" } else { "</section>\n" })
    }

    fn entry_begin(&mut self, heading: &Heading<'_>) -> io::Result<()> {
        let (anchor, class) = (heading.anchor, heading.kind.name());
        self.raw(&format!("<article id=\"e{anchor}\" class=\"{class}\">\n<header>"))?;
        self.element("<h3>", &heading.who, "</h3>")?;
        if let Some(label) = &heading.label {
            self.element("<span class=\"label\">", label, "</span>")?;
        }
        for particular in heading.all_particulars() {
            self.element("<span>", &particular, "</span>")?;
        }
        if !heading.id.as_str().is_empty() {
            self.raw(&format!("<a href=\"#e{anchor}\">"))?;
            self.element("", &heading.id, "</a>")?;
        }
        self.raw("</header>\n")
    }

    fn entry_end(&mut self) -> io::Result<()> {
        self.raw("</article>\n")
    }

    fn prose(&mut self, text: &Shown<'_>) -> io::Result<()> {
        self.element("<div class=\"prose\" dir=\"auto\">", text, "</div>\n")
    }

    fn verbatim(&mut self, text: &Shown<'_>) -> io::Result<()> {
        // A browser drops the first line feed, so one is given to it.
        self.element("<pre>\n", text, "</pre>\n")
    }

    fn fact(&mut self, name: &Shown<'_>, value: &Shown<'_>) -> io::Result<()> {
        self.element("<p class=\"fact\"><b>", name, ":</b> ")?;
        self.element("", value, "</p>\n")
    }

    fn remark(&mut self, text: &Shown<'_>) -> io::Result<()> {
        self.element("<p class=\"remark\">", text, "</p>\n")
    }

    fn image(&mut self, mime_type: &'static str, data: &str) -> io::Result<()> {
        self.raw("<img alt=\"image of the session\" loading=\"lazy\" src=\"data:")?;
        self.raw(mime_type)?;
        self.raw(";base64,")?;
        self.raw(data)?;
        self.raw("\">\n")
    }

    fn fold_begin(&mut self, _fold: Fold, summary: &Shown<'_>) -> io::Result<()> {
        self.element("<details>\n<summary>", summary, "</summary>\n")
    }

    fn fold_end(&mut self) -> io::Result<()> {
        self.raw("</details>\n")
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

    #[test]
    fn the_policy_knows_the_style_sheet() {
        let digest = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(STYLE));
        assert_eq!(STYLE_HASH, format!("sha256-{digest}"));
    }
}
