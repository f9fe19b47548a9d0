//! Whether the output on a page is what a command prints.

/// Whether the lines of a page fit what was printed.
pub(super) fn fits(page: &[&str], printed: &str) -> bool {
    let printed: Vec<&str> = printed.lines().collect();
    lines_fit(page, &printed)
}

/// Whether a line of a page is the heading that `pitree list` prints on a terminal, and not into the
/// pipe of these tests.
pub(super) fn is_list_heading(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let columns = ["age", "id", "msgs", "cost", "title", "directory"];
    words.len() >= 5 && columns.starts_with(&words)
}

fn lines_fit(page: &[&str], printed: &[&str]) -> bool {
    match (page.split_first(), printed.split_first()) {
        (None, None) => true,
        (Some((line, rest)), _) if line.trim() == "…" => {
            (0..=printed.len()).any(|skipped| lines_fit(rest, &printed[skipped..]))
        }
        (Some((line, page)), Some((now, printed))) => {
            line_fits(line, now) && lines_fit(page, printed)
        }
        _ => false,
    }
}

fn line_fits(page: &str, printed: &str) -> bool {
    let plain = |line: &str| {
        let words = line.split_whitespace().map(|word| if is_age(word) { "AGE" } else { word });
        words.collect::<Vec<_>>().join(" ")
    };
    text_fits(&plain(page), &plain(printed))
}

/// `…` in a line of the page stands for anything.
fn text_fits(page: &str, printed: &str) -> bool {
    let mut parts = page.split('…');
    let Some(mut rest) = parts.next().and_then(|first| printed.strip_prefix(first)) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    true
}

/// How long ago something was, which grows.
fn is_age(word: &str) -> bool {
    let unit = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_number = unit.len() < word.len();
    word == "now" || is_number && ["s", "m", "h", "d", "w", "mo", "y"].contains(&unit)
}

#[test]
fn output_fits_but_for_what_the_page_leaves_out() {
    let printed = " 8mo  019cb2b8   8  $0.10  Forecast\n/home/ana/s_1.jsonl\nend\n";
    for page in [
        &["3d  019cb2b8  8  $0.10  Forecast", "/home/ana/s_1.jsonl", "end"][..],
        &["3d  019cb2b8  8  $0.10  Forecast", "…"],
        &["…8 $0.10 …", "/home/…/…jsonl", "end"],
        &["…", "end"],
        &["…"],
    ] {
        assert!(fits(page, printed), "{page:?}");
    }
    for page in [
        &["3d  019cb2b8  8  $0.11  Forecast", "/home/ana/s_1.jsonl", "end"][..],
        &["3d  019cb2b8  8  $0.10  Forecast", "/home/ana/s_1.jsonl"],
        &["…", "/home/…/…json", "end"],
        &["…", "ends"],
        &[],
    ] {
        assert!(!fits(page, printed), "{page:?}");
    }
}
