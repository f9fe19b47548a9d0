//! Only what a run has written is replaced in a bucket, by the rules for folders.

use pitree_extract::remote::Destination;
use pitree_extract::{ExtractError, FolderConflict};

use super::common::World;

/// Why the place is not written to.
fn why(world: &World, edited: bool) -> Option<FolderConflict> {
    match Destination::prepare(&world.url("set"), edited, &world.options()) {
        Ok(_) => None,
        Err(ExtractError::OutputTaken { path, why }) => {
            assert_eq!(path.to_str().unwrap(), format!("s3://{}/set", world.bucket));
            Some(why)
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn only_a_data_set_of_ours_is_replaced_and_what_left_it_goes() {
    let Some(world) = World::new("only_a_data_set_of_ours") else { return };
    assert_eq!(why(&world, false), None);
    world.put("set2/x", b"another place");
    world.put("set/x", b"mine");
    assert_eq!(why(&world, false), Some(FolderConflict::NoDataSet));
    assert_eq!(why(&world, true), Some(FolderConflict::NoDataSet));
    world.put("set/card.json", b"{\"card\":1,\"generator\":\"another\",\"files\":[]}");
    assert_eq!(why(&world, true), Some(FolderConflict::NoDataSet));
    for name in ["set/x", "set/card.json"] {
        world.server.delete(&world.bucket, name);
    }
    let options = world.options();
    world.publish(&[("a.jsonl", b"a"), ("d/b.jsonl", b"b")], &options).unwrap();
    world.put("set/d/notes.txt", b"mine");
    assert_eq!(why(&world, true), Some(FolderConflict::Stranger("d/notes.txt".into())));
    world.server.delete(&world.bucket, "set/d/notes.txt");
    world.put("set/d/", b"");
    let earlier = Destination::prepare(&world.url("set"), false, &options).unwrap().earlier();
    assert_eq!(earlier.unwrap().samples, 2);
    world.publish(&[("c.jsonl", b"c")], &options).unwrap();
    let left = ["set/c.jsonl", "set/card.json", "set2/x"];
    let names: Vec<String> =
        world.names().into_iter().filter(|name| !name.ends_with('/')).collect();
    assert_eq!(names, left);
}

#[test]
fn what_somebody_has_edited_is_replaced_on_demand_only() {
    let Some(world) = World::new("what_somebody_has_edited") else { return };
    let options = world.options();
    let files: [(&str, &[u8]); 2] = [("a.jsonl", b"a"), ("README.md", b"page")];
    world.publish(&files, &options).unwrap();
    for (name, text) in files {
        for edited in ["mine", "x"] {
            world.put(&format!("set/{name}"), edited.as_bytes());
            assert_eq!(why(&world, false), Some(FolderConflict::Edited(name.into())));
            assert_eq!(why(&world, true), None);
        }
        // What another program has brought there is hashed.
        world.put(&format!("set/{name}"), text);
        assert_eq!(why(&world, false), None);
    }
    world.put("set/a.jsonl", b"mine");
    let refused = world.publish(&files, &options).unwrap_err().to_string();
    assert!(refused.contains("a.jsonl was edited since pitree wrote it"), "{refused}");
    world.publish_over(&files, true, &options).unwrap();
    assert_eq!(world.get("set/a.jsonl").unwrap(), b"a");
    world.server.delete(&world.bucket, "set/a.jsonl");
    assert_eq!(why(&world, false), None, "what is gone has nothing to lose");
}
