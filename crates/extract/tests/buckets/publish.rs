//! A data set in a bucket is whole or has no card, whatever fails while it is written.

use std::sync::{Arc, Mutex};

use pitree_extract::remote::{Destination, RemoteOptions};
use pitree_extract::{ExtractError, FolderConflict};
use pitree_testkit::{Fault, FaultProxy, ProxiedRequest};

use super::common::{PART, World, bytes, files_below, write_data_set};

/// A data set with a file of three parts.
fn large() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("data.jsonl", bytes(PART * 2 + 5, 1)),
        ("data/a b.json", bytes(300, 2)),
        ("README.md", b"page".to_vec()),
    ]
}

fn borrowed<'a>(files: &'a [(&'static str, Vec<u8>)]) -> Vec<(&'a str, &'a [u8])> {
    files.iter().map(|(name, bytes)| (*name, &**bytes)).collect()
}

/// As the bucket gives it.
fn hashed(files: &[(&'static str, Vec<u8>)]) -> Vec<(String, String)> {
    let hash = |bytes: &[u8]| blake3::hash(bytes).to_hex().to_string();
    files.iter().map(|(name, bytes)| ((*name).to_owned(), hash(bytes))).collect()
}

fn by(world: &World, proxy: &FaultProxy) -> RemoteOptions {
    world.options_by(&proxy.address())
}

/// Nothing of a finished or failed run is left on this machine.
fn leaves_nothing(world: &World) {
    assert_eq!(files_below(world.root.path()), Vec::<std::path::PathBuf>::new());
}

#[test]
fn the_card_comes_last() {
    let Some(world) = World::new("the_card_comes_last") else { return };
    let files = large();
    let proxy = world.proxy(|_| None);
    world.publish(&borrowed(&files), &by(&world, &proxy)).unwrap();
    assert_eq!(world.read_set(), Some(hashed(&files)));
    let names = ["set/README.md", "set/card.json", "set/data.jsonl", "set/data/a b.json"];
    assert_eq!(world.names(), names);
    let requests = proxy.requests();
    let writes = requests.iter().filter(|request| request.method != "GET");
    let writes: Vec<&ProxiedRequest> = writes.collect();
    let place = |wanted: &dyn Fn(&ProxiedRequest) -> bool| {
        writes.iter().rposition(|request| wanted(request)).unwrap()
    };
    let card = place(&|it| it.method == "PUT" && it.target.contains("card.json"));
    let parts = place(&|it| it.method == "PUT" && it.target.contains("partNumber=3"));
    let joined = place(&|it| it.method == "POST" && it.target.contains("uploadId="));
    let small = place(&|it| it.method == "PUT" && it.target.contains("README"));
    let note = place(&|it| it.method == "PUT" && it.target.contains(".pitree-unfinished"));
    assert!(parts < note && note < joined && joined < card && small < card, "{writes:#?}");
    assert_eq!(card, writes.len() - 2, "only the note is removed after it");
    assert_eq!(world.server.open_uploads(&world.bucket), 0);
    leaves_nothing(&world);
}

#[test]
fn faults_that_pass_are_survived() {
    let Some(world) = World::new("publish::faults_that_pass") else { return };
    let files = large();
    for fault in [Fault::Status(500), Fault::HangUp, Fault::LoseAnswer] {
        let mut count = 0;
        let proxy = world.proxy(move |_| {
            count += 1;
            (count % 2 == 1 && count < 40).then_some(fault)
        });
        let mut options = by(&world, &proxy);
        options.limits.retries = 12;
        let done = world.publish(&borrowed(&files), &options);
        done.unwrap_or_else(|error| panic!("{fault:?}: {error}"));
        assert_eq!(world.read_set(), Some(hashed(&files)), "{fault:?}");
        // An upload whose answer was lost is known to nobody.
        if fault != Fault::LoseAnswer {
            assert_eq!(world.server.open_uploads(&world.bucket), 0);
        }
        world.names().iter().for_each(|name| world.server.delete(&world.bucket, name));
    }
}

#[test]
fn what_fails_before_the_end_leaves_the_old_data_set_as_it_was() {
    let Some(world) = World::new("what_fails_before_the_end") else { return };
    let old = [("data.jsonl", b"old".to_vec()), ("old.jsonl", b"older".to_vec())];
    world.publish(&borrowed(&old), &world.options()).unwrap();
    let files = large();
    let fails = |fault: Fault, wanted: fn(&ProxiedRequest) -> bool| {
        let proxy = world.proxy(move |request| wanted(request).then_some(fault));
        let error = world.publish(&borrowed(&files), &by(&world, &proxy)).unwrap_err().to_string();
        assert!(error.contains("/set"), "{error}");
        assert_eq!(world.read_set(), Some(hashed(&old)), "{error}");
        assert_eq!(world.names().len(), 3);
        assert_eq!(world.server.open_uploads(&world.bucket), 0, "{error}");
        leaves_nothing(&world);
    };
    fails(Fault::Status(500), |request| request.target.contains("partNumber=2"));
    fails(Fault::Status(403), |request| request.target.contains("?uploads"));
    fails(Fault::HangUp, |request| {
        request.method == "PUT" && request.target.contains(".pitree-unfinished")
    });
}

#[test]
fn what_fails_at_the_end_leaves_no_card_and_is_made_good_by_the_next_run() {
    let Some(world) = World::new("what_fails_at_the_end") else { return };
    let old = [("data.jsonl", b"old".to_vec()), ("old.jsonl", b"older".to_vec())];
    let files = large();
    for wanted in [
        (|request| request.method == "PUT" && request.target.contains("README"))
            as fn(&ProxiedRequest) -> bool,
        |request| request.method == "PUT" && request.target.contains("card.json"),
        |request| request.method == "POST" && request.target.contains("uploadId="),
    ] {
        world.publish(&borrowed(&old), &world.options()).unwrap();
        let proxy = world.proxy(move |request| wanted(request).then_some(Fault::Status(500)));
        world.publish(&borrowed(&files), &by(&world, &proxy)).unwrap_err();
        assert_eq!(world.read_set(), None);
        assert_eq!(world.server.open_uploads(&world.bucket), 0);
        drop(proxy);
        world.publish(&borrowed(&files), &world.options()).unwrap();
        assert_eq!(world.read_set(), Some(hashed(&files)));
        assert_eq!(world.names().len(), files.len() + 1, "{:?}", world.names());
    }
}

#[test]
fn what_somebody_puts_into_an_unfinished_data_set_is_not_replaced() {
    let Some(world) = World::new("what_somebody_puts_into") else { return };
    let files = large();
    let proxy = world.proxy(|request| {
        let is_card = request.method == "PUT" && request.target.contains("card.json");
        is_card.then_some(Fault::Status(500))
    });
    world.publish(&borrowed(&files), &by(&world, &proxy)).unwrap_err();
    world.put("set/README.md", b"mine");
    let error = world.publish(&borrowed(&files), &world.options()).unwrap_err();
    let ExtractError::OutputTaken { why, .. } = error else { panic!("{error}") };
    assert_eq!(why, FolderConflict::Edited("README.md".into()));
    assert_eq!(world.get("set/README.md").unwrap(), b"mine");
}

#[test]
fn a_run_that_is_to_stop_gives_up_its_parts() {
    let Some(world) = World::new("publish::a_run_that_is_to_stop") else { return };
    let files = large();
    let options = world.options();
    let cancel = options.cancel.clone();
    let proxy = world.proxy(move |request| {
        request.target.contains("partNumber=2").then(|| cancel.cancel());
        None
    });
    let variables = by(&world, &proxy).variables;
    let options = RemoteOptions { variables, ..options };
    let done = world.publish(&borrowed(&files), &options);
    assert!(matches!(done, Err(ExtractError::Cancelled)), "{done:?}");
    assert_eq!((world.names().len(), world.server.open_uploads(&world.bucket)), (0, 0));
    leaves_nothing(&world);
}

#[test]
fn an_answer_that_was_lost_is_not_taken_for_a_failure() {
    let Some(world) = World::new("an_answer_that_was_lost") else { return };
    let files = large();
    let lost = Arc::new(Mutex::new(false));
    let proxy = world.proxy(move |request| {
        let is_end = request.method == "POST" && request.target.contains("uploadId=");
        let mut lost = lost.lock().unwrap();
        (is_end && !std::mem::replace(&mut *lost, true)).then_some(Fault::LoseAnswer)
    });
    world.publish(&borrowed(&files), &by(&world, &proxy)).unwrap();
    assert_eq!(world.read_set(), Some(hashed(&files)));
}

#[test]
fn what_comes_to_the_place_while_the_data_set_is_made_is_not_replaced() {
    let Some(world) = World::new("what_comes_to_the_place") else { return };
    let destination = Destination::prepare(&world.url("set"), false, &world.options()).unwrap();
    write_data_set(destination.folder(), &[("data.jsonl", b"x")]);
    world.put("set/notes.txt", b"mine");
    let error = destination.publish().unwrap_err();
    assert!(matches!(error, ExtractError::OutputTaken { .. }), "{error}");
    assert_eq!(world.names(), ["set/notes.txt"]);
}
