//! The card for programs.

use pitree_format::js::{print_number, print_text};
use pitree_format::{Object, Value};

use super::{Card, CardTotals};
use crate::format::Choice;
use crate::names::{BESIDE, GENERATOR};
use crate::output::WrittenFile;
use crate::report::{counts, number};

/// Grows when a member changes its meaning; new members may come at any time.
const VERSION: f64 = 2.0;

impl Card<'_> {
    /// The card. `beside` are the files that lie beside it, by name and text.
    pub(super) fn to_value(&self, beside: &[(&'static str, String)]) -> Value {
        let totals = self.totals;
        let form = &self.options.form;
        let said = |choice, name: &str| match self.format.uses(choice) {
            true => Value::from(name),
            false => Value::Null,
        };
        let selection = Object::new()
            .with("paths", said(Choice::Paths, form.samples.selection.paths.name()))
            .with("context", said(Choice::Context, form.samples.selection.context.name()))
            .with("unit", said(Choice::Unit, form.samples.selection.unit.name()))
            .with("reasoning", said(Choice::Reasoning, form.reasoning.name()));
        Object::new()
            .with("card", VERSION)
            .with("generator", format!("{GENERATOR}{}", env!("CARGO_PKG_VERSION")))
            .with("command", self.command)
            .with("format", self.format.name())
            .with("redacted", self.is_redacted())
            .with("selection", selection)
            .with("quality", self.quality())
            .with("files", totals.files.iter().map(file).collect::<Vec<_>>())
            .with(BESIDE, beside.iter().map(text_file).collect::<Vec<_>>())
            .with("sessions", sessions(totals).with("filtered", counts(&self.options.skipped)))
            .with("samples", samples(totals))
            .with("messages", messages(totals))
            .with("tokens", self.tokens())
            .with("spendUsd", totals.used().dollars())
            .with("roles", roles(totals))
            .with("models", models(totals))
            .with("leftOut", counts(&totals.left_out))
            .with("replies", totals.replies.to_object())
            .with("contextAltered", counts(&totals.altered))
            .with("requestNotes", counts(&totals.notes))
            .with("redactions", counts(&totals.redactions))
            .with("likelySecretsLeft", number(totals.likely_left))
            .with("noise", counts(&totals.noise))
            .with(
                "warnings",
                totals.warnings.iter().map(|it| it.to_string().into()).collect::<Vec<Value>>(),
            )
            .into()
    }

    fn quality(&self) -> Object {
        let quality = &self.options.quality;
        Object::new()
            .with("dedupe", quality.dedupe.name())
            .with("validation", quality.validation.map_or(Value::Null, Value::Number))
            .with("toolLimit", quality.tool_limit.map_or(Value::Null, |it| number(it as u64)))
            .with("maskAltered", quality.mask_altered)
            .with("maxTokens", quality.max_tokens.map_or(Value::Null, number))
            .with("cap", quality.cap.map_or(Value::Null, |it| number(it as u64)))
    }

    fn tokens(&self) -> Object {
        let totals = self.totals;
        let counted = self.options.quality.counting();
        let used = totals.used();
        let recorded =
            Object::new().with("input", number(used.input)).with("output", number(used.output));
        Object::new()
            .with("counted", counted)
            .with("total", number(totals.tokens))
            .with("characters", number(totals.chars))
            .with("trainedCharacters", number(totals.target_chars))
            .with("recorded", recorded)
    }
}

fn file(file: &WrittenFile) -> Value {
    Object::new()
        .with("path", file.path.to_string_lossy().as_ref())
        .with("bytes", number(file.bytes))
        .with("blake3", file.hash.as_str())
        .into()
}

fn text_file((name, text): &(&'static str, String)) -> Value {
    let hash = blake3::hash(text.as_bytes()).to_hex();
    Object::new().with("path", *name).with("blake3", hash.as_str()).into()
}

fn sessions(totals: &CardTotals) -> Object {
    Object::new()
        .with("used", number(totals.sessions))
        .with("leftOut", number(totals.sessions_left_out))
        .with("bytes", number(totals.bytes))
        .with("entries", number(totals.entries))
        .with("damagedLines", number(totals.damaged_lines))
        .with("families", totals.families)
        .with("largestFamily", totals.largest_family)
}

fn samples(totals: &CardTotals) -> Object {
    let all = Object::new().with("total", number(totals.all_samples()));
    totals
        .samples
        .iter()
        .fold(all, |object, (split, &count)| object.with(split.file_name(), number(count)))
}

fn messages(totals: &CardTotals) -> Object {
    let [system, user, assistant, tool] = totals.messages.map(number);
    Object::new()
        .with("system", system)
        .with("user", user)
        .with("assistant", assistant)
        .with("tool", tool)
        .with("trained", number(totals.targets))
}

fn roles(totals: &CardTotals) -> Object {
    totals.roles.iter().fold(Object::new(), |object, (role, total)| {
        let total = Object::new()
            .with("sessions", number(total.sessions))
            .with("samples", number(total.samples))
            .with("messages", number(total.messages))
            .with("trained", number(total.targets))
            .with("detectedBy", counts(&total.signs));
        object.with(role, total)
    })
}

fn models(totals: &CardTotals) -> Object {
    totals.models.iter().fold(Object::new(), |object, (model, used)| {
        let used = Object::new()
            .with("replies", number(used.replies))
            .with("input", number(used.input))
            .with("output", number(used.output))
            .with("costUsd", used.dollars());
        object.with(model, used)
    })
}

/// JSON with two spaces for each level, and a line feed at its end.
pub(super) fn pretty(value: &Value) -> String {
    let mut out = String::new();
    print(value, 0, &mut out);
    out.push('\n');
    out
}

fn print(value: &Value, depth: usize, out: &mut String) {
    let new_line = |depth: usize, out: &mut String| {
        out.push('\n');
        out.push_str(&"  ".repeat(depth));
    };
    match value {
        Value::Object(object) if !object.is_empty() => {
            out.push('{');
            for (at, (name, member)) in object.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                new_line(depth + 1, out);
                print_text(&name.to_text(), out);
                out.push_str(": ");
                print(member, depth + 1, out);
            }
            new_line(depth, out);
            out.push('}');
        }
        Value::Array(items) if !items.is_empty() => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                new_line(depth + 1, out);
                print(item, depth + 1, out);
            }
            new_line(depth, out);
            out.push(']');
        }
        Value::Number(number) => print_number(*number, out),
        other => pitree_format::js::print(other, out),
    }
}
