//! A checker of pages that is stricter than any browser: only the elements, attributes and
//! addresses that an export may have, each closed where it must be, every special character
//! escaped.

use std::collections::HashSet;

const ELEMENTS: [&str; 42] = [
    "html",
    "head",
    "title",
    "style",
    "body",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "dl",
    "dt",
    "dd",
    "nav",
    "details",
    "summary",
    "ol",
    "ul",
    "li",
    "a",
    "span",
    "section",
    "article",
    "header",
    "div",
    "pre",
    "code",
    "p",
    "b",
    "em",
    "strong",
    "del",
    "blockquote",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "main",
    "footer",
];
const VOID: [&str; 4] = ["meta", "img", "br", "hr"];
const ENTITIES: [&str; 5] = ["lt;", "gt;", "amp;", "quot;", "#39;"];
const MOST_DEPTH: usize = 32;
/// Where links outside lead, and only there.
const SCHEMES: [&str; 3] = ["https://", "http://", "mailto:"];

/// What is wrong with a page, if anything is. Gives back the text of it.
pub(crate) fn check(page: &str) -> Result<String, String> {
    let mut rest = page.strip_prefix("<!DOCTYPE html>\n").ok_or("no doctype")?;
    let mut open: Vec<&str> = Vec::new();
    let (mut ids, mut links, mut text) = (HashSet::new(), Vec::new(), String::new());
    while !rest.is_empty() {
        let at = rest.find('<').unwrap_or(rest.len());
        let (said, from_tag) = rest.split_at(at);
        check_text(said)?;
        text.push_str(&plain(said));
        if from_tag.is_empty() {
            break;
        }
        let end = from_tag.find('>').ok_or("an unfinished tag")?;
        let tag = &from_tag[1..end];
        rest = &from_tag[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            let opened = open.pop();
            if opened != Some(name) {
                return Err(format!("</{name}> closes {opened:?}"));
            }
            continue;
        }
        let name = tag.split(' ').next().unwrap_or_default();
        if !ELEMENTS.contains(&name) && !VOID.contains(&name) {
            return Err(format!("<{tag}> has no place here"));
        }
        check_attributes(name, &tag[name.len()..], &mut ids, &mut links)?;
        if name == "style" {
            let end = rest.find("</style>").ok_or("an unfinished style")?;
            if rest[..end].contains(['<', '@']) && rest[..end].contains("@import") {
                return Err("the style sheet imports".to_owned());
            }
            rest = &rest[end + "</style>".len()..];
        } else if !VOID.contains(&name) {
            open.push(name);
        }
        if open.len() > MOST_DEPTH {
            return Err(format!("too deep: {open:?}"));
        }
    }
    if !open.is_empty() {
        return Err(format!("never closed: {open:?}"));
    }
    match links.iter().find(|link| !ids.contains(**link)) {
        Some(link) => Err(format!("#{link} leads nowhere")),
        None => Ok(text),
    }
}

/// The same for a part of a page.
pub(crate) fn check_fragment(fragment: &str) -> Result<String, String> {
    check(&format!("<!DOCTYPE html>\n<html lang=\"en\"><body>{fragment}</body></html>"))
}

fn check_text(text: &str) -> Result<(), String> {
    if text.contains('>') || text.chars().any(|c| c.is_control() && c != '\n' && c != '\t') {
        return Err(format!("a bare character in {text:?}"));
    }
    for (at, _) in text.match_indices('&') {
        if !ENTITIES.iter().any(|entity| text[at + 1..].starts_with(entity)) {
            return Err(format!("a bare & in {text:?}"));
        }
    }
    Ok(())
}

pub(crate) fn plain(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
    text.replace("&#39;", "'").replace("&amp;", "&")
}

fn check_attributes<'p>(
    element: &str,
    mut rest: &'p str,
    ids: &mut HashSet<&'p str>,
    links: &mut Vec<&'p str>,
) -> Result<(), String> {
    while let Some(from_name) = rest.strip_prefix(' ') {
        let (name, from_value) = from_name.split_once("=\"").ok_or("an attribute without value")?;
        let (value, after) = from_value.split_once('"').ok_or("an unfinished attribute")?;
        rest = after;
        let fits = match (element, name) {
            ("meta", _) | ("html", "lang") => true,
            (_, "class") => {
                value.chars().all(|c| c.is_ascii_alphanumeric() || c == ' ' || c == '-')
            }
            ("article", "id") => ids.insert(value),
            ("a", "href") => match value.strip_prefix('#') {
                Some(id) => {
                    links.push(id);
                    true
                }
                None => is_web(value) && rest.starts_with(REL),
            },
            ("a", "rel") => REL.contains(value),
            ("a" | "span", "title") => check_text(value).is_ok(),
            ("ol", "start") => value.parse::<u64>().is_ok(),
            ("details", "open") => value.is_empty(),
            ("img", "alt" | "loading") => true,
            ("img", "src") => is_image(value),
            _ => false,
        };
        if !fits {
            return Err(format!("{element}: {name}={value:?}"));
        }
    }
    if rest.is_empty() { Ok(()) } else { Err(format!("{element}: {rest:?}")) }
}

/// What a link to elsewhere says about us: nothing.
const REL: &str = " rel=\"noreferrer noopener nofollow\"";

fn is_web(address: &str) -> bool {
    let lower = address.to_ascii_lowercase();
    let has_scheme = SCHEMES.iter().any(|scheme| lower.starts_with(scheme));
    has_scheme && !address.contains(char::is_whitespace) && check_text(address).is_ok()
}

fn is_image(address: &str) -> bool {
    let data = ["png", "jpeg", "gif", "webp"]
        .iter()
        .find_map(|kind| address.strip_prefix(&format!("data:image/{kind};base64,")));
    let digit = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    data.is_some_and(|data| !data.is_empty() && data.bytes().all(digit))
}

#[test]
fn the_checker_can_fail() {
    let page =
        |body: &str| format!("<!DOCTYPE html>\n<html lang=\"en\"><body>{body}</body></html>");
    assert!(check(&page("<p class=\"fact\">a &lt; b</p>")).is_ok());
    for bad in [
        "<script>",
        "<p>",
        "</p>",
        "<p></b>",
        "a > b",
        "a & b",
        "<p onclick=\"x\"></p>",
        "<p style=\"x\"></p>",
        "<a href=\"#e1\"></a>",
        "<a href=\"http://example\"></a>",
        "<a href=\"javascript:x\" rel=\"noreferrer noopener nofollow\"></a>",
        "<p open=\"\"></p>",
        "<img src=\"http://example\">",
        "<img src=\"data:image/svg+xml;base64,AAAA\">",
        "\u{1b}",
    ] {
        assert!(check(&page(bad)).is_err(), "{bad}");
    }
}
