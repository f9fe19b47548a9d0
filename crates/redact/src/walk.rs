//! Values and entries: every string, every name of a member.
//!
//! Strings are looked at decoded, never as they stand in a line: escapes would hide where a word
//! begins.

use pitree_format::{EntryKind, JsString, Object, Role, Value};

use crate::redactor::Redactor;
use crate::report::{Finding, Report};
use crate::scan::Context;
use crate::shapes::begin_line;

/// Members of an entry that link it to others.
const LINKS: [&str; 6] = ["id", "parentId", "timestamp", "targetId", "fromId", "firstKeptEntryId"];

/// Names without which an entry is none.
const STRUCTURE: [&str; 7] =
    ["type", "version", "message", "role", "content", "toolCallId", "data"];

/// Types of content blocks that mean something.
const BLOCKS: [&str; 6] = ["text", "image", "media", "thinking", "redacted_thinking", "toolCall"];

/// Members that hold what a provider has signed or encrypted.
const SIGNATURES: [&str; 3] = ["thinkingSignature", "thoughtSignature", "textSignature"];

/// What stands in the place of a signature.
pub const SIGNATURE_MARK: &str = "[SIGNATURE_REMOVED]";

/// Names of tools whose arguments and results are those of a shell.
const SHELLS: [&str; 8] =
    ["bash", "shell", "sh", "exec", "terminal", "powershell", "execute_command", "run_command"];

/// Beginnings of the base64 of images: PNG, JPEG, GIF, WebP, BMP, TIFF.
const IMAGES: [&str; 7] = ["iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR", "Qk0", "SUkq", "TU0A"];

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
        let mut walk = Walk { redactor: self, report, path: Vec::new(), context };
        walk.value(value, None);
    }

    /// Replaces the secrets of an entry or a header, and its signatures.
    ///
    /// The words of the format stay, and so do the bytes of images.
    pub fn entry(&self, entry: &mut Value, links: Links, report: &mut Report) {
        let keeps_links = links == Links::Keep;
        let mut walk = Walk { redactor: self, report, path: Vec::new(), context: Context::Text };
        walk.entry(entry, keeps_links);
    }
}

/// A step from a value to one that it contains.
#[derive(Clone)]
enum Step {
    Member(JsString),
    Item(usize),
}

struct Walk<'w> {
    redactor: &'w Redactor,
    report: &'w mut Report,
    path: Vec<Step>,
    context: Context,
}

impl Walk<'_> {
    fn entry(&mut self, entry: &mut Value, keeps_links: bool) {
        let role = entry.get("message").and_then(|message| message.get_string("role"));
        if role.is_some_and(|role| *role == "bashExecution") || is_shell_result(entry) {
            self.context = Context::Shell;
        }
        self.members(entry, |walk, name, member| match name {
            "type" => is_one(member, |kind| EntryKind::from_name(kind) != EntryKind::Other),
            "message" => {
                walk.message(member, keeps_links);
                true
            }
            "content" => {
                walk.content(member, keeps_links);
                true
            }
            name => keeps_links && LINKS.contains(&name),
        });
    }

    fn message(&mut self, message: &mut Value, keeps_links: bool) {
        self.members(message, |walk, name, member| match name {
            "role" => is_one(member, |role| Role::from_name(role) != Role::Other),
            "toolCallId" => keeps_links,
            "content" => {
                walk.content(member, keeps_links);
                true
            }
            _ => false,
        });
    }

    /// Content: a string, or blocks.
    fn content(&mut self, content: &mut Value, keeps_links: bool) {
        let Value::Array(blocks) = content else { return self.value(content, None) };
        for (at, block) in blocks.iter_mut().enumerate() {
            self.path.push(Step::Item(at));
            self.block(block, keeps_links);
            self.path.pop();
        }
    }

    fn block(&mut self, block: &mut Value, keeps_links: bool) {
        let kind = block.get_string("type").and_then(JsString::as_str).unwrap_or_default();
        let (is_image, is_known) = (kind == "image", BLOCKS.contains(&kind));
        let is_encrypted = kind == "redacted_thinking";
        let is_shell_call = kind == "toolCall" && names_shell(block.get_string("name"));
        let outer = self.context;
        if is_shell_call {
            self.context = Context::Shell;
        }
        self.members(block, |_, name, member| match name {
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
        mut deals: impl FnMut(&mut Self, &str, &mut Value) -> bool,
    ) {
        let Value::Object(object) = value else { return self.value(value, None) };
        for (name, member) in object.iter_mut() {
            self.path.push(Step::Member(name.clone()));
            let text = name.to_text();
            if !deals(self, &text, member) {
                self.member(&text, member);
            }
            self.path.pop();
        }
        self.names(object, |name| STRUCTURE.contains(&name) || LINKS.contains(&name));
    }

    fn member(&mut self, name: &str, member: &mut Value) {
        if SIGNATURES.contains(&name) && member.as_string().is_some_and(|text| !text.is_empty()) {
            *member = Value::text(SIGNATURE_MARK);
        } else {
            self.value(member, Some(name));
        }
    }

    fn value(&mut self, value: &mut Value, name: Option<&str>) {
        match value {
            Value::String(text) => self.string(text, name),
            Value::Array(items) => self.items(items, name),
            Value::Object(object) => self.object(object),
            // Text that was not decoded. What is left of it may be no JSON any more, so it becomes
            // a string.
            Value::Deep(text) => {
                let text = JsString::from(String::from_utf8_lossy(text).into_owned());
                let mut changed = text.clone();
                self.string(&mut changed, name);
                if changed != text {
                    *value = Value::String(changed);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn object(&mut self, object: &mut Object) {
        let variable = variable_name(object);
        for (name, member) in object.iter_mut() {
            self.path.push(Step::Member(name.clone()));
            let text = name.to_text();
            match &variable {
                Some(variable) if text == "value" => self.value(member, Some(variable)),
                _ => self.member(&text, member),
            }
            self.path.pop();
        }
        self.names(object, |_| false);
    }

    fn items(&mut self, items: &mut [Value], name: Option<&str>) {
        join_lines(items);
        for (at, item) in items.iter_mut().enumerate() {
            self.path.push(Step::Item(at));
            self.value(item, name);
            self.path.pop();
        }
    }

    /// Redacts the names of members. Most objects keep theirs, so they are not built anew.
    fn names(&mut self, object: &mut Object, is_fixed: impl Fn(&str) -> bool) {
        let mut changed = Vec::new();
        for (at, (name, _)) in object.iter().enumerate() {
            let text = name.to_text();
            if !is_fixed(&text) {
                let mut name = name.clone();
                self.string(&mut name, None);
                if name != *text {
                    changed.push((at, name));
                }
            }
        }
        if !changed.is_empty() {
            let mut members = std::mem::take(object).into_members();
            for (at, name) in changed {
                members[at].0 = name;
            }
            *object = Object::from_members(members);
        }
    }

    fn string(&mut self, text: &mut JsString, name: Option<&str>) {
        let whole = text.to_text();
        let mut findings = Vec::new();
        let redacted = self.redactor.replace(&whole, name, self.context, &mut |finding| {
            findings.push(finding);
        });
        let redacted = match redacted {
            std::borrow::Cow::Owned(redacted) => Some(redacted),
            std::borrow::Cow::Borrowed(_) => None,
        };
        if let Some(redacted) = redacted {
            *text = redacted.into();
        }
        let path = if findings.is_empty() { String::new() } else { written(&self.path) };
        let placed = findings.into_iter().map(|found| Finding { path: path.clone(), ..found });
        self.report.findings.extend(placed);
    }
}

fn written(path: &[Step]) -> String {
    let mut text = String::new();
    for step in path {
        match step {
            Step::Member(name) if text.is_empty() => text.push_str(&name.to_text()),
            Step::Member(name) => {
                text.push('.');
                text.push_str(&name.to_text());
            }
            Step::Item(at) => text.push_str(&format!("[{at}]")),
        }
    }
    text
}

fn is_one(value: &Value, known: impl Fn(&[u8]) -> bool) -> bool {
    value.as_string().is_some_and(|text| known(text.as_bytes()))
}

fn names_shell(name: Option<&JsString>) -> bool {
    name.is_some_and(|name| SHELLS.iter().any(|shell| *name == *shell))
}

/// Whether an entry is what a tool that runs a shell answered.
fn is_shell_result(entry: &Value) -> bool {
    entry.get("message").is_some_and(|message| names_shell(message.get_string("toolName")))
}

/// The variable that an object like `{"name": "API_KEY", "value": "…"}` sets.
fn variable_name(object: &Object) -> Option<String> {
    object.get("value")?.as_string()?;
    let name =
        ["name", "key", "variable"].iter().find_map(|member| object.get(member)?.as_string());
    name.map(|name| name.to_text().into_owned())
}

/// Joins the lines of a private key that stand in strings of their own: all of them are put into
/// the first, where they are found.
fn join_lines(items: &mut [Value]) {
    let line = |item: &Value| item.as_string().map(|text| text.to_text().into_owned());
    let mut at = 0;
    while at < items.len() {
        let Some(first) = line(&items[at]) else {
            at += 1;
            continue;
        };
        let begins = first.find("-----BEGIN").filter(|begin| {
            begin_line(&first.as_bytes()[*begin..]).is_some() && !first.contains("-----END")
        });
        at += 1;
        if begins.is_none() {
            continue;
        }
        let rest: Vec<String> = items[at..].iter().map_while(line).collect();
        let Some(last) = rest.iter().position(|line| line.contains("-----END")) else { continue };
        let lines = std::iter::once(first).chain(rest.into_iter().take(last + 1));
        items[at - 1] = Value::text(lines.collect::<Vec<_>>().join("\n"));
        items[at..=at + last].iter_mut().for_each(|item| *item = Value::text(""));
        at += last + 1;
    }
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
