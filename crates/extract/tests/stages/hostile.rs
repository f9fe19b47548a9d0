//! Plans that are none, results that are damaged, sessions that have changed: a clear error, and
//! never a panic.

use std::os::unix::fs::PermissionsExt;

use pitree_extract::stages::{DecidedPlan, Executor, ExtractPlan, Publish, Round};
use pitree_extract::{Dedupe, ExtractError, FormatName};
use pitree_session::location::Location;
use pitree_testkit::Rng;

use super::engine::{Engine, Wanted, store, tree};
use crate::runs::common::environment;

fn said(result: Result<impl Sized, ExtractError>) -> String {
    result.err().expect("that cannot go well").to_string()
}

#[test]
fn a_plan_of_another_build_is_refused() {
    let store = store(1, 3);
    let json = Wanted::bare(&store, FormatName::Chat).plan(2).to_json().unwrap();
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    let other = json.replace(value["build"].as_str().unwrap(), "0.0.1 feed");
    let error = said(ExtractPlan::from_json(&other));
    assert!(error.contains("another build") && error.contains("0.0.1 feed"), "{error}");
    assert!(error.contains("plan again"), "{error}");
}

/// Whatever is done to a plan: it is refused, or it is worked on without a panic.
#[test]
fn a_damaged_plan_never_panics() {
    let store = store(2, 4);
    let wanted = Wanted::redacted(&store, FormatName::Chat);
    let json = wanted.plan(3).to_json().unwrap();
    let mut rng = Rng::new(4);
    let mut refused = 0;
    for round in 0..300 {
        let mut bytes = json.clone().into_bytes();
        match round % 3 {
            0 => bytes.truncate(rng.below(bytes.len())),
            1 => {
                let at = rng.below(bytes.len());
                bytes[at] = b"0129[]{}\",:xe-"[rng.below(14)];
            }
            _ => {
                let (from, len) = (rng.below(bytes.len()), rng.below(20));
                let to = (from + len).min(bytes.len());
                bytes.drain(from..to);
            }
        }
        let Ok(plan) = ExtractPlan::from_json(&String::from_utf8_lossy(&bytes)) else {
            refused += 1;
            continue;
        };
        let work = store.root().join("work").join(round.to_string());
        let Ok(executor) = Executor::new(plan, &work, &environment()) else {
            refused += 1;
            continue;
        };
        let first = executor.first_round();
        (0..first.shards).for_each(|shard| drop(executor.map(&first, shard)));
        let _ = executor.reduce(&first);
    }
    assert!(refused > 200, "{refused}");
}

#[test]
fn a_session_that_was_cut_or_is_gone_is_named() {
    let store = store(3, 3);
    let wanted = Wanted::redacted(&store, FormatName::Chat);
    let path = store.root().join("sessions/family0-3-p.jsonl");
    let text = fs_err::read(&path).unwrap();
    for change in ["cut", "gone"] {
        let engine = Engine::new(&wanted, 1, change, 1);
        match change {
            "cut" => fs_err::write(&path, &text[..text.len() - 1]).unwrap(),
            _ => fs_err::remove_file(&path).unwrap(),
        }
        let executor = engine.executor();
        let error = said(executor.map(&executor.first_round(), 0));
        assert!(error.contains("family0-3-p.jsonl") && error.contains("plan again"), "{error}");
        fs_err::write(&path, &text).unwrap();
    }
}

#[test]
fn what_was_not_done_yet_is_told() {
    let store = store(4, 3);
    let wanted = Wanted::redacted(&store, FormatName::Chat);
    let mut engine = Engine::new(&wanted, 2, "work", 1);
    let executor = engine.executor();
    let first = executor.first_round();
    let error = said(executor.map(&first, 2));
    assert!(error.contains("no shard 2"), "{error}");
    executor.map(&first, 0).unwrap();
    let error = said(executor.reduce(&first));
    assert!(error.contains("Shard 1 of round 0 is not done; map it first"), "{error}");
    for id in ["feed", "../../etc/passwd", ""] {
        let round = Round { number: 1, id: id.to_owned(), shards: 1 };
        assert!(said(executor.map(&round, 0)).contains("reduce again"));
        let none = DecidedPlan { id: id.to_owned(), ..engine_less() };
        assert!(said(executor.assemble(&none, 0)).contains("reduce the plan first"));
    }
    engine.is_unlucky = false;
    let decided = engine.decide();
    let publish = Publish { folder: store.out(), ..Publish::default() };
    let error = said(executor.publish(&decided, &publish));
    assert!(error.contains("assemble it first"), "{error}");
    assert!(!store.out().exists());
    assert!(said(executor.assemble(&decided, 1)).contains("no output shard 1"));
}

fn engine_less() -> DecidedPlan {
    DecidedPlan { id: String::new(), shards: 1, sessions: 0, samples: 0, output_bytes: 0 }
}

/// Every file of a work folder, cut off and with a flipped bit.
#[test]
fn damaged_results_are_errors_that_name_the_file() {
    let store = store(5, 6);
    let wanted = Wanted::redacted(&store, FormatName::Chat);
    let mut engine = Engine::new(&wanted, 2, "work", 1);
    engine.is_unlucky = false;
    let decided = engine.decide();
    let mut rng = Rng::new(9);
    let mut found = 0;
    for (name, bytes) in tree(&engine.work) {
        let path = engine.work.join(&name);
        for round in 0..6 {
            let mut damaged = bytes.clone();
            match round % 2 {
                0 => damaged.truncate(rng.below(bytes.len())),
                _ => damaged[rng.below(bytes.len())] ^= 1 << rng.below(8),
            }
            fs_err::write(&path, damaged).unwrap();
            let ending = name.extension().unwrap().to_string_lossy().into_owned();
            if ending == "facts" {
                // What was reduced from them is kept.
                for kept in tree(&engine.work.join("reduced")).into_keys() {
                    if kept.extension().is_some_and(|it| it == "reduced") {
                        fs_err::remove_file(engine.work.join("reduced").join(kept)).unwrap();
                    }
                }
            }
            let executor = engine.executor();
            let error = match ending.as_str() {
                "facts" => reduce_all(&executor),
                "pack" | "unit" | "decided" => executor.assemble(&decided, 0).map(drop),
                _ => Ok(()),
            };
            if let Err(error) = error {
                let file = path.file_name().unwrap().to_string_lossy().into_owned();
                assert!(error.to_string().contains(&file), "{file}: {error}");
                found += 1;
            }
            let output = engine.work.join("output");
            fs_err::remove_dir_all(&output).unwrap();
        }
        fs_err::write(&path, bytes).unwrap();
    }
    assert!(found > 20, "{found}");
}

fn reduce_all(executor: &Executor) -> Result<(), ExtractError> {
    let mut round = executor.first_round();
    while let pitree_extract::stages::Reduced::MapAgain(next) = executor.reduce(&round)? {
        round = next;
    }
    Ok(())
}

#[test]
fn another_key_and_open_keys_are_refused() {
    let store = store(6, 3);
    let wanted = Wanted::redacted(&store, FormatName::Chat);
    let plan = wanted.plan(1);
    assert!(!plan.to_json().unwrap().contains("0707"), "the key is in the plan");
    let key = store.root().join("sessions.key");
    let refused = |part: &str| {
        let work = store.root().join("work");
        let error = said(Executor::new(plan.clone(), &work, &environment()));
        assert!(error.contains(part) && error.contains("sessions.key"), "{error}");
    };
    fs_err::write(&key, "08".repeat(32)).unwrap();
    refused("not those of the plan");
    fs_err::write(&key, "08").unwrap();
    refused("64 hexadecimal digits");
    fs_err::set_permissions(&key, PermissionsExt::from_mode(0o644)).unwrap();
    refused("can be read by others");
    fs_err::remove_file(&key).unwrap();
    refused("does not exist here");
}

/// Whatever of `reduced` is gone or damaged is made again by reducing once more, as errors say.
#[test]
fn what_was_decided_is_made_again_if_it_is_lost() {
    let store = store(6, 6);
    let mut wanted = Wanted::redacted(&store, FormatName::Chat);
    wanted.options.quality.dedupe = Dedupe::Mark;
    let mut engine = Engine::new(&wanted, 2, "work", 1);
    engine.is_unlucky = false;
    let decided = engine.decide();
    let reduced = engine.work.join("reduced");
    for (name, bytes) in tree(&reduced) {
        let path = reduced.join(&name);
        for damage in ["gone", "cut"] {
            match damage {
                "gone" => fs_err::remove_file(&path).unwrap(),
                _ => fs_err::write(&path, &bytes[..bytes.len() / 2]).unwrap(),
            }
            if damage == "cut" && name.extension().is_some_and(|it| it == "reduced") {
                // This one is named by an error, to be removed.
                fs_err::write(&path, &bytes).unwrap();
                continue;
            }
            assert_eq!(engine.decide(), decided);
            assert!(fs_err::read(&path).unwrap() == bytes, "{damage} {}", name.display());
        }
    }
}

#[test]
fn a_data_set_shares_no_file_with_the_work_folder() {
    let store = store(7, 4);
    let wanted = Wanted::redacted(&store, FormatName::Chat);
    let mut engine = Engine::new(&wanted, 1, "work", 1);
    engine.is_unlucky = false;
    let decided = engine.decide();
    let executor = engine.executor();
    let shard = executor.assemble(&decided, 0).unwrap();
    let place = |name: &str| Publish { folder: store.root().join(name), ..Publish::default() };
    executor.publish(&decided, &place("one")).unwrap();
    let file = &shard.files[0].path;
    let written = store.root().join("one").join(file);
    let bytes = fs_err::read(&written).unwrap();
    fs_err::write(&written, "edited").unwrap();
    executor.publish(&decided, &place("two")).unwrap();
    assert!(fs_err::read(store.root().join("two").join(file)).unwrap() == bytes);

    let mut flipped = bytes.clone();
    flipped[3] ^= 1;
    let kept = shard.folder.join(file);
    fs_err::write(&kept, flipped).unwrap();
    let error = said(executor.publish(&decided, &place("three")));
    assert!(error.contains("is damaged") && error.contains(file.to_str().unwrap()), "{error}");
    assert!(!store.root().join("three").exists());
    fs_err::remove_file(&kept).unwrap();
    executor.assemble(&decided, 0).unwrap();
    executor.publish(&decided, &place("three")).unwrap();
    assert!(fs_err::read(store.root().join("three").join(file)).unwrap() == bytes);
}

#[test]
fn nothing_is_published_among_the_sessions() {
    let store = store(8, 3);
    let mut wanted = Wanted::redacted(&store, FormatName::Chat);
    let sessions = store.root().join("sessions");
    wanted.options.form.locations = vec![Location::folder(&sessions)];
    let mut engine = Engine::new(&wanted, 1, "work", 1);
    engine.is_unlucky = false;
    let decided = engine.decide();
    let executor = engine.executor();
    executor.assemble(&decided, 0).unwrap();
    let (inside, outside) = (sessions.join("out"), store.out());
    let log = Some(sessions.join("log.jsonl"));
    for publish in [
        Publish { folder: inside, ..Publish::default() },
        Publish { folder: outside.clone(), redactions: log, ..Publish::default() },
    ] {
        let error = said(executor.publish(&decided, &publish));
        assert!(error.contains("is in the sessions folder"), "{error}");
    }
    assert!(!sessions.join("out").exists() && !sessions.join("log.jsonl").exists());
    assert!(!outside.exists());
}

#[test]
fn a_plan_names_no_file_outside_its_work_folder() {
    let store = store(9, 2);
    let json = Wanted::redacted(&store, FormatName::Chat).plan(1).to_json().unwrap();
    let mut plan: serde_json::Value = serde_json::from_str(&json).unwrap();
    plan["settings"]["spend"] = "../../elsewhere".into();
    let error = said(ExtractPlan::from_json(&plan.to_string()));
    assert!(error.contains("names its usages by something else"), "{error}");
}
