//! Names of objects may be anything.

use std::collections::HashSet;

use pitree_extract::remote::gather;

use super::common::{World, files_below};

#[test]
fn names_that_are_odd_but_possible_are_fetched_each_as_itself() {
    let Some(world) = World::new("names_that_are_odd") else { return };
    let long = format!("{}.jsonl", "x".repeat(900));
    let names = [
        "A.jsonl",
        "a.jsonl",
        "a b.jsonl",
        "ä.jsonl",
        "a\u{308}.jsonl",
        "...jsonl",
        "-.jsonl",
        "..a/b.jsonl",
        "%2e%2e/c.jsonl",
        "x?y#z.jsonl",
        "*.jsonl",
        "'\"$(id).jsonl",
        &long,
        "C:\\d.jsonl",
        "lock.jsonl",
    ];
    for name in names {
        world.put(&format!("p/{name}"), name.as_bytes());
    }
    let gathered = world.gather("p").unwrap();
    let objects: Vec<_> =
        gathered.mirrors.each().flat_map(|mirror| mirror.objects().to_vec()).collect();
    let found: HashSet<&str> = objects.iter().map(|object| object.name.as_str()).collect();
    assert_eq!(found, names.into_iter().collect());
    for object in &objects {
        assert_eq!(fs_err::read(&object.file).unwrap(), object.name.as_bytes());
        assert!(object.file.starts_with(world.root.path().join("cache")));
    }
    let files: HashSet<_> = objects.iter().map(|object| &object.file).collect();
    assert_eq!(files.len(), names.len());
}

#[test]
fn a_name_that_cannot_be_used_ends_the_run_and_is_named() {
    for (name, shown) in
        [("p/%2E%2E/b.jsonl", ".."), ("p//b.jsonl", "p//b.jsonl"), ("p/%01.jsonl", "\\u{1}")]
    {
        let Some(world) = World::new("a_name_that_cannot_be_used") else { return };
        let target = format!("/{}/{name}", world.bucket);
        assert_eq!(world.server.ask("PUT", &target, b"x").unwrap().0, 200, "{name}");
        if !world.names().iter().any(|listed| listed.contains("jsonl")) {
            continue;
        }
        let error = gather(&[world.url("")], &world.options()).unwrap_err().to_string();
        assert!(error.contains(&format!("s3://{}/", world.bucket)), "{error}");
        assert!(error.contains(shown) && error.contains("cannot be used"), "{error}");
        assert!(files_below(&world.root.path().join("cache")).is_empty());
    }
}
