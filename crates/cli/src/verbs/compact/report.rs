//! What `compact` says: what it would do, what it did, why it did nothing.

use pitree_format::{Object, Value};
use pitree_session::Session;
use pitree_session::compaction::{CompactionResult, Preparation, WeighedEntry};

use crate::error::{Exit, Result};
use crate::output::{Output, Style};
use crate::text::{clean_line, counted, shorten};
use crate::verbs::summarizing::SummaryContext;

/// How many entries of a part are shown at its beginning and at its end.
const SHOWN: usize = 4;
const LINE_LENGTH: usize = 90;

/// A part of the context.
struct Part<'a> {
    name: &'static str,
    key: &'static str,
    entries: &'a [WeighedEntry],
}

pub(super) fn dry_run(
    session: &Session,
    preparation: &Preparation,
    around: &SummaryContext,
    output: &mut Output,
) -> Result<()> {
    let parts = [
        Part { name: "summarized", key: "summarized", entries: &preparation.summarized_entries },
        Part {
            name: "summarized as the beginning of a kept turn",
            key: "turnPrefix",
            entries: &preparation.turn_prefix_entries,
        },
        Part { name: "kept", key: "kept", entries: &preparation.kept_entries },
    ];
    if output.json {
        return print_json(session, preparation, around, &parts, output);
    }
    let window = match (around.context_window, &around.model) {
        (Some(window), Some(model)) => clean_line(&format!("; the window of {model} has {window}")),
        (Some(window), None) => format!("; the window has {window}"),
        (None, _) => String::new(),
    };
    output.line(&format!("{} tokens in the context{window}", preparation.tokens_before))?;
    for part in &parts {
        print_part(session, part, output)?;
    }
    let (read, modified) = preparation.file_operations.lists();
    for (name, files) in [("files read", read), ("files changed", modified)] {
        let names: Vec<String> =
            files.iter().filter_map(Value::as_string).map(ToString::to_string).collect();
        if !names.is_empty() {
            output.line(&clean_line(&format!("{name}: {}", names.join(", "))))?;
        }
    }
    Ok(())
}

fn print_part(session: &Session, part: &Part<'_>, output: &mut Output) -> Result<()> {
    if part.entries.is_empty() {
        return Ok(());
    }
    let sum: usize = part.entries.iter().map(|entry| entry.tokens).sum();
    let count = part.entries.len();
    let entries = counted(count, "entry", "entries");
    let title = format!("{}: {entries}, about {sum} tokens", part.name);
    output.line(&output.paint(Style::Bold, &title))?;
    if count <= 2 * SHOWN + 1 {
        return print_entries(session, part.entries, output);
    }
    print_entries(session, &part.entries[..SHOWN], output)?;
    let hidden = count - 2 * SHOWN;
    output.line(&output.paint(Style::Dim, &format!("  … {hidden} more")))?;
    print_entries(session, &part.entries[count - SHOWN..], output)
}

fn print_entries(session: &Session, entries: &[WeighedEntry], output: &mut Output) -> Result<()> {
    for entry in entries.iter().filter_map(|entry| session.at(entry.index)) {
        let line = clean_line(&format!("{} {}", entry.id(), entry.outline()?));
        output.line(&format!("  {}", shorten(&line, LINE_LENGTH)))?;
    }
    Ok(())
}

fn print_json(
    session: &Session,
    preparation: &Preparation,
    around: &SummaryContext,
    parts: &[Part<'_>],
    output: &mut Output,
) -> Result<()> {
    let window = around.context_window;
    let should =
        window.map(|window| preparation.settings.should_compact(preparation.tokens_before, window));
    let mut value = Object::new()
        .with("dryRun", true)
        .with("firstKeptEntryId", preparation.first_kept_entry_id.as_str())
        .with("isSplitTurn", preparation.is_split_turn)
        .with("tokensBefore", preparation.tokens_before)
        .with("contextWindow", window.map(|window| window as f64))
        .with("isNeeded", should)
        .with_some("previousSummary", preparation.previous_summary.clone())
        .with("details", preparation.file_operations.details())
        .with("settings", preparation.settings.to_value());
    for part in parts {
        let mut rows = Vec::with_capacity(part.entries.len());
        for weighed in part.entries {
            let Some(entry) = session.at(weighed.index) else { continue };
            let row = Object::new()
                .with("id", entry.id())
                .with("type", entry.kind().name())
                .with("tokens", weighed.tokens)
                .with("text", entry.outline()?);
            rows.push(row.into());
        }
        value.set(part.key, Value::from(rows));
    }
    output.value(&value.into())
}

/// Says what was written.
pub(super) fn done(
    session: &Session,
    done: &CompactionResult,
    migrated: Option<Value>,
    output: &mut Output,
) -> Result<()> {
    if output.json {
        let mut value = done.to_value();
        if let Some(object) = value.as_object_mut() {
            object.set("compacted", true.into());
            object.set("entryId", done.appended.id.as_str().into());
            migrated.into_iter().for_each(|migrated| object.set("migrated", migrated));
        }
        return output.value(&value);
    }
    let kept = done.compaction.first_kept_entry_id.as_ref().map(ToString::to_string);
    let kept = kept.and_then(|id| session.entry(&id).map(|entry| (id.clone(), entry)));
    output.line(&format!(
        "Compacted from about {} to {} tokens: entry {}.",
        done.compaction.tokens_before,
        session.context_estimate()?.tokens,
        done.appended.id
    ))?;
    if let Some((id, entry)) = kept {
        let line = clean_line(&format!("Kept from {id} on: {}", entry.outline()?));
        output.line(&shorten(&line, LINE_LENGTH))?;
    }
    Ok(())
}

/// Says why nothing was written.
pub(super) fn not_compacted(reason: &str, exit: Exit, output: &mut Output) -> Result<Exit> {
    if output.json {
        output.value(&Object::new().with("compacted", false).with("reason", reason).into())?;
    } else {
        output.remark(reason)?;
    }
    Ok(exit)
}
