//! Personal data: home folders, user names, hosts and e-mail addresses.
//!
//! They are no secrets, so a reader may need to see that two paths lie in the same home: each is
//! replaced by a name that is made from its keyed hash.

pub(crate) mod accounts;
mod homes;
mod owners;
mod words;

use std::ops::Range;

use aho_corasick::AhoCorasick;

use crate::placeholder::{DIGITS, Key};
use crate::rules::Shape;
use crate::scan::Hit;

const HOME: &str = "home-path";
const USER: &str = "user-name";
const HOST: &str = "host-name";
const EMAIL: &str = "email";

/// Names that say nothing about a person.
const NOBODY: [&str; 18] = [
    "home",
    "users",
    "tmp",
    "work",
    "root",
    "user",
    "admin",
    "ubuntu",
    "debian",
    "runner",
    "node",
    "shared",
    "public",
    "default",
    "localhost",
    "vscode",
    "app",
    "git",
];

/// Addresses that belong to nobody: domains that are reserved or only answer machines.
const NO_PERSON: [&str; 6] = [
    "example.com",
    "example.org",
    "example.invalid",
    "noreply.github.com",
    "github.com",
    "localhost",
];

/// Which personal data is replaced. By default none.
#[derive(Clone, Debug, Default)]
pub struct Pseudonyms {
    /// The name in `/home/NAME`, `/Users/NAME` and `C:\Users\NAME`, and the owners of files in
    /// listings. A name that was found in such a path is replaced in addresses too, where it is an
    /// account: `github.com/NAME`, `NAME@host`.
    pub homes: bool,
    /// E-mail addresses.
    pub emails: bool,
    /// These user names, as whole words. Names of one or two letters, and those that are words of
    /// their own (`pi`, `test`, `mark`), are replaced in paths of homes only.
    pub users: Vec<String>,
    /// These host names, as whole words. Short ones, and those that programs write all the time
    /// (`server`, `local`), stay.
    pub hosts: Vec<String>,
}

/// Whether a rule finds people and machines, which are not secrets.
pub(crate) fn is_of_people(rule: &str) -> bool {
    matches!(rule, HOME | USER | HOST | EMAIL)
}

/// The name of a person that a rule has found in a path or a listing, if it means somebody wherever
/// it is an account.
pub(crate) fn person<'t>(rule: &str, name: &'t str) -> Option<&'t str> {
    (matches!(rule, HOME | USER) && words::is_telling(name)).then_some(name)
}

/// What finds names.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    wanted: Pseudonyms,
    /// The names that are looked for as words, and the rule of each.
    words: Option<(AhoCorasick, Vec<&'static str>)>,
}

impl Names {
    pub(crate) fn new(wanted: Pseudonyms) -> Self {
        let users = wanted.users.iter().filter(|user| !words::is_of_language(user));
        let users = users.map(|user| (user, USER));
        let hosts = wanted.hosts.iter().map(|host| (host, HOST));
        let (names, rules): (Vec<&String>, Vec<&str>) =
            users.chain(hosts).filter(|(name, _)| words::is_telling(name)).unzip();
        let finder = AhoCorasick::builder().ascii_case_insensitive(true).build(names);
        let words = finder.ok().filter(|_| !rules.is_empty()).map(|finder| (finder, rules));
        Self { wanted, words }
    }

    /// What is replaced.
    pub(crate) fn wanted(&self) -> &Pseudonyms {
        &self.wanted
    }

    /// Finds names in paths of homes, and addresses of people.
    pub(crate) fn find_in_paths(&self, text: &str, hits: &mut Vec<Hit>) {
        if self.wanted.homes {
            homes::find(text, hits);
        }
        if self.wanted.emails {
            emails(text, hits);
        }
    }

    /// Finds the owners of files in listings.
    pub(crate) fn find_owners(&self, text: &str, hits: &mut Vec<Hit>) {
        if self.wanted.homes {
            owners::find(text, hits);
        }
    }

    /// Finds names as words.
    pub(crate) fn find_words(&self, text: &str, hits: &mut Vec<Hit>) {
        if let Some((finder, rules)) = &self.words {
            words::find(finder, rules, text, hits);
        }
    }

    /// Without the addresses that overlap one of these ranges. What is left of `pw@host.net`
    /// without the password is not an address.
    pub(crate) fn apart_from(mut hits: Vec<Hit>, taken: &[Range<usize>]) -> Vec<Hit> {
        let overlaps = |hit: &Hit| {
            let next = taken.partition_point(|range| range.end <= hit.range.start);
            taken.get(next).is_some_and(|range| range.start < hit.range.end)
        };
        hits.retain(|hit| hit.rule != EMAIL || !overlaps(hit));
        hits
    }

    /// What is written instead; `None` for the name of another rule.
    pub(crate) fn replacement(rule: &str, name: &str, key: &Key) -> Option<String> {
        let digits = || key.digits(name.to_lowercase().as_bytes());
        match rule {
            HOME | USER => Some(format!("user-{}", digits())),
            HOST => Some(format!("host-{}", digits())),
            EMAIL => Some(format!("mail-{}@example.invalid", digits())),
            _ => None,
        }
    }
}

/// What the names of people and machines begin with that were made here, and what follows the
/// digits.
const MADE: [(&str, &str); 3] = [("user-", ""), ("host-", ""), ("mail-", "@example.invalid")];

/// The names in a text that were made here.
pub(crate) fn pseudonyms(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    MADE.iter().flat_map(move |(begin, end)| {
        let found = memchr::memmem::find_iter(bytes, begin);
        found.filter_map(move |start| {
            let digits = start + begin.len()..start + begin.len() + DIGITS;
            let is_made = is_digits(bytes.get(digits.clone())?)
                && bytes[digits.end..].starts_with(end.as_bytes());
            is_made.then_some(start..digits.end + end.len())
        })
    })
}

fn emails(text: &str, hits: &mut Vec<Hit>) {
    let bytes = text.as_bytes();
    for at in memchr::memchr_iter(b'@', bytes) {
        let is_local = |byte: &&u8| {
            byte.is_ascii_alphanumeric() || matches!(**byte, b'.' | b'_' | b'-' | b'+' | b'%')
        };
        let start = at - bytes[..at].iter().rev().take(64).take_while(is_local).count();
        let is_domain = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(**byte, b'-' | b'.');
        let length = bytes[at + 1..].iter().take(128).take_while(is_domain).count();
        let domain = text[at + 1..at + 1 + length].trim_end_matches(['.', '-']);
        let last = domain.rsplit_once('.').map_or("", |(_, last)| last);
        let has_end = last.len() >= 2 && last.bytes().all(|byte| byte.is_ascii_alphabetic());
        let is_no_person = NO_PERSON.iter().any(|other| domain.eq_ignore_ascii_case(other))
            || text[start..at].to_ascii_lowercase().contains("noreply");
        if start < at && has_end && !is_no_person {
            hits.push(Hit::redact(EMAIL, Shape::Known, start..at + 1 + domain.len()));
        }
    }
}

fn is_nobody(name: &str) -> bool {
    let made = name.strip_prefix("user-").or(name.strip_prefix("host-"));
    name.len() < 2
        || NOBODY.iter().any(|other| name.eq_ignore_ascii_case(other))
        || made.is_some_and(|digits| digits.len() == DIGITS && is_digits(digits.as_bytes()))
}

fn is_digits(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use crate::{Context, Key, Literals, Pseudonyms, Redactor, Report};

    /// The text for somebody of this name, with `@` for each name that was replaced.
    fn of(user: &str, text: &str) -> String {
        let pseudonyms = Pseudonyms {
            homes: true,
            emails: true,
            users: vec![user.to_owned()],
            hosts: vec!["lemon".to_owned()],
        };
        let redactor = Redactor::new(Key::new([7; 32]), Literals::default(), pseudonyms);
        let clean = redactor.text(text, Context::Text, &mut Report::default()).into_owned();
        let again = redactor.text(&clean, Context::Text, &mut Report::default());
        assert_eq!(again, clean);
        let form = regex::Regex::new("(user|host)-[0-9a-f]{8}").unwrap();
        form.replace_all(&clean, "@").into_owned()
    }

    #[test]
    fn homes_in_all_spellings() {
        for (text, expected) in [
            ("/home/bob/x and /Users/bob.", "/home/@/x and /Users/@."),
            ("/home/éric/y, /home/e\u{301}ric", "/home/@/y, /home/@"),
            ("file:///home/%C3%A9ric/y", "file:///home/@/y"),
            (r"C:\Users\Ana Maria\x", r"C:\Users\@\x"),
            (r"c:\users\bob is here, D:\x", r"c:\users\@ is here, D:\x"),
            (r#""C:\\Users\\Ana Maria\\x""#, r#""C:\\Users\\@\\x""#),
            ("a%2Fhome%2Fcarl%2Fx %2fUsers%2fcarl", "a%2Fhome%2F@%2Fx %2fUsers%2f@"),
            ("sessions/--home-bob-proj--/x.jsonl", "sessions/--home-@-proj--/x.jsonl"),
            ("--Users-bob--", "--Users-@--"),
            ("/home/bob的文件", "/home/@的文件"),
        ] {
            assert_eq!(of("zoe", text), expected, "{text}");
        }
    }

    #[test]
    fn owners_of_files() {
        for (text, expected) in [
            (
                "total 8\ndrwxr-xr-x  3 bob  staff    96 Jan  1 x",
                "total 8\ndrwxr-xr-x  3 @  staff    96 Jan  1 x",
            ),
            ("-rw-r--r--@ 1 bob bob 4.0K Jan 1 bob.txt", "-rw-r--r--@ 1 @ @ 4.0K Jan 1 bob.txt"),
            (
                "-rw-r--r--. 1 mark wheel 5 x\\n-rwsr-xr-t+ 1 pi pi 5 x",
                "-rw-r--r--. 1 @ wheel 5 x\\n-rwsr-xr-t+ 1 @ @ 5 x",
            ),
            ("crw-rw---- 1 jo.b dialout 4, 64 x", "crw-rw---- 1 @ dialout 4, 64 x"),
            ("  -rw-r--r-- bob/users  12 2026-01-01 x", "  -rw-r--r-- @/users  12 2026-01-01 x"),
            ("uid=501(bob) gid=20(staff)", "uid=501(@) gid=20(staff)"),
            ("uid=1000(bob) gid=1000(bob) groups", "uid=1000(@) gid=1000(@) groups"),
        ] {
            assert_eq!(of("zoe", text), expected, "{text}");
        }
        for text in [
            "-rw-r--r-- 1 root wheel 5 x\ndrwxr-xr-x 2 www-data www-data 5 x",
            "-rw-r--r-- 1 501 20 5 x\n-rw-r--r-- 1 _www _www 5 x",
            "-rw-r--r-- 1 systemd-resolve staff 5 x\nuid=0(root) gid=0(root)",
            "-rw-r--r-- 1 is the mode",
            "---------- 1 bob staff 5 x\nuid=bob(x) uid=1(",
            "-rw-r--r-- 1 user-1a2b3c4d staff 5 x",
            "drwxr-xr-x\n1 bob staff 5",
        ] {
            assert_eq!(of("zoe", text), text.replace("user-1a2b3c4d", "@"), "{text}");
        }
    }

    #[test]
    fn what_looks_like_a_home_stays() {
        for text in [
            "GET /api/users/list and /users/bob",
            "--home-dir=/srv --home-page",
            "/home/$USER /home/%s /home/%USER% /home/",
            "/home/root/x /Users/Shared",
            "/tmp/home/.pi/agent /home/./x",
            "/home/user-1a2b3c4d/x --home-user-1a2b3c4d-x--",
        ] {
            assert_eq!(of("zoe", text), text.replace("user-1a2b3c4d", "@"), "{text}");
        }
    }

    #[test]
    fn a_user_is_found_in_any_case_as_a_whole_word() {
        assert_eq!(
            of("ana", "Ana, ANA's ana_x mañana banana ana2"),
            "@, @'s @_x mañana banana ana2"
        );
        assert_eq!(of("zoe", "on Lemon"), "on @");
        let one = |user: &str| of(user, "x");
        assert_eq!(one("ana"), "x");
    }

    #[test]
    fn a_name_that_is_a_word_is_replaced_in_paths_only() {
        let text = "~/.pi/agent and Math.PI, run pi -p in /home/pi/x";
        assert_eq!(of("pi", text), text.replace("home/pi", "home/@"));
        assert_eq!(of("test", "a test"), "a test");
        assert_eq!(of("jo", "jo, jo"), "jo, jo");
        // Whatever word of the language it is.
        let license = "to any person obtaining a copy, /home/person/x";
        assert_eq!(of("person", license), "to any person obtaining a copy, /home/@/x");
        assert_eq!(of("john", "ask John"), "ask @");
    }

    #[test]
    fn the_bytes_of_an_image_hold_no_name() {
        let data = format!("{}+ana/{}", "q7Zk+mPx9Lw/".repeat(20), "TaB3dE5q+7Zk".repeat(20));
        assert_eq!(of("ana", &data), data);
        let path = format!("/srv/{}/ana/x", "directory/".repeat(40));
        assert_eq!(of("ana", &path), path.replace("/ana/", "/@/"));
    }
}
