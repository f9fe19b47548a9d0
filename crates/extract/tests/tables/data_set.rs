//! Data sets made of a few sessions.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use pitree_extract::remote::Mirrors;
use pitree_extract::tables::Counted;
use pitree_extract::{
    About, ExtractOptions, FormatName, FormatOptions, Guard, Redacting, Report, Selection, Source,
    Unguarded, run,
};
use pitree_redact::{Key, Literals, Pseudonyms, Redactor};
use pitree_session::Session;
use pitree_testkit::Consumers;
use tempfile::TempDir;

use crate::tables::spend::TestStore;

/// A data set in a folder.
pub(crate) struct DataSet {
    pub(crate) report: Report,
    folder: TempDir,
}

/// How it is made.
#[derive(Clone, Copy)]
pub(crate) struct DataSetOptions {
    pub(crate) format: FormatName,
    pub(crate) selection: Selection,
    pub(crate) jobs: usize,
    pub(crate) is_redacted: bool,
}

impl DataSetOptions {
    pub(crate) fn of(format: FormatName) -> Self {
        Self { format, selection: Selection::default(), jobs: 2, is_redacted: false }
    }

    fn guard(self) -> Arc<dyn Guard> {
        if !self.is_redacted {
            return Arc::new(Unguarded);
        }
        let (literals, pseudonyms) = (Literals::default(), Pseudonyms::default());
        Arc::new(Redacting::new(Redactor::new(Key::new([7; Key::LEN]), literals, pseudonyms)))
    }
}

impl DataSet {
    /// All sessions of a store in a form.
    pub(crate) fn of(store: &TestStore, wanted: DataSetOptions) -> Self {
        let sources = sources(store);
        let files = sources.iter().map(|source| &*source.path);
        let counted = Arc::new(Counted::new(&store.ledger(), files, &Mirrors::default(), true));
        let form = FormatOptions {
            samples: wanted.selection.into(),
            counted,
            locations: vec![store.location()],
            ..FormatOptions::default()
        };
        let folder = tempfile::tempdir().unwrap();
        let options = ExtractOptions {
            form: form.clone(),
            jobs: wanted.jobs,
            command: "pitree extract".to_owned(),
            ..ExtractOptions::new(wanted.guard(), folder.path().to_owned())
        };
        let format = wanted.format.prepare(&form);
        let out = folder.path().join("out");
        let report = run(&sources, &*format, &options, &out, &store.environment).unwrap();
        Self { report, folder }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    /// The files of the data, without the card.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        self.report.files.iter().map(|file| self.path().join(file)).collect()
    }

    /// Lets a program of `tests/consumers` read the data. It prints JSON.
    pub(crate) fn read_with(
        &self,
        consumers: &Consumers,
        script: &str,
        input: &str,
    ) -> serde_json::Value {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/consumers").join(script);
        let printed = consumers.run(&script, [self.path()], input.as_bytes()).unwrap();
        serde_json::from_str(&printed).unwrap()
    }
}

/// The sessions of a store, with what a list knows of them.
fn sources(store: &TestStore) -> Vec<Source> {
    let listing = store.store().list_all();
    let source = |facts: &pitree_store::SessionFacts| {
        let name = facts.path.file_name().unwrap().to_string_lossy();
        let session = Session::open(&facts.path, &store.environment).unwrap();
        let about = About {
            session_id: facts.id.clone(),
            source_path: format!("~/sessions/--home-ana-a-b--/{name}"),
            cwd: facts.cwd.to_string(),
            created_at: session.header().timestamp.as_ref().map(ToString::to_string),
            family_id: facts.id.clone(),
            ..About::default()
        };
        Source { path: facts.path.clone(), about: Arc::new(about) }
    };
    listing.sessions.iter().map(source).collect()
}
