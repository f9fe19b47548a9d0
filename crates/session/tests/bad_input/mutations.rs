//! Random damage: whatever bytes do, reading ends, writes nothing and finds the same entries as
//! an independent judge.

use pitree_session::{OpenOptions, SessionError};
use pitree_testkit::{DamagedFile, is_full, properties, session, session_v1, session_v2};
use proptest::prelude::*;

use crate::bad_input::common::{Snapshot, TestFolder, ask_everything, said};

/// One thing that goes wrong. The numbers are places, taken modulo what there is.
#[derive(Clone, Debug)]
enum Mutation {
    DeleteLine(usize),
    RepeatLine(usize, usize),
    SwapLines(usize, usize),
    FlipByte(usize, u8),
    InsertByte(usize, u8),
    Truncate(usize),
    InsertNuls(usize, usize),
    CopyPart(usize, usize, usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let place = || 0..1_000_000_usize;
    // Bytes that mean something in JSON are more likely to hurt than others.
    let byte = || prop_oneof![any::<u8>(), prop::sample::select(br#"{}[]",:\0e-."#.to_vec())];
    prop_oneof![
        place().prop_map(Mutation::DeleteLine),
        (place(), place()).prop_map(|(from, to)| Mutation::RepeatLine(from, to)),
        (place(), place()).prop_map(|(one, two)| Mutation::SwapLines(one, two)),
        (place(), byte()).prop_map(|(at, byte)| Mutation::FlipByte(at, byte)),
        (place(), byte()).prop_map(|(at, byte)| Mutation::InsertByte(at, byte)),
        place().prop_map(Mutation::Truncate),
        (place(), 1..5000_usize).prop_map(|(at, count)| Mutation::InsertNuls(at, count)),
        (place(), 1..300_usize, place()).prop_map(|(at, len, to)| Mutation::CopyPart(at, len, to)),
    ]
}

fn apply(bytes: &mut Vec<u8>, mutation: &Mutation) {
    let len = bytes.len();
    if len == 0 {
        return;
    }
    let mut lines: Vec<Vec<u8>> =
        bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let count = lines.len();
    match *mutation {
        Mutation::DeleteLine(at) => {
            lines.remove(at % count);
            *bytes = lines.concat();
        }
        Mutation::RepeatLine(from, to) => {
            let line = lines[from % count].clone();
            lines.insert(to % (count + 1), line);
            *bytes = lines.concat();
        }
        Mutation::SwapLines(one, two) => {
            lines.swap(one % count, two % count);
            *bytes = lines.concat();
        }
        Mutation::FlipByte(at, byte) => bytes[at % len] = byte,
        Mutation::InsertByte(at, byte) => bytes.insert(at % (len + 1), byte),
        Mutation::Truncate(at) => bytes.truncate(at % (len + 1)),
        Mutation::InsertNuls(at, count) => {
            let at = at % (len + 1);
            bytes.splice(at..at, std::iter::repeat_n(0, count));
        }
        Mutation::CopyPart(at, part, to) => {
            let at = at % len;
            let part = bytes[at..(at + part).min(len)].to_vec();
            let to = to % (len + 1);
            bytes.splice(to..to, part);
        }
    }
}

fn check(bytes: Vec<u8>) -> Result<(), TestCaseError> {
    let place = TestFolder::new();
    let path = place.file(&bytes);
    let before = Snapshot::of(&path);
    let file = DamagedFile { name: "mutated", bytes };
    match OpenOptions::new().lenient(true).open(&path, &place.environment) {
        Ok(session) => {
            prop_assert_eq!(session.len(), file.judged_entries());
            ask_everything(&session).map_err(|error| TestCaseError::fail(error.to_string()))?;
        }
        Err(SessionError::Empty { .. }) => prop_assert!(file.bytes.is_empty()),
        Err(error) => return Err(TestCaseError::fail(error.to_string())),
    }
    prop_assert_eq!(&Snapshot::of(&path), &before);
    if let Ok(mut session) = place.open_migrating(&path) {
        let (len, old) = (session.len(), session.source_version());
        let appended = session.append_message(said("more"));
        prop_assert!(appended.is_ok(), "{:?}", appended);
        let after = fs_err::read(&path).unwrap();
        if old == pitree_format::migrate::SourceVersion::Current {
            prop_assert!(after.starts_with(&file.bytes));
        }
        let fresh = place.open(&path).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(fresh.len(), len + 1);
        ask_everything(&fresh).map_err(|error| TestCaseError::fail(error.to_string()))?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(properties(if is_full() { 800 } else { 80 }))]

    #[test]
    fn random_damage_to_a_session_hurts_nobody(
        seed in 0..10_000_u64,
        version in 0..8_u8,
        mutations in prop::collection::vec(mutation(), 1..12),
    ) {
        let mut bytes = match version {
            0 => session_v1(seed).bytes,
            1 => session_v2(seed).bytes,
            _ => session(seed).bytes,
        };
        for mutation in &mutations {
            apply(&mut bytes, mutation);
        }
        check(bytes)?;
    }

    #[test]
    fn random_bytes_hurt_nobody(bytes in prop::collection::vec(any::<u8>(), 0..2000)) {
        check(bytes)?;
    }
}
