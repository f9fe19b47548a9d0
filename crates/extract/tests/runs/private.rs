//! Nobody but the user can read a data set in the making, whatever its format and at any moment.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use pitree_extract::format::FORMATS;
use pitree_extract::{ExtractOptions, Guard, Hit, Seen, Unguarded, run};
use pitree_redact::{FoundSecrets, SessionMemory};

use crate::runs::common::{Store, environment, guard, options, rubbish, sources};

/// What others may open below the folder of a store, apart from its sessions.
pub(crate) fn open_to_others(root: &Path) -> Vec<PathBuf> {
    let names = rubbish(root).into_iter().chain(["out".to_owned(), "cache".to_owned()]);
    let mut found = Vec::new();
    names.for_each(|name| look_at(&root.join(name), &mut found));
    found
}

fn look_at(path: &Path, found: &mut Vec<PathBuf>) {
    // What a run removes meanwhile is nobody's to read.
    let Ok(metadata) = fs_err::symlink_metadata(path) else { return };
    if metadata.permissions().mode() & 0o077 != 0 {
        found.push(path.to_owned());
    }
    if metadata.is_dir() {
        let entries = fs_err::read_dir(path).into_iter().flatten().flatten();
        entries.for_each(|entry| look_at(&entry.path(), found));
    }
}

/// Looks at the modes of all files whenever the run asks it something.
struct Watching {
    inner: Arc<dyn Guard>,
    root: PathBuf,
    looks: Arc<AtomicUsize>,
}

impl Watching {
    fn look(&self) {
        self.looks.fetch_add(1, Ordering::Relaxed);
        let found = open_to_others(&self.root);
        assert!(found.is_empty(), "others can open {found:?}");
    }
}

impl Guard for Watching {
    fn redact_line(
        &self,
        line: &[u8],
        memory: &mut SessionMemory,
        seen: &mut dyn FnMut(Hit),
    ) -> Option<Vec<u8>> {
        self.inner.redact_line(line, memory, seen)
    }

    fn knowing(&self, found: &FoundSecrets) -> Option<Arc<dyn Guard>> {
        let inner = self.inner.knowing(found)?;
        let (root, looks) = (self.root.clone(), Arc::clone(&self.looks));
        Some(Arc::new(Self { inner, root, looks }))
    }

    fn may_repeat(&self, line: &[u8]) -> bool {
        self.look();
        self.inner.may_repeat(line)
    }

    fn digests(&self, found: &FoundSecrets) -> Vec<[u8; 16]> {
        self.inner.digests(found)
    }

    fn redact_text(&self, text: &str) -> Option<String> {
        self.look();
        self.inner.redact_text(text)
    }

    fn leak(&self, finished: &[u8], seen: &mut Seen) -> Option<Hit> {
        self.inner.leak(finished, seen)
    }

    fn leak_beside(&self, text: &str) -> Option<Hit> {
        self.look();
        self.inner.leak_beside(text)
    }

    fn shown_hash(&self, content: &blake3::Hash) -> blake3::Hash {
        self.inner.shown_hash(content)
    }

    fn fingerprint(&self) -> Option<[u8; 32]> {
        self.inner.fingerprint()
    }
}

#[test]
fn others_can_read_nothing_of_a_run_while_it_lasts_nor_afterwards() {
    let store = Store::random(6);
    let inner: [Arc<dyn Guard>; 2] = [guard(), Arc::new(Unguarded)];
    for inner in inner {
        for format in FORMATS {
            let root = store.root().to_owned();
            let watching = Arc::new(Watching { inner: inner.clone(), root, looks: Arc::default() });
            let options = ExtractOptions {
                guard: watching.clone(),
                cache: Some(store.root().join("cache")),
                ..options(store.root())
            };
            let form = format.prepare(&options.form);
            let _ = fs_err::remove_dir_all(store.out());
            run(&sources(store.root()), &*form, &options, &store.out(), &environment()).unwrap();
            assert!(watching.looks.load(Ordering::Relaxed) > 6, "{format}");
            let open = open_to_others(store.root());
            assert!(open.is_empty(), "{format}: {open:?}");
        }
    }
}
