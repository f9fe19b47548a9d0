//! Links that a terminal can open (OSC 8), for files and folders.
//!
//! A link is only a convenience, so it is left out wherever it could be seen as garbage: in a pipe
//! or a pager, without colors, and on a terminal that is not known to take links. A path may come
//! from a hostile file, so all of it but plain letters, digits and signs is percent-encoded.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// What a link begins with; its address and [`STOP`] follow.
const START: &str = "\u{1b}]8;;";

/// What ends an address.
const STOP: &str = "\u{1b}\\";

/// Whether the terminal is known to take links, by the rules of the crate `supports-hyperlinks`, which
/// does not know Ghostty and foot. Over ssh the files are not on the machine of the terminal.
pub(crate) fn are_supported(variable: impl Fn(&str) -> Option<String>) -> bool {
    let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    let is = |name: &str, known: &[&str]| {
        variable(name).is_some_and(|value| known.contains(&value.as_str()))
    };
    if is_set("NO_COLOR") || is("TERM", &["dumb"]) {
        return false;
    }
    if let Some(forced) = variable("FORCE_HYPERLINK") {
        return forced.trim() != "0";
    }
    if is_set("SSH_CONNECTION") || is_set("SSH_TTY") {
        return false;
    }
    let vte = variable("VTE_VERSION").and_then(|version| version.parse::<u32>().ok());
    let programs = ["Hyper", "iTerm.app", "terminology", "WezTerm", "vscode", "ghostty"];
    let terminals =
        ["xterm-kitty", "alacritty", "alacritty-direct", "xterm-ghostty", "foot", "foot-direct"];
    vte.is_some_and(|version| version >= 5000)
        || is("TERM_PROGRAM", &programs)
        || is("TERM", &terminals)
        || is("COLORTERM", &["xfce4-terminal"])
        || ["DOMTERM", "WT_SESSION", "KONSOLE_VERSION"].into_iter().any(is_set)
}

/// The text as a link to a file or a folder; as it is if the path is not absolute.
pub(crate) fn to_path(path: &Path, text: &str) -> String {
    if !path.is_absolute() || text.is_empty() {
        return text.to_owned();
    }
    let mut address = String::from("file://");
    for &byte in path.as_os_str().as_bytes() {
        match is_plain(byte) {
            true => address.push(char::from(byte)),
            false => address.push_str(&format!("%{byte:02X}")),
        }
    }
    format!("{START}{address}{STOP}{text}{START}{STOP}")
}

/// Whether a byte may be in an address as it is.
fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte)
}

/// How many bytes the beginning or the end of one of our links takes, if the text begins with it.
pub(crate) fn length(text: &str) -> Option<usize> {
    let rest = text.strip_prefix(START)?;
    let address = rest.find(STOP).map(|end| &rest[..end])?;
    let path = if address.is_empty() { "" } else { address.strip_prefix("file://")? };
    let is_ours = path.bytes().all(|byte| is_plain(byte) || byte == b'%');
    is_ours.then_some(START.len() + address.len() + STOP.len())
}

/// Takes the links out of a stream of bytes, whose pieces may end anywhere.
#[derive(Debug, Default)]
pub(crate) struct WithoutLinks {
    /// The beginning of a link whose end has not come yet.
    held: Vec<u8>,
}

impl WithoutLinks {
    /// The next piece without the beginnings and ends of links; their texts stay.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Vec<u8> {
        let all = [&std::mem::take(&mut self.held), bytes].concat();
        let (start, stop) = (START.as_bytes(), STOP.as_bytes());
        let mut out = Vec::with_capacity(all.len());
        let mut at = 0;
        while let Some(found) = all[at..].iter().position(|byte| *byte == start[0]) {
            out.extend_from_slice(&all[at..at + found]);
            at += found;
            let rest = &all[at..];
            if rest.starts_with(start) {
                let end = rest[start.len()..].windows(stop.len()).position(|two| two == stop);
                let Some(end) = end else { break };
                at += start.len() + end + stop.len();
            } else if start.starts_with(rest) {
                break;
            } else {
                out.push(rest[0]);
                at += 1;
            }
        }
        match all.get(at) {
            Some(byte) if *byte == start[0] => self.held = all[at..].to_vec(),
            _ => out.extend_from_slice(&all[at..]),
        }
        out
    }

    /// What is left at the end.
    pub(crate) fn finish(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held)
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    #[test]
    fn terminals_that_take_links_are_known() {
        let of = |variables: &[(&str, &str)]| {
            are_supported(|name| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        for known in [
            ("VTE_VERSION", "7600"),
            ("TERM_PROGRAM", "iTerm.app"),
            ("TERM_PROGRAM", "vscode"),
            ("TERM", "xterm-kitty"),
            ("COLORTERM", "xfce4-terminal"),
            ("WT_SESSION", "x"),
            ("KONSOLE_VERSION", "230400"),
            ("FORCE_HYPERLINK", "1"),
        ] {
            assert!(of(&[known]), "{known:?}");
            assert!(!of(&[known, ("NO_COLOR", "1")]), "{known:?}");
            assert!(!of(&[("TERM", "dumb"), known]), "{known:?}");
            if known.0 != "FORCE_HYPERLINK" {
                assert!(!of(&[known, ("SSH_TTY", "/dev/pts/1")]), "{known:?}");
                assert!(!of(&[known, ("FORCE_HYPERLINK", "0")]), "{known:?}");
            }
        }
        for unknown in [
            ("VTE_VERSION", "4999"),
            ("VTE_VERSION", "x"),
            ("TERM", "xterm-256color"),
            ("TERM_PROGRAM", "Apple_Terminal"),
            ("KONSOLE_VERSION", ""),
        ] {
            assert!(!of(&[unknown]), "{unknown:?}");
        }
    }

    #[test]
    fn nothing_of_a_path_gets_out_of_its_address() {
        let evil = b"/a b/\x1b\\\x1b]8;;http://evil\x07\x9c\xff;%2F?#\n\xc2\x9d'\"";
        let link = to_path(Path::new(OsStr::from_bytes(evil)), "text");
        let address = link.strip_prefix(START).unwrap();
        let (address, rest) = address.split_once(STOP).unwrap();
        assert_eq!(rest, format!("text{START}{STOP}"));
        assert_eq!(
            address,
            "file:///a%20b/%1B%5C%1B%5D8%3B%3Bhttp%3A//evil%07%9C%FF%3B%252F%3F%23%0A%C2%9D%27%22"
        );
        assert_eq!(length(&link), Some(START.len() + address.len() + STOP.len()));
        assert_eq!(to_path(Path::new("a/b"), "text"), "text");
        assert_eq!(to_path(Path::new("/a"), ""), "");
    }

    #[test]
    fn only_links_to_files_are_ours() {
        for not_ours in [
            "\u{1b}]8;;http://evil\u{1b}\\",
            "\u{1b}]8;;file:///a b\u{1b}\\",
            "\u{1b}]8;;file:///a\u{7}\u{1b}\\",
            "\u{1b}]8;;file:///a\u{7}",
            "\u{1b}]8;id=1;file:///a\u{1b}\\",
            "\u{1b}]0;title\u{7}",
            "text",
        ] {
            assert_eq!(length(not_ours), None, "{not_ours:?}");
        }
        assert_eq!(length("\u{1b}]8;;\u{1b}\\x"), Some(START.len() + STOP.len()));
    }

    #[test]
    fn links_are_taken_out_however_the_bytes_are_cut() {
        let link = to_path(Path::new("/a/b"), "a link");
        let text = format!("\u{1b}[1mbold\u{1b}[0m {link}, {link} \u{1b}]8 x\u{1b}");
        let expected = "\u{1b}[1mbold\u{1b}[0m a link, a link \u{1b}]8 x\u{1b}";
        for size in 1..=text.len() {
            let mut without = WithoutLinks::default();
            let pieces = text.as_bytes().chunks(size);
            let mut out: Vec<u8> = pieces.flat_map(|piece| without.take(piece)).collect();
            out.extend(without.finish());
            assert_eq!(String::from_utf8(out).unwrap(), expected, "{size}");
        }
    }
}
