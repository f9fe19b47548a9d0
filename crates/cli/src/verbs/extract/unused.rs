//! Options that do nothing for what is made: nobody should take them for done.

use pitree_extract::format::Choice;
use pitree_extract::{Context, Dedupe, Unit};

use super::{ExtractArgs, context_of, is_output};
use crate::error::{CommandError, Result};
use crate::output::Output;

/// Refuses what needs a folder where there is none, and names what has no use.
pub(super) fn tell(args: &ExtractArgs, output: &mut Output) -> Result<()> {
    let (text, quality) = (&args.text, &args.quality);
    if is_output(args) {
        let marks = quality.dedupe == Some(Dedupe::Mark);
        let needs = [
            (quality.split.is_some(), "--split"),
            (marks, "--dedupe mark"),
            (args.files.shards.is_some(), "--shards"),
            (args.files.shard_bytes.is_some(), "--shard-bytes"),
            (args.files.compress.is_some(), "--compress"),
        ];
        if let Some((_, name)) = needs.into_iter().find(|(is_given, _)| *is_given) {
            let message = format!("{name} writes files of its own; pass a folder with --output");
            return Err(CommandError::usage(message));
        }
    }
    let format = args.format;
    let given = [
        (text.branches.is_some(), "--branches", Choice::Paths),
        (text.context.is_some(), "--context", Choice::Context),
        (text.unit.is_some(), "--unit", Choice::Unit),
        (text.reasoning.is_some(), "--reasoning", Choice::Reasoning),
        (text.tool_text.is_some(), "--tool-text", Choice::ToolText),
        (text.max_tool_chars.is_some(), "--max-tool-chars", Choice::ToolLimit),
        (quality.max_tokens.is_some(), "--max-tokens", Choice::MaxTokens),
        (quality.dedupe.is_some(), "--dedupe", Choice::Dedupe),
        (quality.mask_altered, "--mask-altered", Choice::MaskAltered),
        (!quality.drop_noise.is_empty(), "--drop-noise", Choice::DropNoise),
        (quality.max_similar.is_some(), "--max-similar", Choice::Cap),
        (args.which.outcomes.is_some(), "--outcomes", Choice::Outcomes),
    ];
    for (is_given, name, choice) in given {
        if is_given && !format.uses(choice) {
            output.remark(&format!("{name} does nothing with --format {format}"))?;
        }
    }
    let is_sharded = args.files.shards.is_some() || args.files.shard_bytes.is_some();
    if is_sharded && !format.is_sharded() {
        output.remark(&format!(
            "--shards and --shard-bytes do nothing with --format {format}, which writes one file \
             per session or sample"
        ))?;
    }
    if args.files.compress.is_some() && !format.is_lines() {
        output.remark(&format!(
            "--compress does nothing with --format {format}, which does not write lines"
        ))?;
    }
    if text.max_tool_chars.is_some_and(|limit| limit > 0) && gives_requests(args) {
        output.remark(
            "--max-tool-chars does nothing here: requests stay exactly as they were sent",
        )?;
    }
    if is_output(args) && quality.count_tokens {
        output.remark("--count-tokens has no effect with `--output -`, which writes no card")?;
    }
    if is_output(args) && quality.tokenizer.is_some() && quality.max_tokens.is_none() {
        output.remark("--tokenizer has no effect with `--output -`, which writes no card")?;
    }
    Ok(())
}

/// Whether samples are requests as they were sent, in which nothing is cut.
pub(super) fn gives_requests(args: &ExtractArgs) -> bool {
    args.format.uses(Choice::Unit)
        && args.text.unit == Some(Unit::Request)
        && context_of(args) == Context::AsSent
}
