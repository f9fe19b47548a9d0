//! Which files are run, and which are not.

use std::os::unix::fs::{PermissionsExt, chown, symlink};

use pitree_host::extension::{Found, find};

use crate::extensions::world::{World, limits, troubles, write_script};

const SCRIPT: &str = "#!/bin/sh\n";

fn set_mode(path: &std::path::Path, mode: u32) {
    fs_err::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn both_folders_of_the_user_count_in_order() {
    let world = World::new();
    let agent = world.path(".pi/agent/pitree/extensions/a");
    write_script(&agent, SCRIPT);
    let second = world.extension("b", "");
    let first = world.extension("a", "");
    world.extension(".hidden", "");
    fs_err::write(world.folder().join("README.md"), "notes\n").unwrap();
    fs_err::create_dir(world.folder().join("folder")).unwrap();
    symlink("nowhere", world.folder().join("dangling")).unwrap();
    let found = find(&world.environment());
    let real = |path| fs_err::canonicalize(path).unwrap();
    assert_eq!(found.programs, [real(first), real(second), real(agent)]);
    assert_eq!(found.refused, []);
}

#[test]
fn the_configuration_folder_can_be_elsewhere_but_not_relative() {
    let world = World::new();
    let elsewhere = world.path("config/pitree/extensions/a");
    write_script(&elsewhere, SCRIPT);
    let config = world.path("config");
    let environment = world.environment().with_var("XDG_CONFIG_HOME", config.to_str().unwrap());
    assert_eq!(find(&environment).programs.len(), 1);
    write_script(&world.path("project/config/pitree/extensions/b"), SCRIPT);
    let environment = world.environment().with_var("XDG_CONFIG_HOME", "config");
    assert_eq!(find(&environment), Found::default());
}

#[test]
fn a_project_names_no_extension() {
    let world = World::new();
    let script = format!("#!/bin/sh\ntouch '{}'\n", world.path("ran").display());
    for place in [
        ".pi/extensions/x",
        ".pi/pitree/extensions/x",
        ".pi/agent/pitree/extensions/x",
        ".config/pitree/extensions/x",
        "pitree/extensions/x",
        "extensions/x",
    ] {
        write_script(&world.path("project").join(place), &script);
    }
    let settings =
        r#"{"extensions":["./extensions/x"],"pitree":{"extensions":["./extensions/x"]}}"#;
    fs_err::write(world.path("project/.pi/settings.json"), settings).unwrap();
    fs_err::write(world.path("project/.pitree.json"), settings).unwrap();
    let mut live = world.live(limits());
    live.start().unwrap();
    live.shutdown();
    assert_eq!(troubles(&mut live), Vec::<String>::new());
    drop(live);
    assert!(!world.path("ran").exists());
}

#[test]
fn what_others_can_change_does_not_run() {
    let world = World::new();
    let path = world.extension("x", "");
    let folder = world.folder();
    let refusal = |mode, place: &std::path::Path, normal| {
        set_mode(place, mode);
        let found = find(&world.environment());
        set_mode(place, normal);
        assert_eq!(found.programs, Vec::<std::path::PathBuf>::new(), "{mode:o}");
        found.refused[0].problem.clone()
    };
    for mode in [0o720, 0o702, 0o777] {
        assert!(refusal(mode, &path, 0o700).contains("chmod go-w"), "{mode:o}");
        assert!(refusal(mode, &folder, 0o755).contains("others may write to"), "{mode:o}");
    }
    assert_eq!(find(&world.environment()).programs.len(), 1);
    assert!(refusal(0o600, &path, 0o700).contains("chmod u+x"));
}

#[test]
fn a_link_does_not_hide_what_others_can_change() {
    let world = World::new();
    let shared = world.path("shared/x");
    write_script(&shared, SCRIPT);
    fs_err::create_dir_all(world.folder()).unwrap();
    symlink(&shared, world.folder().join("x")).unwrap();
    assert_eq!(find(&world.environment()).programs.len(), 1);
    set_mode(&world.path("shared"), 0o777);
    let found = find(&world.environment());
    assert!(found.programs.is_empty());
    assert!(found.refused[0].problem.contains("shared"));
}

#[test]
fn what_belongs_to_somebody_else_does_not_run() {
    let world = World::new();
    let path = world.extension("x", "");
    if chown(&path, Some(12_345), None).is_err() {
        println!(
            "skipped what_belongs_to_somebody_else_does_not_run: only root can give files away"
        );
        return;
    }
    let found = find(&world.environment());
    assert!(found.programs.is_empty());
    assert!(found.refused[0].problem.contains("belongs to another user"));
}
