//! What extensions of the agent show: a status, some lines beside the editor, a title.
//!
//! All of it is text of others: escape sequences go, the rest is made harmless where it is drawn,
//! and no extension gets more of the screen than a few rows.

use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

use pitree_format::{JsString, Value};
use pitree_host::shell::without_escapes;

use super::dialog::Dialog;
use crate::rich::{Line, Tone, untabbed};

/// How many rows an extension gets beside the editor.
const MOST_LINES: usize = 10;
/// How many extensions are shown at once, and how many of their questions wait.
const MOST_KEYS: usize = 20;
const MOST_DIALOGS: usize = 100;

/// What is shown for the extensions.
#[derive(Default)]
pub(crate) struct Panel {
    statuses: BTreeMap<String, String>,
    above: BTreeMap<String, Vec<String>>,
    below: BTreeMap<String, Vec<String>>,
    title: Option<String>,
    /// The questions, the first of which is seen.
    pub(crate) dialogs: VecDeque<Dialog>,
}

impl Panel {
    /// Another session begins, and the extensions with it. Questions still want an answer.
    pub(super) fn begin_anew(&mut self) {
        *self = Self { dialogs: std::mem::take(&mut self.dialogs), ..Self::default() };
    }

    /// Takes in a request that gets no answer; `false` if it is none of these.
    pub(super) fn take(&mut self, method: &str, request: &Value) -> bool {
        match method {
            "setStatus" => {
                let text = text_of(request, "statusText").filter(|text| !text.trim().is_empty());
                set(&mut self.statuses, request, "statusKey", text);
            }
            "setWidget" => {
                let lines = request.get("widgetLines").and_then(Value::as_array);
                let lines = lines.map(|lines| lines.iter().take(MOST_LINES).map(shown).collect());
                let is_below =
                    text_of(request, "widgetPlacement").is_some_and(|place| place == "belowEditor");
                let (here, there) = match is_below {
                    true => (&mut self.below, &mut self.above),
                    false => (&mut self.above, &mut self.below),
                };
                set(there, request, "widgetKey", None);
                set(here, request, "widgetKey", lines);
            }
            "setTitle" => {
                self.title = text_of(request, "title").filter(|title| !title.trim().is_empty());
            }
            _ => return false,
        }
        true
    }

    /// Takes in a question; `false` if there are too many.
    pub(super) fn ask(&mut self, dialog: Dialog) -> bool {
        let has_room = self.dialogs.len() < MOST_DIALOGS;
        if has_room {
            self.dialogs.push_back(dialog);
        }
        has_room
    }

    /// The agent has answered what the user left too long: these questions are over.
    pub(super) fn expire(&mut self, now: Instant) -> Vec<Dialog> {
        let all = std::mem::take(&mut self.dialogs).into_iter();
        let (over, left): (Vec<Dialog>, Vec<Dialog>) = all.partition(|it| it.is_over(now));
        self.dialogs = left.into();
        over
    }

    /// The rows above the editor.
    pub(crate) fn rows_above(&self) -> impl Iterator<Item = Line> {
        rows(&self.above)
    }

    /// The rows below the editor: lines, and what the extensions are at.
    pub(crate) fn rows_below(&self) -> Vec<Line> {
        let mut lines: Vec<Line> = rows(&self.below).collect();
        if !self.statuses.is_empty() {
            let texts: Vec<&str> = self.statuses.values().map(String::as_str).collect();
            lines.push(Line::of(&texts.join("  "), Tone::Dim));
        }
        lines
    }

    /// The title that an extension gave the window. The terminal keeps its own: it could not be
    /// put back.
    pub(crate) fn title(&self) -> Option<&str> {
        self.title.as_deref()
    }
}

fn rows(widgets: &BTreeMap<String, Vec<String>>) -> impl Iterator<Item = Line> {
    widgets.values().flatten().map(|line| Line::of(&untabbed(line), Tone::Plain))
}

/// Sets what a key stands for, or takes it away.
fn set<T>(shown: &mut BTreeMap<String, T>, request: &Value, key: &str, value: Option<T>) {
    let key = text_of(request, key).unwrap_or_default();
    match value {
        Some(value) if shown.len() < MOST_KEYS || shown.contains_key(&key) => {
            shown.insert(key, value);
        }
        Some(_) => {}
        None => drop(shown.remove(&key)),
    }
}

fn shown(value: &Value) -> String {
    value.as_string().map(|text| without_escapes(&text.to_text())).unwrap_or_default()
}

/// A text of a request, without the colours that an extension may have put into it.
pub(super) fn text_of(request: &Value, name: &str) -> Option<String> {
    request.get_string(name).map(JsString::to_string).map(|text| without_escapes(&text))
}
