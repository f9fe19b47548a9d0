//! What the user of a data set should know of it.

use crate::card::CardTotals;
use crate::format::{Choice, FormatName};
use crate::options::ExtractOptions;
use crate::quality::Split;
use crate::warning::DatasetWarning;

/// What makes a data set of little use.
pub(super) fn warnings(
    totals: &CardTotals,
    parts: &[Split],
    options: &ExtractOptions,
    format: FormatName,
) -> Vec<DatasetWarning> {
    let mut warnings = Vec::new();
    if format.spec().is_pairs && totals.all_samples() == 0 {
        warnings.push(DatasetWarning::NoPairs { were_left_out: !totals.left_out.is_empty() });
    }
    let without_mask = totals.left_out.iter().filter(|(reason, _)| reason.is_without_mask());
    let left_out: u64 = without_mask.map(|(_, count)| count).sum();
    let written = totals.all_samples();
    if left_out > written {
        warnings.push(DatasetWarning::NoMask { left_out, written });
    }
    if totals.secrets_not_repeated > 0 {
        warnings.push(DatasetWarning::TooManySecrets(totals.secrets_not_repeated));
    }
    if totals.likely_left > 0 {
        warnings.push(DatasetWarning::LikelySecrets(totals.likely_left));
    }
    if parts.len() > 1 {
        warnings.extend(about_parts(totals, parts, options.quality.validation));
    }
    warnings
}

/// Fewer samples than this say nothing about how well they were split.
const FEWEST_SPLIT: u64 = 20;

/// What is odd about the sizes of the parts.
fn about_parts(totals: &CardTotals, parts: &[Split], wanted: Option<f64>) -> Vec<DatasetWarning> {
    let mut warnings = Vec::new();
    for part in parts {
        if totals.samples.get(part).is_none_or(|count| *count == 0) {
            warnings.push(DatasetWarning::EmptyPart(part.file_name()));
        }
    }
    let [train, validation] = [Split::Train, Split::Validation].map(|part| totals.bytes_of(part));
    if train > 0 && validation > train {
        warnings.push(DatasetWarning::LargeValidation { train, validation });
    }
    if totals.largest_family as u64 * 2 > totals.sessions && totals.sessions > 2 {
        let (largest, sessions) = (totals.largest_family, totals.sessions);
        warnings.push(DatasetWarning::LargeFamily { largest, sessions });
    }
    let (all, wanted) = (totals.all_samples(), wanted.unwrap_or_default());
    let validation = totals.samples.get(&Split::Validation).copied().unwrap_or_default();
    let share = validation as f64 / all.max(1) as f64;
    let is_far_off = share > 2.0 * wanted || share < wanted / 2.0;
    if all >= FEWEST_SPLIT && validation > 0 && is_far_off {
        warnings.push(DatasetWarning::UnevenParts { share, wanted });
    }
    warnings
}

/// Common context sizes of models, in tokens.
const CONTEXT_SIZES: [u64; 3] = [8 << 10, 32 << 10, 128 << 10];

/// What its samples lack, and which are longer than most models can take.
pub(super) fn about_samples(totals: &CardTotals, format: FormatName) -> Vec<DatasetWarning> {
    let mut warnings = Vec::new();
    let samples = totals.all_samples();
    let lacking = [
        ("system prompt", totals.without_system),
        ("list of the tools that were offered", totals.without_tools),
    ];
    for (what, count) in lacking.into_iter().filter(|_| format.uses(Choice::Unit)) {
        if count > 0 {
            warnings.push(DatasetWarning::NotRecorded { what, count, samples });
        }
    }
    let above = CONTEXT_SIZES.map(|size| (totals.samples_above(size), size));
    let above: Vec<(u64, u64)> = above.into_iter().filter(|(count, _)| *count > 0).collect();
    if !above.is_empty() && format.uses(Choice::MaxTokens) {
        warnings.push(DatasetWarning::LongSamples { samples, above });
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::WrittenFile;

    #[test]
    fn parts_that_are_far_from_what_was_asked_for_are_told() {
        let parts = [Split::Train, Split::Validation];
        let told = |train: u64, validation: u64, wanted: f64| {
            let samples = [(Split::Train, train), (Split::Validation, validation)].into();
            let totals = CardTotals { samples, ..CardTotals::default() };
            let warnings = about_parts(&totals, &parts, Some(wanted));
            warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
        };
        let far = told(32, 9, 0.05);
        assert!(far.starts_with("validation has 22 % of the samples instead of 5 %"), "{far}");
        assert!(told(38, 2, 0.2).contains("5 % of the samples instead of 20 %"));
        for (train, validation, wanted) in [(36, 4, 0.1), (32, 8, 0.1), (36, 4, 0.2), (9, 9, 0.05)]
        {
            assert_eq!(told(train, validation, wanted), "", "{train} {validation} {wanted}");
        }
        assert!(told(40, 0, 0.05).starts_with("validation is empty"));
        assert!(told(0, 40, 0.05).starts_with("train is empty"));
    }

    #[test]
    fn validation_that_is_larger_than_train_is_told() {
        let told = |train: u64, validation: u64, names: [&str; 2]| {
            let files = names.into_iter().zip([train, validation]);
            let file = |(name, bytes): (&str, u64)| WrittenFile {
                path: name.into(),
                bytes,
                hash: String::new(),
            };
            let samples = [(Split::Train, 5), (Split::Validation, 5)].into();
            let files = files.map(file).collect();
            let totals = CardTotals { samples, files, ..CardTotals::default() };
            about_parts(&totals, &[Split::Train, Split::Validation], Some(0.5))
        };
        for names in [["train.jsonl", "validation.jsonl"], ["train/a.json", "validation/b.json"]] {
            let large = DatasetWarning::LargeValidation { train: 10, validation: 11 };
            assert_eq!(told(10, 11, names), [large]);
            assert_eq!(told(11, 10, names), []);
        }
    }
}
