//! Sessions are fetched whole or not at all, whatever happens on the way.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use pitree_extract::remote::{Gathered, Mirror, RemoteOptions, gather};
use pitree_extract::{ExtractError, RemoteError, RemoteProblem};
use pitree_testkit::{Fault, ProxiedRequest};

use super::common::{World, bytes, files_below};

/// Whether a request is for what an object holds.
fn is_object(request: &ProxiedRequest) -> bool {
    request.method == "GET" && request.target.contains(".jsonl") && !request.target.contains('?')
}

/// The objects by name, with the hashes of what was fetched.
fn contents(gathered: &Gathered) -> Vec<(String, String)> {
    let objects = gathered.mirrors.each().flat_map(Mirror::objects);
    objects.map(|it| (it.name.clone(), hash(&fs_err::read(&it.file).unwrap()))).collect()
}

fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// Small parts, so that one of the objects needs several requests.
fn in_parts(world: &World, address: &str) -> RemoteOptions {
    let mut options = world.options_by(address);
    options.limits.part_bytes = 64 << 10;
    options
}

/// Three objects, one of them of five parts and one empty.
fn three(world: &World) -> Vec<(String, String)> {
    let objects = [("a.jsonl", 1000), ("x/b.jsonl", (64 << 10) * 4 + 77), ("x/y/c.jsonl", 0)];
    let objects = objects.map(|(name, len)| (name.to_owned(), bytes(len, 1)));
    objects.iter().for_each(|(name, bytes)| world.put(&format!("p/{name}"), bytes));
    world.put("p/card.json", b"{}");
    world.put("q/other.jsonl", b"other");
    world.put("p2.jsonl", b"other");
    objects.map(|(name, bytes)| (name, hash(&bytes))).to_vec()
}

fn problem(result: Result<Gathered, ExtractError>) -> RemoteError {
    match result.map(drop).unwrap_err() {
        ExtractError::Remote(error) => error,
        other => panic!("{other}"),
    }
}

#[test]
fn only_what_has_changed_is_fetched_again() {
    let Some(world) = World::new("only_what_has_changed_is_fetched_again") else { return };
    let mut objects = three(&world);
    let proxy = world.proxy(|_| None);
    let options = in_parts(&world, &proxy.address());
    let run = || gather(&[world.url("p")], &options).unwrap();
    let first = run();
    assert_eq!((first.fetched, first.kept), (3, 0));
    assert_eq!(contents(&first), objects);
    let ranges = proxy.requests().iter().filter(|request| request.range.is_some()).count();
    assert_eq!(ranges, 5, "{:?}", proxy.requests());
    proxy.forget();
    let second = run();
    assert_eq!((second.fetched, second.kept), (0, 3));
    assert_eq!(contents(&second), objects);
    assert!(!proxy.requests().iter().any(is_object), "{:?}", proxy.requests());
    objects[0].1 = hash(&bytes(1000, 2));
    world.put("p/a.jsonl", &bytes(1000, 2));
    world.server.delete(&world.bucket, "p/x/y/c.jsonl");
    objects.pop();
    drop((first, second));
    let third = run();
    assert_eq!((third.fetched, third.kept), (1, 1));
    assert_eq!(contents(&third), objects);
    assert_eq!(files_below(&world.root.path().join("cache")).len(), 2, "what is old goes");
    drop(third);
    let single = gather(&[world.url("p/x/b.jsonl")], &options).unwrap();
    assert_eq!(single.mirrors.each().next().unwrap().url(), &world.url("p/x"));
    assert_eq!(contents(&single), [("b.jsonl".to_owned(), objects[1].1.clone())]);
}

#[test]
fn faults_that_pass_are_survived() {
    let Some(world) = World::new("faults_that_pass_are_survived") else { return };
    let objects = three(&world);
    for fault in [
        Fault::Status(500),
        Fault::Status(503),
        Fault::HangUp,
        Fault::LoseAnswer,
        Fault::CutBody,
        Fault::LongHead,
        Fault::ShortBody,
        Fault::StallBody(Duration::from_secs(2)),
        Fault::Late(Duration::from_millis(300)),
    ] {
        // Every object and the list fail at first, and so do some requests later.
        let mut count = 0;
        let proxy = world.proxy(move |_| {
            count += 1;
            (count % 3 == 1 && count < 12).then_some(fault)
        });
        let options = RemoteOptions { cache: None, ..in_parts(&world, &proxy.address()) };
        let gathered = gather(&[world.url("p")], &options);
        let gathered = gathered.unwrap_or_else(|error| panic!("{fault:?}: {error}"));
        assert_eq!(contents(&gathered), objects, "{fault:?}");
    }
}

#[test]
fn faults_that_stay_are_reported_and_leave_nothing_half() {
    let Some(world) = World::new("faults_that_stay_are_reported") else { return };
    three(&world);
    let unavailable = |fault: Fault, says: &str| {
        let proxy = world.proxy(move |request| is_object(request).then_some(fault));
        let options = in_parts(&world, &proxy.address());
        let error = problem(gather(&[world.url("p")], &options));
        let text = error.to_string();
        assert!(text.contains(&format!("s3://{}/p/", world.bucket)), "{fault:?}: {text}");
        assert!(text.contains(says), "{fault:?}: {text}");
        assert!(!text.contains("wJalr") && !text.contains("AKIA"), "{text}");
        for file in files_below(&world.root.path().join("cache")) {
            assert!([0, 1000].contains(&file.metadata().unwrap().len()), "{}", file.display());
        }
    };
    unavailable(
        Fault::Status(500),
        "the server answered 500 Internal Server Error (after 4 retries)",
    );
    unavailable(Fault::Status(403), "access is denied");
    unavailable(Fault::Status(401), "the credentials were not accepted");
    unavailable(Fault::Status(404), "it changed after it was listed");
    unavailable(Fault::HangUp, "HTTP error");
    unavailable(Fault::StallBody(Duration::from_secs(1)), "the answer stopped for 0.5 s");
    unavailable(Fault::ShortBody, " bytes");
}

#[test]
fn what_is_not_there_is_named() {
    let Some(world) = World::new("what_is_not_there_is_named") else { return };
    three(&world);
    let url = |text: &str| pitree_extract::remote::ObjectUrl::parse(text).unwrap();
    let error = problem(gather(&[url("s3://no-such-bucket/p")], &world.options()));
    assert_eq!(error.problem, RemoteProblem::NotFound, "{error}");
    let error = problem(world.gather("nothing"));
    assert_eq!(error.problem, RemoteProblem::NoSessions);
    assert!(error.to_string().contains(&format!("s3://{}/nothing: no object", world.bucket)));
    let nobody = RemoteOptions { variables: Vec::new(), ..world.options() };
    assert!(problem(gather(&[url("az://c/p")], &nobody)).to_string().contains("not complete"));
    let options = world.options_by("127.0.0.1:1");
    let error = problem(gather(&[world.url("p")], &options)).to_string();
    assert!(error.contains("after 4 retries"), "{error}");
    let plain: Vec<_> =
        options.variables.iter().filter(|(name, _)| name != "AWS_ALLOW_HTTP").cloned().collect();
    let error = problem(gather(&[world.url("p")], &RemoteOptions { variables: plain, ..options }));
    assert!(error.to_string().contains("plain http is refused"), "{error}");
}

#[test]
fn an_object_that_changes_after_it_was_listed_ends_the_run() {
    let Some(world) = World::new("an_object_that_changes") else { return };
    three(&world);
    let (server, bucket) = (world.server, world.bucket.clone());
    for len in [1000, 999, 1001, 64 << 12] {
        let (bucket, count) = (bucket.clone(), Arc::new(AtomicUsize::new(0)));
        let proxy = world.proxy(move |request| {
            if request.target.contains("b.jsonl") && count.fetch_add(1, Ordering::Relaxed) == 1 {
                server.put(&bucket, "p/x/b.jsonl", &bytes(len, 9));
            }
            None
        });
        let options = RemoteOptions { cache: None, ..in_parts(&world, &proxy.address()) };
        let error = problem(gather(&[world.url("p")], &options));
        assert_eq!(error.problem, RemoteProblem::Changed, "{error}");
        assert!(error.url.ends_with("/p/x/b.jsonl"), "{error}");
        three(&world);
    }
}

#[test]
fn a_run_that_is_to_stop_stops_at_once() {
    let Some(world) = World::new("a_run_that_is_to_stop") else { return };
    three(&world);
    let options = world.options();
    let cancel = options.cancel.clone();
    let proxy = world.proxy(move |request| {
        is_object(request).then(|| cancel.cancel());
        is_object(request).then_some(Fault::Late(Duration::from_secs(3)))
    });
    let variables = world.options_by(&proxy.address()).variables;
    let begun = std::time::Instant::now();
    let result = gather(&[world.url("p")], &RemoteOptions { variables, ..options });
    assert!(matches!(result, Err(ExtractError::Cancelled)));
    assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
    assert!(files_below(&world.root.path().join("cache")).is_empty());
}
