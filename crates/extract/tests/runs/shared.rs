//! Lines that repeat parts of earlier lines are the same as lines that were printed alone.

use std::sync::Arc;

use pitree_extract::format::{Axolotl, Chat, OpenAi};
use pitree_extract::{
    Context, Dedupe, Format, FormatName, FormatOptions, Paths, Quality, Reasoning, Selection,
    Unguarded, Unit, run_to, samples,
};
use pitree_session::OpenOptions;

use super::common::{Store, environment, options, sources};

#[test]
fn shared_lines_are_whole_lines() {
    let store = Store::random(24);
    let mut repeated = 0;
    for unit in [Unit::Path, Unit::Turn, Unit::Request] {
        let forms: [(FormatName, &dyn Format); 3] = [
            (FormatName::Chat, &Chat { unit }),
            (FormatName::OpenAi, &OpenAi),
            (FormatName::Axolotl, &Axolotl),
        ];
        for reasoning in [Reasoning::Keep, Reasoning::Split] {
            let selection = Selection { paths: Paths::All, context: Context::AsSent, unit };
            let form =
                FormatOptions { samples: selection.into(), reasoning, ..FormatOptions::default() };
            for (name, format) in forms {
                repeated += compare(&store, name, format, &form);
            }
        }
    }
    assert!(repeated > 500, "only {repeated} lines had company");
}

/// Compares what a run gives for each session with its samples printed one by one. Gives the
/// number of lines that another line of their session came before.
fn compare(store: &Store, name: FormatName, format: &dyn Format, form: &FormatOptions) -> usize {
    let mut options = options(store.root());
    options.form = form.clone();
    options.guard = Arc::new(Unguarded);
    options.quality = Quality { dedupe: Dedupe::Off, ..Quality::default() };
    let prepared = name.prepare(form);
    let mut repeated = 0;
    for source in sources(store.root()) {
        let mut made = Vec::new();
        let sources = std::slice::from_ref(&source);
        run_to(sources, &*prepared, &options, &mut made, &environment()).unwrap();
        let session = OpenOptions::new().open(&source.path, &environment()).unwrap();
        let mut alone = String::new();
        let mut lines = 0;
        for sample in samples(&session, &form.samples).with_about(Arc::clone(&source.about)) {
            let mut sample = sample.unwrap();
            form.reasoning.apply(&mut sample);
            sample.train_answers_only();
            if let Ok(line) = format.whole_line(&sample) {
                alone.push_str(&line);
                alone.push('\n');
                lines += 1;
            }
        }
        let made = String::from_utf8(made).unwrap();
        let place = source.path.display();
        for (made, alone) in made.lines().zip(alone.lines()) {
            assert_eq!(without_metadata(made), without_metadata(alone), "{name} {place}");
        }
        assert_eq!(made.lines().count(), lines, "{name} {place}");
        repeated += lines.saturating_sub(1);
    }
    repeated
}

/// What is known of a session beside its file is not known to samples that are made by hand.
fn without_metadata(line: &str) -> &str {
    line.split(r#","metadata":{"sampleId""#).next().unwrap()
}
