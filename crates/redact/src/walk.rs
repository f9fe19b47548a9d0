//! Values and entries: every string, every name of a member.
//!
//! Strings are looked at decoded, never as they stand in a line: escapes would hide where a word
//! begins.

use std::borrow::Cow;
use std::collections::HashMap;

use pitree_format::{EntryKind, JsString, Object, Role, Value};

use crate::deep;
use crate::images::{is_image_address, is_image_data};
use crate::joined::join_lines;
use crate::messages::{is_block, is_known_block, is_message, is_of_shell, names_shell};
use crate::names::{Secrecy, secrecy};
use crate::path::Path;
use crate::redactor::{Member, People, Redactor, Wanted};
use crate::report::{Finding, Report};
use crate::rules::PRIVATE_KEY;
use crate::scan::Context;

/// Members of an entry that link it to others.
const LINKS: [&str; 6] = ["id", "parentId", "timestamp", "targetId", "fromId", "firstKeptEntryId"];

/// Names without which an entry is none.
const STRUCTURE: [&str; 7] =
    ["type", "version", "message", "role", "content", "toolCallId", "data"];

/// Members that name a tool or a kind of entry. Programs look for them by these names, so nobody
/// in them gets another one.
const IDENTIFIERS: [&str; 2] = ["customType", "toolName"];

/// Members that hold what a provider has signed or encrypted.
const SIGNATURES: [&str; 3] = ["thinkingSignature", "thoughtSignature", "textSignature"];

/// Signatures that are none: names of the member in which a provider sent its thinking, without
/// which nobody knows where it goes back to.
const NO_SIGNATURES: [&str; 3] = ["reasoning", "reasoning_content", "reasoning_text"];

/// What stands in the place of a signature.
pub const SIGNATURE_MARK: &str = "[SIGNATURE_REMOVED]";

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
        value.limit_depth();
        self.walk(context, report).value(value, None, &Path::Root);
    }

    /// The same for a value that is finished: it is looked at once more. What was left alone on
    /// purpose is left alone here too: the bytes of images, and names of tools that are the name
    /// of a user as well.
    pub fn finished_value(&self, value: &mut Value, report: &mut Report) {
        value.limit_depth();
        let walk = self.walk(Context::Text, report);
        Walk { stage: Stage::Finished, ..walk }.value(value, None, &Path::Root);
    }

    /// The same for a value that is pitree's own but for what was redacted before.
    pub(crate) fn own_value(&self, value: &mut Value, report: &mut Report) {
        let walk = self.walk(Context::Text, report);
        Walk { stage: Stage::Own, ..walk }.value(value, None, &Path::Root);
    }

    /// Replaces the secrets of an entry or a header, and its signatures.
    ///
    /// The words of the format stay, and so do the bytes of images.
    pub fn entry(&self, entry: &mut Value, links: Links, report: &mut Report) {
        entry.limit_depth();
        self.walk(Context::Text, report).entry(entry, links == Links::Keep);
    }

    fn walk<'w>(&'w self, context: Context, report: &'w mut Report) -> Walk<'w> {
        Walk { redactor: self, report, context, stage: Stage::First }
    }
}

pub(crate) struct Walk<'w> {
    redactor: &'w Redactor,
    report: &'w mut Report,
    context: Context,
    stage: Stage,
}

/// Which look at a value this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    First,
    /// The second scan.
    Finished,
    /// The second scan of what pitree says itself. A user may be called like any word of it.
    Own,
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
        let outer = self.context;
        if is_of_shell(message) {
            self.context = Context::Shell;
        }
        self.members(message, path, |walk, name, member, path| match name {
            "role" => is_one(member, |role| Role::from_name(role) != Role::Other),
            "toolCallId" => keeps_links,
            "content" => {
                walk.content(member, path, keeps_links);
                true
            }
            _ => false,
        });
        self.context = outer;
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
        let is_known = is_known_block(kind);
        let is_image = kind == "image";
        let (is_call, is_encrypted) = (kind == "toolCall", kind == "redacted_thinking");
        let outer = self.context;
        if is_call && names_shell(block.get_string("name")) {
            self.context = Context::Shell;
        }
        self.members(block, path, |walk, name, member, path| match name {
            "type" => is_known,
            "id" => keeps_links,
            "data" if is_encrypted => {
                walk.remove_signature(member);
                true
            }
            "data" => is_image && member.as_string().is_some_and(is_image_data),
            "name" if is_call => {
                walk.identifier(member, path);
                true
            }
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
            self.remove_signature(member);
        } else if IDENTIFIERS.contains(&name.name) {
            self.identifier(member, path);
        } else {
            self.value(member, Some(name), path);
        }
    }

    fn remove_signature(&mut self, member: &mut Value) {
        *member = Value::text(SIGNATURE_MARK);
        self.report.signatures += 1;
    }

    /// Replaces the secrets of a name that programs look for, and nothing else.
    fn identifier(&mut self, value: &mut Value, path: &Path<'_>) {
        match value {
            Value::String(text) if is_identifier(&text.to_text()) => {
                if let Some(redacted) = self.replaced(&text.to_text(), None, path, People::Stay) {
                    *text = redacted.into();
                }
            }
            other => self.value(other, None, path),
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
            Value::Object(object) if is_message(object) => self.message(value, path, false),
            Value::Object(object) if is_block(object) => self.block(value, path, false),
            Value::Object(object) => self.object(object, name, path),
            Value::Deep(text) => {
                if let Some(redacted) = deep::redacted(self, text, name, path) {
                    *value = redacted;
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

    /// Joins the lines of private keys that stand in strings of their own, so that they are found.
    fn join_lines(&self, items: &mut [Value]) -> bool {
        join_lines(items, |text| {
            let hits = self.redactor.find(text, self.context);
            hits.into_iter().find(|hit| hit.rule == PRIVATE_KEY).map(|hit| hit.range)
        })
    }

    fn object(&mut self, object: &mut Object, of: Option<Member<'_>>, path: &Path<'_>) {
        let variable = variable_name(object);
        let names_secret = |outer: &&str| secrecy(outer.as_bytes()) > Secrecy::None;
        let outer = of.map(|member| member.name).filter(names_secret);
        let is_tool = object.get("parameters").is_some() && object.get("description").is_some();
        self.names(object, path, |_| false);
        for (name, member) in object.iter_mut() {
            let name = name.to_text();
            let path = Path::Member(path, &name);
            match &variable {
                Some(variable) if name.eq_ignore_ascii_case("value") => {
                    let named = Member { name: variable, outer: None };
                    self.value(member, Some(named), &path);
                }
                _ if is_tool && name == "name" => self.identifier(member, &path),
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
            *object = renamed(std::mem::take(object), changed);
        }
    }

    /// The text without its secrets; `None` if it has none.
    pub(crate) fn text(
        &mut self,
        text: &str,
        name: Option<Member<'_>>,
        path: &Path<'_>,
    ) -> Option<String> {
        let people = match self.stage {
            Stage::First => People::Replace,
            Stage::Finished if !is_identifier(text) => People::Replace,
            Stage::Finished | Stage::Own => People::ReplaceInPaths,
        };
        self.replaced(text, name, path, people)
    }

    fn replaced(
        &mut self,
        text: &str,
        name: Option<Member<'_>>,
        path: &Path<'_>,
        people: People,
    ) -> Option<String> {
        if self.stage == Stage::Finished && is_image_address(text) {
            return None;
        }
        let findings = &mut self.report.findings;
        let wanted = Wanted { context: self.context, people };
        let redacted = self.redactor.replace(text, name, wanted, &mut |finding| {
            findings.push(Finding { path: path.to_string(), ..finding });
        });
        match redacted {
            Cow::Owned(redacted) => Some(redacted),
            Cow::Borrowed(_) => None,
        }
    }
}

/// The object with other names for members, by their places. Members stay as many: of those that
/// would have the same name the later ones get a number.
fn renamed(object: Object, changed: Vec<(usize, String)>) -> Object {
    let mut members = object.into_members();
    let mut taken: HashMap<JsString, usize> =
        members.iter().map(|(name, _)| (name.clone(), 1)).collect();
    for (at, name) in changed {
        let mut own = JsString::from(name.as_str());
        while let Some(number) = taken.get_mut(&own) {
            *number += 1;
            own = JsString::from(format!("{name}-{number}"));
        }
        taken.insert(own.clone(), 1);
        members[at].0 = own;
    }
    Object::from_members(members)
}

fn is_signature(text: &JsString) -> bool {
    !text.is_empty()
        && *text != *SIGNATURE_MARK
        && !NO_SIGNATURES.iter().any(|name| *text == **name)
}

fn is_one(value: &Value, known: impl Fn(&[u8]) -> bool) -> bool {
    value.as_string().is_some_and(|text| known(text.as_bytes()))
}

/// Whether a text is one word, as names of tools are.
fn is_identifier(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    text.len() <= 64 && text.bytes().all(is_part)
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
