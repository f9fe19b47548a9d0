//! Trajectories, read by their own models and compared with Harbor's.

use pitree_extract::{Context, FormatName, Paths, Selection, Unit};
use pitree_testkit::{Consumers, session, session_v1, session_v2, working_session};
use serde_json::{Value, json};

use crate::data_set::{DataSet, Wish};
use crate::spend::{PARENT, TestStore};

const SELECTIONS: [(Paths, Context, Unit); 4] = [
    (Paths::Active, Context::AsSent, Unit::Path),
    (Paths::All, Context::Raw, Unit::Path),
    (Paths::Leaves, Context::AsSent, Unit::Turn),
    (Paths::Active, Context::AsSent, Unit::Request),
];

fn wish((paths, context, unit): (Paths, Context, Unit)) -> Wish {
    let selection = Selection { paths, context, unit };
    Wish { selection, ..Wish::of(FormatName::Atif) }
}

fn random_store() -> TestStore {
    let store = TestStore::empty();
    for seed in 0..12 {
        store.write_bytes(&format!("v3-{seed}"), &session(seed).bytes);
        store.write_bytes(&format!("work-{seed}"), &working_session(seed).bytes);
        store.write_bytes(&format!("v2-{seed}"), &session_v2(seed).bytes);
        store.write_bytes(&format!("v1-{seed}"), &session_v1(seed).bytes);
    }
    store
}

#[test]
fn every_trajectory_is_valid() {
    let Some(consumers) = Consumers::find("every_trajectory_is_valid") else { return };
    let store = random_store();
    for selection in SELECTIONS {
        let data = DataSet::of(&store, wish(selection));
        let seen = data.read_with(&consumers, "atif_models.py", "");
        assert_eq!(seen.as_array().unwrap().len(), data.files().len(), "{selection:?}");
        assert!(data.files().len() > 20, "{selection:?}: {}", data.files().len());
    }
}
