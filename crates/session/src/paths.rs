//! Paths and names: where sessions lie and what their files are called.

use std::path::{Component, Path, PathBuf};

use pitree_format::draft::Dialect;

use crate::environment::Environment;

/// Resolves a path as Pi does: `~` is the home directory, `file://` is understood, a relative
/// path counts from the working directory, `.` and `..` are worked out without asking the file
/// system.
pub fn resolve(input: &Path, environment: &Environment) -> PathBuf {
    let expanded = expand(input, environment);
    let absolute = if expanded.is_absolute() { expanded } else { environment.cwd().join(expanded) };
    normalize(&absolute)
}

/// A path for people: below the home directory it begins with `~`.
pub fn display(path: &Path, environment: &Environment) -> String {
    match path.strip_prefix(environment.home()) {
        Ok(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Ok(rest) => format!("~/{}", rest.display()),
        Err(_) => path.display().to_string(),
    }
}

/// Expands `~` and `file://`, and leaves anything else as it is.
pub fn expand(input: &Path, environment: &Environment) -> PathBuf {
    let Some(text) = input.to_str() else { return input.to_owned() };
    if text == "~" {
        return environment.home().to_owned();
    }
    if let Some(rest) = text.strip_prefix("~/") {
        return environment.home().join(rest);
    }
    if let Some(rest) = text.strip_prefix("file://") {
        return PathBuf::from(percent_decoded(rest.strip_prefix("localhost").unwrap_or(rest)));
    }
    input.to_owned()
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = |digit: &u8| char::from(*digit).to_digit(16);
        match (first, tail) {
            (b'%', [high, low, after @ ..]) if hex(high).is_some() && hex(low).is_some() => {
                let value = hex(high).unwrap_or(0) * 16 + hex(low).unwrap_or(0);
                bytes.push(value as u8);
                rest = after;
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn normalize(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

/// The folder name for a working directory: `--<cwd with separators replaced>--`. One leading
/// separator is dropped; `/`, `\` and `:` become `-`. The name cannot be turned back into the
/// path, so the header's `cwd` is the authority.
pub fn encode_cwd(cwd: &Path) -> String {
    let text = cwd.to_string_lossy();
    let text = text.strip_prefix(['/', '\\']).unwrap_or(&text);
    format!("--{}--", text.replace(['/', '\\', ':'], "-"))
}

/// The working directory that a folder name stands for, if exactly one directory on this machine
/// fits. A `-` may have been a separator or a part of a name.
pub fn decode_cwd(name: &str) -> Option<PathBuf> {
    let encoded = name.strip_prefix("--")?.strip_suffix("--")?;
    let (mut open, mut found) = (vec![(PathBuf::from("/"), encoded)], Vec::new());
    while let Some((above, rest)) = open.pop() {
        let ends = rest.match_indices('-').map(|(at, _)| at).chain([rest.len()]);
        let is_name = |end: &usize| !matches!(&rest[..*end], "" | "." | "..");
        for end in ends.filter(is_name) {
            let directory = above.join(&rest[..end]);
            match rest.get(end + 1..) {
                _ if !directory.is_dir() => {}
                Some(rest) => open.push((directory, rest)),
                None => found.push(directory),
            }
        }
    }
    let only = found.pop()?;
    found.is_empty().then_some(only)
}

/// The name of a new session file.
///
/// Pi: `2026-02-03T22-52-06-410Z_<id>.jsonl`; the Rust port keeps the dot of the milliseconds
/// and only the first eight characters of the id.
pub fn file_name(timestamp: &str, id: &str, dialect: Dialect) -> String {
    match dialect {
        Dialect::Pi => format!("{}_{id}.jsonl", timestamp.replace([':', '.'], "-")),
        Dialect::Port => {
            let short: String = id.chars().take(8).collect();
            format!("{}_{short}.jsonl", timestamp.replace(':', "-"))
        }
    }
}

/// Whether an id is one that Pi accepts: letters, digits, `-`, `_` and `.`, with a letter or
/// digit at both ends.
pub fn is_valid_session_id(id: &str) -> bool {
    let bytes = id.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else { return false };
    first.is_ascii_alphanumeric()
        && last.is_ascii_alphanumeric()
        && bytes.iter().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(b))
}

/// The path without links, as far as it is there.
pub fn real_path(path: &Path) -> PathBuf {
    let real = |above: &Path| {
        let rest = path.strip_prefix(above).ok()?;
        let above = fs_err::canonicalize(above).ok()?;
        Some(if rest.as_os_str().is_empty() { above } else { above.join(rest) })
    };
    path.ancestors().find_map(real).unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment() -> Environment {
        Environment::new("/home/u", "/home/u/p", || 0, |_| {})
    }

    #[test]
    fn folder_names_are_those_of_pi() {
        for (cwd, name) in [
            ("/home/u/p", "--home-u-p--"),
            ("/", "----"),
            ("/a b/c:d", "--a b-c-d--"),
            ("//x", "---x--"),
        ] {
            assert_eq!(encode_cwd(Path::new(cwd)), name);
        }
    }

    #[test]
    fn a_folder_name_is_decoded_if_one_directory_fits() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs_err::canonicalize(folder.path()).unwrap();
        fs_err::create_dir_all(root.join("my-project/sub")).unwrap();
        let name = |path: &str| encode_cwd(&root.join(path));
        assert_eq!(decode_cwd(&name("my-project/sub")), Some(root.join("my-project/sub")));
        assert_eq!(decode_cwd(&name("my-project")), Some(root.join("my-project")));
        assert_eq!(decode_cwd(&name("gone")), None);
        fs_err::create_dir_all(root.join("my/project")).unwrap();
        assert_eq!(decode_cwd(&name("my-project")), None);
        assert_eq!(decode_cwd(&name("my-project/sub")), Some(root.join("my-project/sub")));
        assert_eq!(decode_cwd("sessions"), None);
        assert_eq!(decode_cwd("----"), None);
    }

    #[test]
    fn what_is_below_the_home_directory_begins_with_a_tilde() {
        for (path, shown) in
            [("/home/u", "~"), ("/home/u/p", "~/p"), ("/home/uu", "/home/uu"), ("/", "/")]
        {
            assert_eq!(display(Path::new(path), &environment()), shown);
        }
    }

    #[test]
    fn paths_resolve_as_in_pi() {
        let environment = environment();
        for (input, path) in [
            ("~", "/home/u"),
            ("~/x", "/home/u/x"),
            ("x/../y", "/home/u/p/y"),
            ("/tmp/", "/tmp"),
            ("/tmp/../var", "/var"),
            ("file:///a%20b", "/a b"),
            ("~x", "/home/u/p/~x"),
        ] {
            assert_eq!(resolve(Path::new(input), &environment), Path::new(path), "{input}");
        }
    }

    #[test]
    fn names_of_both_programs() {
        let (time, id) = ("2026-02-03T22:52:06.410Z", "01a1ddfb-4699-7700-9c99-078c5356990e");
        assert_eq!(
            file_name(time, id, Dialect::Pi),
            "2026-02-03T22-52-06-410Z_01a1ddfb-4699-7700-9c99-078c5356990e.jsonl"
        );
        assert_eq!(file_name(time, id, Dialect::Port), "2026-02-03T22-52-06.410Z_01a1ddfb.jsonl");
    }

    #[test]
    fn ids_follow_the_rule_of_pi() {
        for good in ["a", "0", "a-b", "a.b_c", "01a1ddfb-4699"] {
            assert!(is_valid_session_id(good), "{good}");
        }
        for bad in ["", "-a", "a-", ".", "a b", "ä", "a/b", "a\n"] {
            assert!(!is_valid_session_id(bad), "{bad}");
        }
    }
}
