//! The way through a value or an entry: every string, every name of a member.
//!
//! Strings are looked at decoded, never as they stand in a line: escapes would hide where a word
//! begins.

use std::borrow::Cow;
use std::collections::HashMap;

use pitree_format::{EntryKind, JsString, Object, Role, Value};

use crate::deep;
use crate::images::{is_image_address, is_image_data};
use crate::joined::join_lines;
use crate::memory::SessionMemory;
use crate::messages::{is_block, is_known_block, is_message, is_of_shell};
use crate::names::{Secrecy, secrecy};
use crate::path::Path;
use crate::redactor::{Member, People, Redactor, Wanted};
use crate::report::{Finding, Report};
use crate::rules::PRIVATE_KEY;
use crate::scan::{Action, Context};

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

/// Who changes the texts.
#[derive(Clone, Copy)]
pub(crate) enum Changer<'w> {
    Secrets(&'w Redactor),
    Any(&'w dyn Fn(&str) -> Option<String>),
}

/// A walk over one value, with what it has found so far.
pub(crate) struct Walk<'w> {
    pub(crate) changer: Changer<'w>,
    pub(crate) report: &'w mut Report,
    pub(crate) memory: &'w mut SessionMemory,
    pub(crate) context: Context,
    pub(crate) stage: Stage,
}

/// Which look at a value this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    First,
    /// The second scan.
    Finished,
    /// The second scan of what pitree says itself. A user may be called like any word of it.
    Own,
}

impl Walk<'_> {
    pub(crate) fn entry(&mut self, entry: &mut Value, keeps_links: bool) {
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
        if let Some(context) = self.memory.context_of_result(message) {
            self.context = context;
        } else if is_of_shell(message) {
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
        if is_call && let Some(context) = self.memory.note_call(block) {
            self.context = context;
        }
        self.members(block, path, |walk, name, member, path| match name {
            "type" => is_known,
            "id" => keeps_links,
            "data" if is_encrypted && walk.removes_signatures() => {
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
        let is_fixed = |name: &str| STRUCTURE.contains(&name) || LINKS.contains(&name);
        let before = self.names(object, path, is_fixed);
        for (at, (name, member)) in object.iter_mut().enumerate() {
            let name = name.to_text();
            let path = Path::Member(path, &name);
            if !deals(self, &name, member, &path) {
                let name = before.get(&at).map_or(&*name, String::as_str);
                self.member(Member { name, outer: None }, member, &path);
            }
        }
    }

    fn member(&mut self, name: Member<'_>, member: &mut Value, path: &Path<'_>) {
        let is_signature =
            || SIGNATURES.contains(&name.name) && member.as_string().is_some_and(is_signature);
        if self.removes_signatures() && is_signature() {
            self.remove_signature(member);
        } else if IDENTIFIERS.contains(&name.name) {
            self.identifier(member, path);
        } else {
            self.value(member, Some(name), path);
        }
    }

    fn removes_signatures(&self) -> bool {
        matches!(self.changer, Changer::Secrets(_))
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

    pub(crate) fn value(&mut self, value: &mut Value, name: Option<Member<'_>>, path: &Path<'_>) {
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
        let mut option: Option<String> = None;
        for (at, item) in items.iter_mut().enumerate() {
            let next = item.as_string().and_then(option_name);
            let of_option = option.as_deref().map(|name| Member { name, outer: None });
            self.value(item, of_option.or(name), &Path::Item(path, at));
            option = next;
        }
    }

    /// Joins the lines of private keys that stand in strings of their own, so that they are found.
    fn join_lines(&self, items: &mut [Value]) -> bool {
        let Changer::Secrets(redactor) = self.changer else { return false };
        join_lines(items, |text| {
            let hits = redactor.find(text, self.context);
            hits.into_iter().find(|hit| hit.rule == PRIVATE_KEY).map(|hit| hit.range)
        })
    }

    fn object(&mut self, object: &mut Object, of: Option<Member<'_>>, path: &Path<'_>) {
        let variable = variable_name(object);
        let names_secret = |outer: &&str| secrecy(outer.as_bytes()) > Secrecy::None;
        let outer = of.map(|member| member.name).filter(names_secret);
        let is_tool = object.get("parameters").is_some() && object.get("description").is_some();
        let before = self.names(object, path, |_| false);
        for (at, (name, member)) in object.iter_mut().enumerate() {
            let name = name.to_text();
            let path = Path::Member(path, &name);
            let name = before.get(&at).map_or(&*name, String::as_str);
            match &variable {
                Some(variable) if name.eq_ignore_ascii_case("value") => {
                    let named = Member { name: variable, outer: None };
                    self.value(member, Some(named), &path);
                }
                _ if is_tool && name == "name" => self.identifier(member, &path),
                _ => self.member(Member { name, outer }, member, &path),
            }
        }
    }

    /// Redacts the names of members, before these are looked at, so that no path tells a secret.
    /// Nearly all objects keep theirs and are not built anew. Gives the names that were changed, by
    /// their places: a value is judged by the name that it had.
    fn names(
        &mut self,
        object: &mut Object,
        path: &Path<'_>,
        is_fixed: impl Fn(&str) -> bool,
    ) -> HashMap<usize, String> {
        let (mut before, mut changed) = (HashMap::new(), Vec::new());
        for (at, (name, _)) in object.iter().enumerate() {
            let name = name.to_text();
            if !is_fixed(&name)
                && let Some(redacted) = self.text(&name, None, &Path::Name(path))
            {
                changed.push((at, redacted));
                before.insert(at, name.into_owned());
            }
        }
        if !changed.is_empty() {
            *object = renamed(std::mem::take(object), changed);
        }
        before
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
            Stage::Finished if !is_identifier(text) => People::ReplaceAgain,
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
        let redactor = match self.changer {
            Changer::Secrets(redactor) => redactor,
            Changer::Any(change) => return change(text),
        };
        let (findings, memory) = (&mut self.report.findings, &mut *self.memory);
        let wanted = Wanted { context: self.context, people };
        let redacted = redactor.replace(text, name, wanted, &mut |hit, secret| {
            findings.push(Finding::new(hit, secret, path.to_string()));
            match hit.action {
                Action::Redact => memory.note_found(hit, secret),
                Action::Report => memory.note_likely_left(),
            }
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

/// The name of an option whose value is the next word of a command.
fn option_name(word: &JsString) -> Option<String> {
    let name = word.as_str()?.strip_prefix("--")?;
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (!name.is_empty() && name.bytes().all(is_name)).then(|| name.to_owned())
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
