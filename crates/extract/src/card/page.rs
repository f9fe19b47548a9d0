//! The card for people: `README.md`, as the Hugging Face hub shows it.

use std::fmt::Write;

use super::Card;
use super::plot::{money, number};
use crate::format::{Choice, Hub};
use crate::names::{SPEND, TOKENS, TURNS};
use crate::output::{WrittenFile, stem_of};
use crate::quality::Split;

impl Card<'_> {
    pub(super) fn to_page(&self) -> String {
        let mut page = String::new();
        // Writing to a string cannot fail.
        let _ = self.write_page(&mut page);
        page
    }

    fn write_page(&self, page: &mut String) -> std::fmt::Result {
        self.write_head(page)?;
        let totals = self.totals;
        writeln!(page, "# Pi sessions as `{}`\n", self.format)?;
        if !self.is_redacted() {
            writeln!(
                page,
                "> **Not redacted.** Secrets and personal data are in it as they were said.\n"
            )?;
        }
        writeln!(
            page,
            "{} of {}, made by pitree {}:\n",
            quantity(totals.all_samples(), "sample"),
            quantity(totals.sessions, "session"),
            env!("CARGO_PKG_VERSION")
        )?;
        writeln!(page, "```\n{}\n```\n", self.command.replace("```", "` ` `"))?;
        if !totals.warnings.is_empty() {
            writeln!(page, "## Before you train\n")?;
            totals.warnings.iter().try_for_each(|warning| writeln!(page, "- {warning}"))?;
            writeln!(page)?;
        }
        if let Some(note) = &self.note {
            writeln!(page, "## How to load it\n\n{}\n", note.trim_end())?;
        }
        self.write_contents(page)?;
        self.write_making(page)?;
        let skipped = self.options.skipped.iter();
        let skipped =
            skipped.map(|(why, count)| [why.name().to_owned(), why.to_string(), whole(*count)]);
        table(page, "Sessions left out by filters", ["filter", "why", "sessions"], skipped)?;
        self.write_replies(page)?;
        table(page, "Left out", ["why", "samples"], totals.left_out.iter().map(counted))?;
        let altered = totals.altered.iter().map(counted);
        table(page, "Altered contexts", ["how", "samples"], altered)?;
        let notes = totals.notes.iter().map(counted);
        table(page, "What is not certain of requests", ["what", "samples"], notes)?;
        table(page, "Redacted", ["rule", "times"], totals.redactions.iter().map(counted))?;
        let noise = totals.noise.iter().map(counted);
        table(page, "Noise", ["kind", "messages"], noise)?;
        writeln!(page, "All figures are in `card.json`.")
    }

    /// What the hub reads: which file is which part, and what is in its rows.
    fn write_head(&self, page: &mut String) -> std::fmt::Result {
        let totals = self.totals;
        let is_lines = |split: Split| {
            let name = |file: &'_ WrittenFile| file.path.to_string_lossy().into_owned();
            let is_of = |name: &String| {
                stem_of(name) == split.file_name() && name.contains(".jsonl") && !name.contains('/')
            };
            let mut names = totals.files.iter().map(name).filter(is_of);
            let first = names.next()?;
            Some(if names.next().is_some() { pattern(&first) } else { first })
        };
        let parts = [Split::All, Split::Train, Split::Validation].into_iter();
        let parts: Vec<(&str, String)> =
            parts.filter_map(|split| Some((hub_name(split), is_lines(split)?))).collect();
        if parts.is_empty() {
            return self.write_head_of_files(page);
        }
        writeln!(page, "---\nconfigs:\n- config_name: default\n  data_files:")?;
        for (name, file) in parts {
            writeln!(page, "  - split: {name}\n    path: {file}")?;
        }
        if !self.features.is_empty() {
            writeln!(page, "dataset_info:\n  features:")?;
        }
        for (name, kind) in self.features {
            writeln!(page, "  - name: {name}\n    {}", kind.in_card())?;
        }
        writeln!(page, "---\n")
    }

    /// The same for forms that are not lines: each table is a set of its own.
    fn write_head_of_files(&self, page: &mut String) -> std::fmt::Result {
        match self.format.spec().hub {
            Hub::Traces => {
                writeln!(page, "---\ntags:\n- agent-traces\n- format:agent-traces")?;
                let parts = || self.totals.samples.iter().filter(|(_, count)| **count > 0);
                if parts().next().is_some() {
                    // Else the card itself would be taken for data.
                    writeln!(page, "configs:\n- config_name: default\n  data_files:")?;
                }
                for (split, _) in parts() {
                    let (name, folder) = (hub_name(*split), split.file_name());
                    writeln!(page, "  - split: {name}\n    path: {folder}/*.jsonl")?;
                }
                writeln!(page, "---\n")
            }
            Hub::Tables => {
                writeln!(page, "---\nconfigs:")?;
                let names = self.totals.files.iter().map(|file| file.path.to_string_lossy());
                let mut files: Vec<(String, String)> = Vec::new();
                for name in names {
                    match files.iter_mut().find(|(stem, _)| stem == stem_of(&name)) {
                        Some((_, files)) => *files = pattern(&name),
                        None => files.push((stem_of(&name).to_owned(), name.into_owned())),
                    }
                }
                for (stem, files) in files {
                    writeln!(page, "- config_name: {stem}\n  data_files: {files}")?;
                }
                writeln!(page, "---\n")
            }
            Hub::Lines | Hub::Nothing => Ok(()),
        }
    }

    fn write_contents(&self, page: &mut String) -> std::fmt::Result {
        let totals = self.totals;
        let samples = totals.samples.iter();
        let samples = samples.map(|(split, count)| [split.file_name().to_owned(), whole(*count)]);
        table(page, "Samples", ["part", "samples"], samples)?;
        let [system, user, assistant, tool] = totals.messages;
        let messages =
            [("system", system), ("user", user), ("assistant", assistant), ("tool", tool)];
        let messages = messages.into_iter().chain([("trained replies", totals.targets)]);
        let messages = messages.map(|(name, count)| [name.to_owned(), whole(count)]);
        table(page, "Messages", ["role", "messages"], messages)?;
        writeln!(page, "![Messages by role]({TURNS})\n")?;
        if totals.roles.values().any(|total| !total.signs.is_empty()) {
            let roles = totals.roles.iter().map(|(role, total)| {
                let signs = total.signs.iter().map(|(sign, count)| format!("{sign} {count}"));
                let signs = signs.collect::<Vec<_>>().join(", ");
                let [sessions, samples, targets] =
                    [total.sessions, total.samples, total.targets].map(whole);
                [role.clone(), sessions, samples, targets, signs]
            });
            let head = ["agent", "sessions", "samples", "trained replies", "detected by"];
            table(page, "Gas Town roles", head, roles)?;
        }
        let models = totals.models.values().map(|used| {
            let name = used.model.clone();
            [
                name,
                whole(used.replies),
                number(used.input as f64),
                number(used.output as f64),
                money(used.dollars()),
            ]
        });
        let head = ["model", "trained replies", "tokens read", "tokens written", "US dollars"];
        table(page, "Models", head, models)?;
        writeln!(page, "![Spend by model]({SPEND})\n")?;
        let how = self.options.quality.counting();
        writeln!(page, "Tokens of all samples: {} ({how}).\n", number(totals.tokens as f64))?;
        writeln!(page, "![Samples by tokens]({TOKENS})\n")
    }

    /// What became of all replies; the rows add up to the first one.
    fn write_replies(&self, page: &mut String) -> std::fmt::Result {
        let replies = &self.totals.replies;
        let what = if self.format.spec().is_pairs { "Pairs" } else { "Replies" };
        let sums = [
            ("found", replies.found),
            ("trained", replies.trained),
            ("copies of a trained one", replies.copies),
            ("duplicates of a trained one", replies.twins),
        ];
        let sums = sums.into_iter().map(|(name, count)| [name.to_owned(), whole(count)]);
        let left_out = replies.left_out.iter();
        let left_out = left_out.map(|(why, count)| [format!("left out: {why}"), whole(*count)]);
        table(page, what, ["", "number"], sums.chain(left_out))?;
        let ends = [
            ("failed or aborted", replies.failed),
            ("cut off at the model's output limit", replies.cut_off),
        ];
        let ends = ends.into_iter().filter(|(_, count)| *count > 0);
        let ends = ends.map(|(end, count)| [end.to_owned(), whole(count)]);
        table(page, "Replies that are never trained", ["how they ended", "replies"], ends)
    }

    fn write_making(&self, page: &mut String) -> std::fmt::Result {
        let (form, quality) = (&self.options.form, &self.options.quality);
        let or_none = |text: Option<String>| text.unwrap_or_else(|| "none".to_owned());
        let chosen = [
            (Choice::Paths, "paths", form.samples.selection.paths.name()),
            (Choice::Context, "context", form.samples.selection.context.name()),
            (Choice::Unit, "unit", form.samples.selection.unit.name()),
            (Choice::Reasoning, "reasoning", form.reasoning.name()),
            (Choice::Dedupe, "duplicates", quality.dedupe.name()),
        ];
        let chosen = chosen.into_iter().filter(|(choice, ..)| self.format.uses(*choice));
        let redaction = ["redaction", if self.is_redacted() { "on" } else { "off" }];
        let rows = chosen.map(|(_, name, value)| [name, value]).chain([redaction]);
        let rows = rows.map(|row| row.map(str::to_owned));
        let limits = [
            ("tool output limit", quality.tool_limit.map(|it| format!("{it} characters"))),
            ("altered contexts", quality.mask_altered.then(|| "not trained".to_owned())),
            ("token limit", quality.max_tokens.map(|it| it.to_string())),
            ("cap", quality.cap.map(|it| format!("{it} sessions that begin alike"))),
            ("validation", quality.validation.map(|it| format!("{it} of the families"))),
        ];
        let limits = limits.into_iter().map(|(name, text)| [name.to_owned(), or_none(text)]);
        let families = [
            ["families".to_owned(), self.totals.families.to_string()],
            ["largest family".to_owned(), format!("{} sessions", self.totals.largest_family)],
        ];
        let left_out = self.totals.sessions_left_out;
        let sessions = [["sessions left out".to_owned(), whole(left_out)]];
        let damaged = [["damaged lines".to_owned(), whole(self.totals.damaged_lines)]];
        let likely = [["likely secrets left".to_owned(), whole(self.totals.likely_left)]];
        let likely = likely.into_iter().filter(|_| self.is_redacted());
        let rows = rows.chain(limits).chain(families).chain(sessions).chain(damaged).chain(likely);
        table(page, "How it was made", ["", ""], rows)
    }
}

/// What the hub calls a part. If there is only one, it is there to learn from.
fn hub_name(split: Split) -> &'static str {
    match split {
        Split::All | Split::Train => "train",
        Split::Validation => "validation",
    }
}

fn counted((name, count): (&impl ToString, &u64)) -> [String; 2] {
    [name.to_string(), whole(*count)]
}

fn whole(count: u64) -> String {
    number(count as f64)
}

/// A table with a title; nothing if it has no rows.
fn table<const N: usize>(
    page: &mut String,
    title: &str,
    head: [&str; N],
    rows: impl Iterator<Item = [String; N]>,
) -> std::fmt::Result {
    let mut rows = rows.peekable();
    if rows.peek().is_none() {
        return Ok(());
    }
    writeln!(page, "## {title}\n")?;
    writeln!(page, "| {} |", head.join(" | "))?;
    writeln!(page, "|---{}|", "|---:".repeat(N - 1))?;
    for row in rows {
        writeln!(page, "| {} |", row.map(|cell| cell_text(&cell)).join(" | "))?;
    }
    writeln!(page)
}

/// Text of a session as a cell: a model may have any name.
fn cell_text(text: &str) -> String {
    let clean: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(80).collect();
    let mut out = String::new();
    for c in clean.chars() {
        if matches!(c, '|' | '<' | '>' | '&' | '[' | ']' | '`' | '*' | '_' | '\\' | '!' | '#') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// `1 sample`, `2 samples`.
fn quantity(count: u64, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {what}{plural}", number(count as f64))
}

/// What the names of all shards have in common: `train-*.jsonl`.
fn pattern(name: &str) -> String {
    let stem = stem_of(name);
    let ending = name.find('.').map_or("", |at| &name[at..]);
    format!("{stem}-*{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_from_a_session_is_text_in_a_table() {
        assert_eq!(cell_text("a|b\n<img>"), "a\\|b \\<img\\>");
        assert_eq!(cell_text("[x](y)"), "\\[x\\](y)");
    }

    #[test]
    fn a_table_without_rows_is_none() {
        let mut page = String::new();
        table(&mut page, "T", ["a", "b"], std::iter::empty()).unwrap();
        assert_eq!(page, "");
    }
}
