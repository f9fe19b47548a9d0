//! Values and entries: every string, every name of a member.
//!
//! Strings are looked at decoded, never as they stand in a line: escapes would hide where a word
//! begins.

use std::borrow::Cow;
use std::ops::Range;

use pitree_format::{EntryKind, JsString, Object, Role, Value};

use crate::names::{Secrecy, secrecy};
use crate::redactor::{Member, Redactor};
use crate::report::{Finding, Report};
use crate::rules::PRIVATE_KEY;
use crate::scan::Context;

/// Members of an entry that link it to others.
const LINKS: [&str; 6] = ["id", "parentId", "timestamp", "targetId", "fromId", "firstKeptEntryId"];

/// Names without which an entry is none.
const STRUCTURE: [&str; 7] =
    ["type", "version", "message", "role", "content", "toolCallId", "data"];

/// Types of content blocks that mean something.
const BLOCKS: [&str; 6] = ["text", "image", "media", "thinking", "redacted_thinking", "toolCall"];

/// Members that hold what a provider has signed or encrypted.
const SIGNATURES: [&str; 3] = ["thinkingSignature", "thoughtSignature", "textSignature"];

/// Signatures that are none: names of the member in which a provider sent its thinking, without
/// which nobody knows where it goes back to.
const NO_SIGNATURES: [&str; 3] = ["reasoning", "reasoning_content", "reasoning_text"];

/// What stands in the place of a signature.
pub const SIGNATURE_MARK: &str = "[SIGNATURE_REMOVED]";

/// Names of tools whose arguments and results are those of a shell.
const SHELLS: [&str; 8] =
    ["bash", "shell", "sh", "exec", "terminal", "powershell", "execute_command", "run_command"];

/// Beginnings of the base64 of images: PNG, JPEG, GIF, WebP, BMP, TIFF.
const IMAGES: [&str; 7] = ["iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR", "Qk0", "SUkq", "TU0A"];

/// A private key has no more lines than this.
const MOST_KEY_LINES: usize = 256;

/// What happens to the ids and times of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    /// They stay: they hold the tree together.
    Keep,
    /// They are texts like others.
    Redact,
}

impl Redactor {
    /// Replaces the secrets in every string and every name of a value.
    pub fn value(&self, value: &mut Value, context: Context, report: &mut Report) {
        Walk { redactor: self, report, context }.value(value, None, &Path::Root);
    }

    /// Replaces the secrets of an entry or a header, and its signatures.
    ///
    /// The words of the format stay, and so do the bytes of images.
    pub fn entry(&self, entry: &mut Value, links: Links, report: &mut Report) {
        let context = if is_of_shell(entry) { Context::Shell } else { Context::Text };
        Walk { redactor: self, report, context }.entry(entry, links == Links::Keep);
    }
}

/// The way from the outermost value to one within it.
enum Path<'p> {
    Root,
    Member(&'p Path<'p>, &'p str),
    Item(&'p Path<'p>, usize),
    /// The name of a member, which is not told: it may be the secret.
    Name(&'p Path<'p>),
}

impl std::fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Member(Self::Root, name) => f.write_str(name),
            Self::Member(outer, name) => write!(f, "{outer}.{name}"),
            Self::Item(outer, at) => write!(f, "{outer}[{at}]"),
            Self::Name(Self::Root) => f.write_str("(a name)"),
            Self::Name(outer) => write!(f, "{outer}.(a name)"),
        }
    }
}

struct Walk<'w> {
    redactor: &'w Redactor,
    report: &'w mut Report,
    context: Context,
}

impl Walk<'_> {
    fn entry(&mut self, entry: &mut Value, keeps_links: bool) {
        self.members(entry, &Path::Root, |walk, name, member, path| match name {
            "type" => is_one(member, |kind| EntryKind::from_name(kind) != EntryKind::Other),
            "message" => {
                walk.message(member, path, keeps_links);
                true
            }
            "content" => {
                walk.content(member, path, keeps_links);
                true
            }
            name => keeps_links && LINKS.contains(&name),
        });
    }

    fn message(&mut self, message: &mut Value, path: &Path<'_>, keeps_links: bool) {
        self.members(message, path, |walk, name, member, path| match name {
            "role" => is_one(member, |role| Role::from_name(role) != Role::Other),
            "toolCallId" => keeps_links,
            "content" => {
                walk.content(member, path, keeps_links);
                true
            }
            _ => false,
        });
    }

    /// Content: a string, or blocks.
    fn content(&mut self, content: &mut Value, path: &Path<'_>, keeps_links: bool) {
        let Value::Array(blocks) = content else { return self.value(content, None, path) };
        for (at, block) in blocks.iter_mut().enumerate() {
            self.block(block, &Path::Item(path, at), keeps_links);
        }
    }

    fn block(&mut self, block: &mut Value, path: &Path<'_>, keeps_links: bool) {
        let kind = block.get_string("type").and_then(JsString::as_str).unwrap_or_default();
        let (is_image, is_known) = (kind == "image", BLOCKS.contains(&kind));
        let is_encrypted = kind == "redacted_thinking";
        let outer = self.context;
        if kind == "toolCall" && names_shell(block.get_string("name")) {
            self.context = Context::Shell;
        }
        self.members(block, path, |_, name, member, _| match name {
            "type" => is_known,
            "id" => keeps_links,
            "data" if is_encrypted => {
                *member = Value::text(SIGNATURE_MARK);
                true
            }
            "data" => is_image && member.as_string().is_some_and(is_image_data),
            _ => false,
        });
        self.context = outer;
    }

    /// Redacts the members that `deals` has not dealt with.
    fn members(
        &mut self,
        value: &mut Value,
        path: &Path<'_>,
        mut deals: impl FnMut(&mut Self, &str, &mut Value, &Path<'_>) -> bool,
    ) {
        let Value::Object(object) = value else { return self.value(value, None, path) };
        self.names(object, path, |name| STRUCTURE.contains(&name) || LINKS.contains(&name));
        for (name, member) in object.iter_mut() {
            let name = name.to_text();
            let path = Path::Member(path, &name);
            if !deals(self, &name, member, &path) {
                self.member(Member { name: &name, outer: None }, member, &path);
            }
        }
    }

    fn member(&mut self, name: Member<'_>, member: &mut Value, path: &Path<'_>) {
        if SIGNATURES.contains(&name.name) && member.as_string().is_some_and(is_signature) {
            *member = Value::text(SIGNATURE_MARK);
        } else {
            self.value(member, Some(name), path);
        }
    }

    fn value(&mut self, value: &mut Value, name: Option<Member<'_>>, path: &Path<'_>) {
        match value {
            Value::String(text) => {
                if let Some(redacted) = self.text(&text.to_text(), name, path) {
                    *text = redacted.into();
                }
            }
            Value::Array(items) => {
                let before = self.report.findings.len();
                self.join_lines(items);
                self.items(items, name, path);
                // What was replaced may have hidden where a key begins.
                if self.report.findings.len() > before && self.join_lines(items) {
                    self.items(items, name, path);
                }
            }
            Value::Object(object) => self.object(object, name, path),
            // Text that was not decoded. What is left of it may be no JSON any more, so it becomes
            // a string.
            Value::Deep(text) => {
                if let Some(redacted) = self.text(&String::from_utf8_lossy(text), name, path) {
                    *value = Value::text(redacted);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn items(&mut self, items: &mut [Value], name: Option<Member<'_>>, path: &Path<'_>) {
        for (at, item) in items.iter_mut().enumerate() {
            self.value(item, name, &Path::Item(path, at));
        }
    }

    /// Joins the lines of a private key that stand in strings of their own: all of them are put
    /// into the first, where they are found. Says whether there was one.
    fn join_lines(&self, items: &mut [Value]) -> bool {
        let mut has_joined = false;
        for at in 0..items.len() {
            let Some(window) = lines_of_key(items, at) else { continue };
            let lines: Vec<String> = items[window.clone()].iter().map_while(line).collect();
            let joined = lines.join("\n");
            let hits = self.redactor.find(&joined, self.context);
            let Some(key) = hits.into_iter().find(|hit| hit.rule == PRIVATE_KEY) else { continue };
            // The strings that the key lies in.
            let mut start = 0;
            let is_in_key = |line: &String| {
                let range = start..start + line.len();
                start = range.end + 1;
                range.start < key.range.end && key.range.start < range.end
            };
            let inside: Vec<bool> = lines.iter().map(is_in_key).collect();
            let first = inside.iter().position(|is_in| *is_in);
            let last = inside.iter().rposition(|is_in| *is_in);
            if let (Some(first), Some(last)) = (first, last)
                && first < last
            {
                let joined = lines[first..=last].join("\n");
                items[window.start + first..=window.start + last].fill(Value::text(""));
                items[window.start + first] = Value::text(joined);
                has_joined = true;
            }
        }
        has_joined
    }

    fn object(&mut self, object: &mut Object, of: Option<Member<'_>>, path: &Path<'_>) {
        let variable = variable_name(object);
        let names_secret = |outer: &&str| secrecy(outer.as_bytes()) > Secrecy::None;
        let outer = of.map(|member| member.name).filter(names_secret);
        self.names(object, path, |_| false);
        for (name, member) in object.iter_mut() {
            let name = name.to_text();
            let path = Path::Member(path, &name);
            match &variable {
                Some(variable) if name.eq_ignore_ascii_case("value") => {
                    let named = Member { name: variable, outer: None };
                    self.value(member, Some(named), &path);
                }
                _ => self.member(Member { name: &name, outer }, member, &path),
            }
        }
    }

    /// Redacts the names of members, before these are looked at, so that no path tells a secret.
    /// Nearly all objects keep theirs and are not built anew.
    fn names(&mut self, object: &mut Object, path: &Path<'_>, is_fixed: impl Fn(&str) -> bool) {
        let mut changed = Vec::new();
        for (at, (name, _)) in object.iter().enumerate() {
            let name = name.to_text();
            if !is_fixed(&name)
                && let Some(redacted) = self.text(&name, None, &Path::Name(path))
            {
                changed.push((at, redacted));
            }
        }
        if !changed.is_empty() {
            let mut members = std::mem::take(object).into_members();
            for (at, name) in changed {
                members[at].0 = name.into();
            }
            *object = Object::from_members(members);
        }
    }

    /// The text without its secrets; `None` if it has none.
    fn text(&mut self, text: &str, name: Option<Member<'_>>, path: &Path<'_>) -> Option<String> {
        let findings = &mut self.report.findings;
        let redacted = self.redactor.replace(text, name, self.context, &mut |finding| {
            findings.push(Finding { path: path.to_string(), ..finding });
        });
        match redacted {
            Cow::Owned(redacted) => Some(redacted),
            Cow::Borrowed(_) => None,
        }
    }
}

fn line(item: &Value) -> Option<String> {
    item.as_string().map(|text| text.to_text().into_owned())
}

/// The strings among which the lines of a private key may stand that begins or ends in this one,
/// up to where another begins or ends.
fn lines_of_key(items: &[Value], at: usize) -> Option<Range<usize>> {
    let text = items[at].as_string()?;
    let has = |text: &JsString, part: &str| {
        memchr::memmem::find(text.as_bytes(), part.as_bytes()).is_some()
    };
    if !has(text, "PRIVATE KEY") {
        return None;
    }
    let is_other = |item: &&Value| {
        item.as_string().is_some_and(|text| !has(text, "-----BEGIN") && !has(text, "-----END"))
    };
    match (has(text, "-----BEGIN"), has(text, "-----END")) {
        (true, false) => {
            let others = items[at + 1..].iter().take(MOST_KEY_LINES).take_while(is_other).count();
            let end = at + 1 + others;
            let ends = |item: &Value| item.as_string().is_some_and(|text| has(text, "-----END"));
            Some(at..end + usize::from(items.get(end).is_some_and(ends)))
        }
        (false, true) => {
            let others = items[..at].iter().rev().take(MOST_KEY_LINES).take_while(is_other).count();
            Some(at - others..at + 1)
        }
        _ => None,
    }
}

fn is_signature(text: &JsString) -> bool {
    !text.is_empty() && !NO_SIGNATURES.iter().any(|name| *text == **name)
}

fn is_one(value: &Value, known: impl Fn(&[u8]) -> bool) -> bool {
    value.as_string().is_some_and(|text| known(text.as_bytes()))
}

fn names_shell(name: Option<&JsString>) -> bool {
    name.is_some_and(|name| SHELLS.iter().any(|shell| *name == *shell))
}

/// Whether an entry is what a shell printed: run by a tool, or by the user.
fn is_of_shell(entry: &Value) -> bool {
    entry.get("message").is_some_and(|message| {
        names_shell(message.get_string("toolName"))
            || message.get_string("role").is_some_and(|role| *role == "bashExecution")
    })
}

/// The variable that an object like `{"name": "API_KEY", "value": "…"}` sets.
fn variable_name(object: &Object) -> Option<String> {
    let member = |names: &[&str]| {
        let named = |name: &JsString| names.iter().any(|other| *name == **other);
        object.iter().find(|(name, _)| named(name)).and_then(|(_, value)| value.as_string())
    };
    member(&["value", "Value"])?;
    let name = member(&["name", "Name", "key", "Key", "variable", "Variable"]);
    name.map(|name| name.to_text().into_owned())
}

/// Whether a text is the base64 of an image.
fn is_image_data(data: &JsString) -> bool {
    let Some(data) = data.as_str() else { return false };
    let digits = data.trim_end_matches('=');
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    IMAGES.iter().any(|begin| data.starts_with(begin))
        && data.len() - digits.len() <= 2
        && digits.bytes().all(allowed)
}
