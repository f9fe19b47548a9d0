//! The owners of files, as `ls -l`, `tar -tv` and `id` print them.

use std::sync::LazyLock;

use memchr::memmem;

use super::{USER, is_nobody};
use crate::rules::Shape;
use crate::scan::Hit;

/// Accounts of systems and of programs.
const SYSTEM: &str = "\
    adm administrator administrators airflow apache avahi backup bin caddy circleci cloudsdk \
    codespace coder colord daemon dbus deploy dialout disk docker ec2-user elasticsearch everyone \
    ftp games gdm gitpod gnats grafana haproxy http irc jenkins jovyan kafka kvm landscape linuxbrew \
    list lp lxd mail man memcached messagebus mongodb mysql named netdev news nginx nixbld nobody \
    nogroup none ntp operator plugdev polkitd postfix postgres prometheus proxy rabbitmq redis \
    rpc rtkit saned service shadow ssh sshd staff sudo svc sync syslog sys system tape tomcat trustedinstaller \
    tss tty unknown usbmux uucp uuidd vagrant video whoopsie wheel www www-data wwwrun";

/// The length of a mode, such as `drwxr-xr-x`.
const MODE: usize = 10;

/// The shortest text that names an owner.
const SHORTEST: usize = "uid=1(ab)".len();

/// What stands before the number of a user.
static UID: LazyLock<memmem::Finder<'_>> = LazyLock::new(|| memmem::Finder::new(b"uid="));

pub(super) fn find(text: &str, hits: &mut Vec<Hit>) {
    let bytes = text.as_bytes();
    if bytes.len() < SHORTEST {
        return;
    }
    listed(text, 0, hits);
    // A line may also begin where its end is escaped.
    for at in memchr::memchr2_iter(b'\n', b'\\', bytes) {
        match (bytes[at], bytes.get(at + 1)) {
            (b'\n', _) => listed(text, at + 1, hits),
            (_, Some(b'n')) => listed(text, at + 2, hits),
            _ => {}
        }
    }
    for at in UID.find_iter(bytes) {
        identity(text, at + 4, hits);
    }
}

/// The owner in the line of a listing that begins here.
fn listed(text: &str, start: usize, hits: &mut Vec<Hit>) {
    let line = &text.as_bytes()[start..];
    let margin = line.iter().take_while(|byte| **byte == b' ').count();
    if !line.get(margin..margin + MODE).is_some_and(is_mode) {
        return;
    }
    let mut fields = Fields { text, at: start + margin + MODE };
    if matches!(text.as_bytes().get(fields.at), Some(b'@' | b'+' | b'.')) {
        fields.at += 1;
    }
    let Some(first) = fields.next() else { return };
    let (owner, group) = match is_number(&text[first.clone()]) {
        true => match (fields.next(), fields.next()) {
            (Some(owner), Some(group)) => (owner, group),
            _ => return,
        },
        // As tar prints it: `ana/staff`.
        false => match text[first.clone()].find('/') {
            Some(slash) => (first.start..first.start + slash, first.start + slash + 1..first.end),
            None => return,
        },
    };
    // The size comes next: without it the line is another kind of text.
    if fields.next().is_some_and(|size| text[size].starts_with(|c: char| c.is_ascii_digit())) {
        push(text, owner, group, hits);
    }
}

/// The user in `uid=501(ana) gid=20(staff)`, whose first number begins here.
fn identity(text: &str, start: usize, hits: &mut Vec<Hit>) {
    let named = |start: usize| {
        let rest = &text[start..];
        let name = rest.trim_start_matches(|c: char| c.is_ascii_digit());
        let inside = name.strip_prefix('(').filter(|_| name.len() < rest.len())?;
        let from = text.len() - inside.len();
        Some(from..from + inside.find(')').filter(|length| *length <= LONGEST)?)
    };
    let Some(user) = named(start) else { return };
    let group = text[user.end..].strip_prefix(") gid=").and_then(|_| named(user.end + 6));
    push(text, user.clone(), group.unwrap_or(user.end..user.end), hits);
}

/// The longest name, in bytes.
const LONGEST: usize = 64;

/// Takes the owner, and the group if it is the owner's own.
fn push(
    text: &str,
    owner: std::ops::Range<usize>,
    group: std::ops::Range<usize>,
    hits: &mut Vec<Hit>,
) {
    let name = &text[owner.clone()];
    if !is_person(name) {
        return;
    }
    if text[group.clone()].eq_ignore_ascii_case(name) {
        hits.push(Hit::redact(USER, Shape::Known, group));
    }
    hits.push(Hit::redact(USER, Shape::Known, owner));
}

fn is_person(name: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-');
    name.len() <= LONGEST
        && name.chars().all(is_name)
        && name.starts_with(char::is_alphabetic)
        && !is_nobody(name)
        && !name.to_ascii_lowercase().starts_with("systemd-")
        && !SYSTEM.split(' ').any(|other| name.eq_ignore_ascii_case(other))
}

fn is_mode(bytes: &[u8]) -> bool {
    let is_one = |(at, byte): (usize, &u8)| match at {
        0 => b"-dlcbpsD".contains(byte),
        _ => match at % 3 {
            1 => b"r-".contains(byte),
            2 => b"w-".contains(byte),
            _ => b"x-sStT".contains(byte),
        },
    };
    // A line of dashes is none.
    bytes.iter().enumerate().all(is_one) && bytes != b"----------"
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The fields of a line, by their places.
struct Fields<'t> {
    text: &'t str,
    at: usize,
}

impl Iterator for Fields<'_> {
    type Item = std::ops::Range<usize>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = &self.text[self.at..];
        let field = rest.trim_start_matches([' ', '\t']);
        let length = field.find([' ', '\t', '\n']).unwrap_or(field.len());
        let start = self.text.len() - field.len();
        self.at = start + length;
        (length > 0 && field.len() < rest.len()).then_some(start..start + length)
    }
}
