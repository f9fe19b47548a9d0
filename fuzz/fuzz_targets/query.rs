//! A query, and a session to look in: nothing panics, every search ends, and counting finds as
//! much as showing.
#![no_main]

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use pitree_session::location::{Layout, Location, Origin};
use pitree_session::Environment;
use pitree_store::search::{Query, SearchOptions};
use pitree_store::{Scope, Store};

const NOW: i64 = 1_790_000_000_000;

/// A folder in memory, one for each process.
static FOLDER: LazyLock<PathBuf> = LazyLock::new(|| {
    let folder = PathBuf::from(format!("/dev/shm/pitree-fuzz-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder in memory");
    folder
});

static STORE: LazyLock<Store> = LazyLock::new(|| {
    let environment =
        Environment::new(FOLDER.as_path(), FOLDER.as_path(), || NOW, |bytes| bytes.fill(7));
    let location = Location {
        path: FOLDER.join("sessions"),
        layout: Layout::Flat,
        origin: Origin::SessionDirFlag,
    };
    fs::create_dir_all(&location.path).expect("a folder in memory");
    Store::new(vec![location], &environment).with_threads(1)
});

fuzz_target!(|bytes: &[u8]| {
    let text = String::from_utf8_lossy(bytes);
    let (typed, said) = text.split_once('\n').unwrap_or((&text, &text));
    let Ok(query) = Query::parse(typed, NOW) else { return };
    let header = serde_json::json!({
        "type": "session", "version": 3, "id": "019cadd3-0000-7000-8000-000000000000",
        "timestamp": "2026-01-01T00:00:00.000Z", "cwd": "/p",
    });
    let entry = |id: &str, role: &str| {
        let message = serde_json::json!({ "role": role, "content": [{ "type": "text", "text": said }] });
        serde_json::json!({
            "type": "message", "id": id, "parentId": null,
            "timestamp": "2026-01-01T00:00:01.000Z", "message": message,
        })
    };
    let file = format!("{header}\n{}\n{}\n", entry("a1", "user"), entry("a2", "assistant"));
    let store = &*STORE;
    fs::write(FOLDER.join("sessions/2026-01-01T00-00-00-000Z_s.jsonl"), file).expect("a session");
    for conversation in [false, true] {
        let options = SearchOptions { scope: Scope::All, conversation, limit: 10 };
        let shown = store.search(&query, &options);
        let counted = store.search(&query, &SearchOptions { limit: 0, ..options });
        assert_eq!(shown.total, counted.total, "{typed:?} in {said:?}");
        assert!(shown.hits.len() <= 10);
    }
});
