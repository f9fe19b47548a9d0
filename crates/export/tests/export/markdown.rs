//! A judge of Markdown: a parser that is not ours must find no HTML but our folds, no image and no
//! link that could do something.

use std::path::Path;

use pitree_export::{Branch, Format};
use pitree_testkit::{Consumers, skip};
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};

use crate::export::common::{Folder, exported};
use crate::export::hostile;

/// What is wrong with a page, if anything is. Gives back the text of it.
pub(crate) fn check(page: &str) -> Result<String, String> {
    let mut text = String::new();
    let mut folds = 0i64;
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    for event in Parser::new_ext(page, options) {
        match event {
            Event::Html(html) | Event::InlineHtml(html) => {
                folds += fold(html.trim_end()).ok_or_else(|| format!("HTML: {html:?}"))?;
            }
            Event::Start(Tag::Image { dest_url, .. }) => return Err(format!("image: {dest_url}")),
            Event::Start(Tag::Link { link_type, dest_url, .. }) => {
                check_link(link_type, &dest_url)?;
            }
            Event::Text(said) | Event::Code(said) => text.push_str(&said),
            Event::SoftBreak | Event::HardBreak => text.push('\n'),
            _ => {}
        }
    }
    if folds == 0 { Ok(text) } else { Err(format!("{folds} folds are not closed")) }
}

/// One of our own lines: +1 opens a fold, -1 closes it.
fn fold(line: &str) -> Option<i64> {
    if line == "</details>" {
        return Some(-1);
    }
    let summary = line.strip_prefix("<details><summary>")?.strip_suffix("</summary>")?;
    (!summary.contains(['<', '>'])).then_some(1)
}

fn check_link(link_type: LinkType, address: &str) -> Result<(), String> {
    let address = address.to_ascii_lowercase();
    let is_web = ["https://", "http://", "mailto:"].iter().any(|web| address.starts_with(web));
    let fits = link_type == LinkType::Inline && (is_web || !address.contains(':'));
    if fits { Ok(()) } else { Err(format!("{link_type:?} link to {address}")) }
}

#[test]
fn the_judge_can_fail() {
    assert!(check("a *b* `<i>`\n\n<details><summary>x</summary>\n\n</details>\n").is_ok());
    for bad in [
        "<script>",
        "a <b>c</b>",
        "![x](y)",
        "[x](javascript:y)",
        "<https://example>",
        "[x]\n\n[x]: javascript:y",
        "<details><summary>x</summary>",
    ] {
        assert!(check(bad).is_err(), "{bad}");
    }
}

/// Python-Markdown, which renders the pages of MkDocs, knows no CommonMark: without extensions it
/// has no fences, and what stands between the tags of a block is HTML to it.
#[test]
fn python_markdown_brings_nothing_to_life() {
    const NAME: &str = "python_markdown_brings_nothing_to_life";
    let Some(consumers) = Consumers::find(NAME) else { return };
    let folder = Folder::new();
    let mut rng = pitree_testkit::Rng::new(crate::export::common::seed());
    let random = (0..crate::export::common::cases(10)).map(|_| hostile::random_markdown(&mut rng));
    let texts: Vec<String> =
        hostile::HOSTILE.map(str::to_owned).into_iter().chain(random).collect();
    let pages = texts.iter().map(|text| {
        let session = folder.session(hostile::planted(text)).unwrap();
        exported(&session, Format::Markdown, Branch::Active).into()
    });
    let pages = pitree_format::js::stringify(&pitree_format::Value::Array(pages.collect()));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/export/python_markdown.py");
    let told = consumers.run(&script, [""; 0], pages.as_bytes()).unwrap();
    if told.trim() == "not installed" {
        return skip(NAME, "Python-Markdown is not installed (cargo xtask consumers)");
    }
    assert_eq!(told.trim(), format!("{} pages are harmless", texts.len()), "{texts:#?}");
}
