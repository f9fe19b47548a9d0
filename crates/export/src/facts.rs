//! What the top of a page says about a session.

use pitree_format::entry::Body;
use pitree_format::message::Message;
use pitree_format::usage::{Cost, Usage};
use pitree_format::{EntryKind, JsString, Role};
use pitree_session::{EntryRef, SessionError};

use crate::numbers;
use crate::order::Order;
use crate::page::{Fact, Shown};
use crate::redact::ExportedSession;

/// How much of the first message makes a title.
const TITLE_CHARS: usize = 80;

/// How many models are named.
const MOST_MODELS: usize = 20;

/// The title and the facts.
pub(crate) struct Facts {
    pub(crate) title: Shown<'static>,
    pub(crate) list: Vec<Fact<'static>>,
}

/// What a pass over the whole session adds up.
#[derive(Default)]
struct Tally {
    /// Models with the number of their answers, first come first.
    models: Vec<(String, usize)>,
    other_models: usize,
    tokens: f64,
    cost: f64,
    /// Usages whose cost nobody recorded.
    unknown_costs: usize,
    times: Option<(i64, i64)>,
}

impl Facts {
    /// Reads the entries that can have spent something.
    pub(crate) fn read(source: &ExportedSession<'_>, order: &Order) -> Result<Self, SessionError> {
        let tally = Tally::of(source)?;
        let title = title(source)?;
        let mut list = header_facts(source);
        let mut add = |name, value: String| list.push((name, Shown::owned(&value)));
        if let Some((first, last)) = tally.times {
            add("From", numbers::minute(first));
            add("To", numbers::minute(last));
        }
        let all = source.session().len();
        let entries = numbers::count(order.len(), "entry", "entries");
        let branches = numbers::count(order.branches(), "branch", "branches");
        add(
            "Shown",
            match order.len() {
                shown if shown == all => format!("{entries}, {branches}"),
                _ => format!("{entries} of {all}, {branches}"),
            },
        );
        for (model, answers) in &tally.models {
            add("Model", format!("{model}, {}", numbers::count(*answers, "reply", "replies")));
        }
        if tally.other_models > 0 {
            add("Model", format!("replies of other models: {}", tally.other_models));
        }
        add("Cost", tally.spend());
        let odd = source.odd_lines().count();
        if odd > 0 {
            add(
                "Damage",
                numbers::count(odd, "line that is not an entry", "lines that are not entries"),
            );
        }
        Ok(Self { title, list })
    }
}

fn header_facts(source: &ExportedSession<'_>) -> Vec<Fact<'static>> {
    let header = source.session().header();
    let members = [
        ("Session", header.id.as_ref()),
        ("Directory", header.cwd.as_ref()),
        ("Created", header.timestamp.as_ref()),
        ("Forked from", header.parent_session.as_ref()),
    ];
    let present = members.into_iter().filter_map(|(name, value)| {
        let value = value.filter(|value| !value.is_empty())?;
        Some((name, Shown::owned(&source.text(&value.to_text()))))
    });
    present.collect()
}

/// The session's name, or how it begins, or its id.
fn title(source: &ExportedSession<'_>) -> Result<Shown<'static>, SessionError> {
    let session = source.session();
    if let Some(name) = session.name()?.filter(|name| !name.is_empty()) {
        return Ok(Shown::short(&source.text(&name.to_text()), TITLE_CHARS));
    }
    if let Some(entry) = session.entries().find(|entry| entry.is_message(Role::User))
        && let Body::Message(Message::User(user)) = Body::decode(&source.value(entry)?)
    {
        let said = Shown::short(&user.content.to_text(" "), TITLE_CHARS);
        if !said.as_str().is_empty() {
            return Ok(said);
        }
    }
    Ok(Shown::short(&format!("Session {}", source.text(&session.id())), TITLE_CHARS))
}

impl Tally {
    fn of(source: &ExportedSession<'_>) -> Result<Self, SessionError> {
        let mut tally = Self::default();
        for entry in source.session().entries() {
            if let Some(time) = entry.time() {
                let (first, last) = tally.times.unwrap_or((time, time));
                tally.times = Some((first.min(time), last.max(time)));
            }
            if can_spend(entry) {
                tally.add(&Body::decode(&source.value(entry)?));
            }
        }
        Ok(tally)
    }

    fn add(&mut self, body: &Body) {
        match body {
            Body::Message(Message::Assistant(answer)) => {
                let text = |text: Option<&JsString>| text.map(ToString::to_string);
                let model = text(answer.answered_by());
                let model = model.unwrap_or_else(|| "unknown".to_owned());
                self.answered(match text(answer.provider.as_ref()) {
                    Some(provider) => format!("{provider}/{model}"),
                    None => model,
                });
                self.spent(answer.usage.as_ref());
            }
            // A tool that records nothing has spent nothing.
            Body::Message(Message::ToolResult(result)) if result.usage.is_some() => {
                self.spent(result.usage.as_ref());
            }
            Body::Compaction(compaction) => self.spent(compaction.usage.as_ref()),
            Body::BranchSummary(summary) => self.spent(summary.usage.as_ref()),
            Body::Usage { usage, .. } => self.spent(usage.as_ref()),
            _ => {}
        }
    }

    fn answered(&mut self, model: String) {
        if let Some((_, answers)) = self.models.iter_mut().find(|(known, _)| *known == model) {
            *answers += 1;
        } else if self.models.len() < MOST_MODELS {
            self.models.push((model, 1));
        } else {
            self.other_models += 1;
        }
    }

    fn spent(&mut self, usage: Option<&Usage>) {
        self.tokens += usage.map_or(0.0, Usage::sum);
        match usage.and_then(|usage| usage.cost.as_ref()).and_then(Cost::total) {
            Some(cost) => self.cost += cost,
            None => self.unknown_costs += 1,
        }
    }

    fn spend(&self) -> String {
        let tokens = numbers::counted(self.tokens);
        let cost = numbers::dollars(self.cost);
        match self.unknown_costs {
            0 => format!("{cost}, {tokens} tokens, all branches"),
            unknown => format!("{cost} and {unknown} unrecorded, {tokens} tokens, all branches"),
        }
    }
}

fn can_spend(entry: EntryRef<'_>) -> bool {
    match entry.kind() {
        EntryKind::Message => matches!(entry.role(), Role::Assistant | Role::ToolResult),
        kind => matches!(kind, EntryKind::Usage | EntryKind::Compaction | EntryKind::BranchSummary),
    }
}
