//! The roles of Gas Town agents: every path, beacon and marker that is known, and traps.

use std::path::PathBuf;

use pitree_session::Environment;
use pitree_session::location::{Layout, Location, Origin};
use pitree_store::Store;
use pitree_store::roles::{
    Confidence, RoleFinder, RoleFinding, RoleRules, RoleSource, Sighted, Towns, read_beacon,
    role_of,
};

fn environment() -> Environment {
    Environment::new("/home/nobody", "/srv", || 0, |_| {})
}

/// `role rig name`, with `-` for what is not known.
fn words(found: &RoleFinding) -> String {
    let part = |part: &Option<String>| part.clone().unwrap_or_else(|| "-".to_owned());
    format!("{} {} {}", found.role, part(&found.rig), part(&found.name))
}

fn by_itself(cwd: &str, first: Option<&str>, prime: Option<&str>) -> Option<RoleFinding> {
    role_of(cwd, first, prime, &RoleRules::CwdFirst)
}

fn by_message(cwd: &str, first: Option<&str>, prime: Option<&str>) -> Option<RoleFinding> {
    role_of(cwd, first, prime, &RoleRules::MessageFirst)
}

fn sighted<'a>(cwd: &'a str, first_message: Option<&'a str>) -> Sighted<'a> {
    Sighted { session_id: "", cwd, first_message, prime: None, parent: None }
}

/// Every folder of the layout, with its agent and what the patterns of the seed make of it.
const LAYOUT: [(&str, &str, &str); 24] = [
    ("/home/u/gt/mayor", "mayor - -", "-"),
    ("/home/u/gt/mayor/rig", "mayor gt -", "mayor"),
    ("/home/u/gt/deacon", "deacon - -", "deacon"),
    ("/home/u/gt/deacon/dogs/boot", "boot - -", "boot"),
    ("/home/u/gt/deacon/dogs/rex", "dog - rex", "-"),
    ("/home/u/gt/alpha/mayor/rig", "mayor alpha -", "mayor"),
    ("/home/u/gt/alpha/witness", "witness alpha -", "witness"),
    ("/home/u/gt/alpha/witness/rig", "witness alpha -", "-"),
    ("/home/u/gt/alpha/refinery", "refinery alpha -", "-"),
    ("/home/u/gt/alpha/refinery/rig", "refinery alpha -", "refinery"),
    ("/home/u/gt/alpha/polecats/nux", "polecat alpha nux", "polecat"),
    ("/home/u/gt/alpha/polecats/nux/alpha", "polecat alpha nux", "polecat"),
    ("/home/u/gt/alpha/polecats/nux-2", "polecat alpha nux-2", "polecat"),
    ("/home/u/gt/alpha/polecats/nux/alpha/src", "polecat alpha nux", "polecat"),
    ("/home/u/gt/alpha/crew/max", "crew alpha max", "crew"),
    ("/home/u/gt/alpha/crew/max-2", "crew alpha max-2", "-"),
    ("/home/u/gt/alpha/crew/max/alpha", "crew alpha max", "-"),
    ("/home/u/gt/my-rig/crew/max/docs/x", "crew my-rig max", "-"),
    // Agents and people with the names of roles.
    ("/home/u/gt/alpha/crew/deacon", "crew alpha deacon", "deacon"),
    ("/home/crew/gt/alpha/polecats/nux", "polecat alpha nux", "polecat"),
    ("/home/mayor/project", "-", "-"),
    ("/home/u/gt", "-", "-"),
    ("/home/u/gt/alpha", "-", "-"),
    ("/srv/project", "-", "-"),
];

#[test]
fn a_directory_alone_is_right_and_not_sure() {
    for (cwd, agent, _) in LAYOUT {
        let found = by_itself(cwd, None, None);
        assert_eq!(found.as_ref().map_or("-".to_owned(), words), agent, "{cwd}");
        if let Some(found) = found {
            assert_eq!(found.source, RoleSource::Directory, "{cwd}");
            assert_eq!(found.confidence, Confidence::Low, "{cwd}");
        }
    }
    // Nobody can tell this from a crew without knowing the town.
    let trap = by_itself("/home/u/jobs/crew/app", None, None).unwrap();
    assert_eq!(trap.confidence, Confidence::Low);
}

#[test]
fn the_patterns_of_the_seed_are_a_subset() {
    for (cwd, agent, seed) in LAYOUT {
        let found = role_of(cwd, None, None, &RoleRules::Seed);
        assert_eq!(found.map_or("-".to_owned(), |role| role.role.to_string()), seed, "{cwd}");
        // Where the seed is right, so are we; it is wrong only about a crew called deacon.
        if seed != "-" && cwd != "/home/u/gt/alpha/crew/deacon" {
            assert_eq!(agent.split(' ').next(), Some(seed), "{cwd}");
        }
    }
    let beacon = |text| role_of("/srv", Some(text), None, &RoleRules::Seed).map(|r| r.role);
    assert_eq!(
        beacon("[GAS TOWN] deacon <- daemon ...").unwrap().to_string(),
        "deacon",
        "the example of the seed"
    );
    assert!(beacon("Hello.\n[GAS TOWN]  mayor\t<- x").is_some());
    for missed in [
        "[GAS TOWN] crew max (rig: a) <- x",
        "[GAS TOWN] gastown/crew/gus <- x",
        "[GAS TOWN] deacon<- x",
        "[GAS TOWN]deacon <- x",
        "[GAS TOWN] deacon",
        "[GAS TOWN] human <- x",
    ] {
        assert_eq!(beacon(missed), None, "{missed}");
    }
}

#[test]
fn together_sessions_know_at_least_what_each_knows_alone() {
    for (cwd, agent, _) in LAYOUT {
        let found = RoleFinder::default().find_sighted(&[sighted(cwd, None)], &environment());
        assert_eq!(found[0].as_ref().map_or("-".to_owned(), words), agent, "{cwd}");
    }
    let marker = "GAS TOWN role:mayor pid:1";
    let found =
        RoleFinder::default().find_sighted(&[sighted("/srv", Some(marker))], &environment());
    assert_eq!(found[0].as_ref().map(|found| found.source), Some(RoleSource::Prime));
}

#[test]
fn beacons_of_all_forms() {
    for (recipient, agent) in [
        ("mayor", "mayor - -"),
        ("deacon", "deacon - -"),
        ("boot", "boot - -"),
        ("dog rex", "dog - rex"),
        ("witness (rig: alpha)", "witness alpha -"),
        ("refinery (rig: my-rig)", "refinery my-rig -"),
        ("polecat nux (rig: alpha)", "polecat alpha nux"),
        ("crew max-2 (rig: alpha)", "crew alpha max-2"),
        ("deacon/boot", "boot - -"),
        ("deacon-boot", "boot - -"),
        ("deacon/dogs/rex", "dog - rex"),
        ("alpha/witness", "witness alpha -"),
        ("alpha/refinery", "refinery alpha -"),
        ("alpha/polecats/nux", "polecat alpha nux"),
        ("alpha/crew/gus", "crew alpha gus"),
        ("alpha/nux", "polecat alpha nux"),
        ("mayor/", "mayor - -"),
        ("overseer", "-"),
        ("polecat nux extra (rig: alpha)", "-"),
        ("alpha/../crew/gus", "-"),
        ("a b/c d", "-"),
    ] {
        for rest in
            ["daemon • 2026-02-25T08:30 • patrol\n\nGo on.", "human • 2026-02-25T08:30", "x"]
        {
            let text = format!("[GAS TOWN] {recipient} <- {rest}");
            let found = by_itself("/srv/project", Some(&text), None);
            assert_eq!(found.as_ref().map_or("-".to_owned(), words), agent, "{text}");
            let is_sure = |found: RoleFinding| {
                (found.source, found.confidence) == (RoleSource::Beacon, Confidence::High)
            };
            assert!(found.is_none_or(is_sure), "{text}");
        }
    }
}

#[test]
fn a_beacon_says_who_why_and_about_what() {
    let text = "[GAS TOWN] crew max (rig: a) <- self • 2026-02-25T08:30 • assigned:mol-12\n\nGo.";
    let beacon = read_beacon(text).unwrap();
    assert_eq!((beacon.recipient, beacon.sender), ("crew max (rig: a)", "self"));
    assert_eq!(beacon.time, Some("2026-02-25T08:30"));
    assert_eq!((beacon.topic, beacon.molecule), (Some("assigned"), Some("mol-12")));
    assert_eq!(read_beacon("[GAS TOWN] crew max"), None);
}

#[test]
fn the_directory_decides_before_the_message_unless_the_rules_say_otherwise() {
    let beacon = "[GAS TOWN] refinery (rig: alpha) <- deacon • 2026-02-25T08:30 • start";
    let cwd = "/home/u/gt/alpha/mayor/rig";
    let marker = Some("GAS TOWN role:alpha/refinery pid:12");
    let decided = |found: Option<RoleFinding>| {
        let found = found.unwrap();
        (words(&found), found.source, found.confidence, found.conflict)
    };
    let mayor = ("mayor alpha -".to_owned(), RoleSource::Directory, Confidence::Low, true);
    assert_eq!(decided(by_itself(cwd, Some(beacon), None)), mayor);
    assert_eq!(decided(by_itself(cwd, Some(beacon), marker)), mayor);
    let refinery = |source| ("refinery alpha -".to_owned(), source, Confidence::Low, true);
    assert_eq!(decided(by_message(cwd, Some(beacon), None)), refinery(RoleSource::Beacon));
    assert_eq!(decided(by_message(cwd, Some(beacon), marker)), refinery(RoleSource::Prime));
    // Where both say the same, it is sure, and without a sign in the directory the message decides.
    let cwd = "/home/u/gt/alpha/refinery/rig";
    let sure = |source| ("refinery alpha -".to_owned(), source, Confidence::High, false);
    assert_eq!(decided(by_itself(cwd, Some(beacon), None)), sure(RoleSource::Directory));
    assert_eq!(decided(by_message(cwd, Some(beacon), None)), sure(RoleSource::Beacon));
    assert_eq!(decided(by_itself("/srv", Some(beacon), None)), sure(RoleSource::Beacon));
    // The patterns of the seed have the same order.
    let first = "[GAS TOWN] deacon <- daemon ...";
    let seed = role_of("/gt/alpha/mayor/rig", Some(first), None, &RoleRules::Seed).unwrap();
    assert_eq!((words(&seed).as_str(), seed.source), ("mayor - -", RoleSource::Directory));
}

#[test]
fn the_marker_beats_the_beacon() {
    let beacon = "[GAS TOWN] refinery (rig: alpha) <- deacon • 2026-02-25T08:30 • start";
    for marker in [
        "x\n[GAS TOWN] role:alpha/polecats/nux pid:12 session:abc\n",
        "GAS TOWN role:alpha/polecats/nux pid:12",
    ] {
        let found = by_itself("/srv", Some(beacon), Some(marker)).unwrap();
        assert_eq!(found.signs.len(), 2);
        assert_eq!(
            (words(&found).as_str(), found.source),
            ("polecat alpha nux", RoleSource::Prime)
        );
        assert!(found.conflict);
    }
    let same = "[GAS TOWN] polecat nux (rig: alpha) <- witness • 2026-02-25T08:30 • start";
    let found = by_itself("/home/u/gt/alpha/polecats/nux/alpha", Some(same), None).unwrap();
    assert!(!found.conflict);
    let talk = "What does `[GAS TOWN] role:` mean? GAS TOWN is a role: I forgot.";
    assert_eq!(by_itself("/srv", Some(talk), None), None);
}

/// What every folder is in a town whose root is known.
const IN_TOWN: [(&str, &str); 22] = [
    ("", "-"),
    ("mayor", "mayor - -"),
    ("mayor/x", "mayor - -"),
    ("mayor/rig", "mayor - -"),
    ("deacon", "deacon - -"),
    ("deacon/x", "deacon - -"),
    ("deacon/dogs", "deacon - -"),
    ("deacon/dogs/boot", "boot - -"),
    ("deacon/dogs/boot/x", "boot - -"),
    ("deacon/dogs/rex", "dog - rex"),
    ("deacon/dogs/rex/alpha", "dog - rex"),
    ("alpha", "-"),
    ("alpha/mayor", "mayor alpha -"),
    ("alpha/mayor/rig", "mayor alpha -"),
    ("alpha/witness", "witness alpha -"),
    ("alpha/witness/rig", "witness alpha -"),
    ("alpha/refinery/rig/src", "refinery alpha -"),
    ("alpha/polecats", "-"),
    ("alpha/polecats/nux/alpha", "polecat alpha nux"),
    ("alpha/crew", "-"),
    ("alpha/crew/deacon/x", "crew alpha deacon"),
    ("alpha/src/crew/max", "-"),
];

#[test]
fn in_a_known_town_every_folder_is_right_and_sure() {
    let home = tempfile::tempdir().unwrap();
    let town = home.path().join("mayor/gt");
    fs_err::create_dir_all(&town).unwrap();
    let root = town.to_str().unwrap();
    let towns = Towns::named(std::slice::from_ref(&town)).unwrap();
    let finder = RoleFinder { towns, ..RoleFinder::default() };
    for (below, agent) in IN_TOWN {
        let cwd = format!("{root}/{below}");
        let cwd = cwd.trim_end_matches('/');
        let found = finder.find_sighted(&[sighted(cwd, None)], &environment()).remove(0);
        assert_eq!(found.as_ref().map_or("-".to_owned(), words), agent, "{below}");
        if let Some(found) = found {
            assert_eq!(
                (found.source, found.confidence, found.town.as_deref()),
                (RoleSource::Directory, Confidence::High, Some(root)),
                "{below}"
            );
        }
    }
}

#[test]
fn the_marker_that_the_hook_leaves_tells_the_role() {
    let folder = tempfile::tempdir().unwrap();
    let lines = [
        r#"{"type":"session","version":3,"id":"s1","timestamp":"2026-02-03T10:00:00.000Z","cwd":"/srv/shop"}"#,
        r#"{"type":"custom_message","id":"c1","parentId":null,"timestamp":"2026-02-03T10:00:00.500Z","customType":"gastown-mail","content":"[GAS TOWN] role:deacon pid:1","display":false}"#,
        r#"{"type":"custom_message","id":"c2","parentId":"c1","timestamp":"2026-02-03T10:00:00.500Z","customType":"gastown-prime","content":"Context\n[GAS TOWN] role:alpha/polecats/nux pid:7 session:s1\n","display":false}"#,
        r#"{"type":"custom_message","id":"c3","parentId":"c2","timestamp":"2026-02-03T10:00:00.500Z","customType":"gastown-prime","content":"[GAS TOWN] role:mayor pid:1","display":false}"#,
        r#"{"type":"message","id":"u1","parentId":"c3","timestamp":"2026-02-03T10:00:01.000Z","message":{"role":"user","content":"go"}}"#,
        r#"{"type":"message","id":"a1","parentId":"u1","timestamp":"2026-02-03T10:00:02.000Z","message":{"role":"assistant","content":[],"usage":{"input":1,"output":1,"cost":{"total":1}}}}"#,
    ];
    fs_err::write(folder.path().join("s1.jsonl"), lines.join("\n") + "\n").unwrap();
    let origin = Origin::SessionDirFlag;
    let location = Location { path: folder.path().to_owned(), layout: Layout::Flat, origin };
    let store = Store::new(vec![location], &environment());
    let listing = store.list_all();
    let found = RoleFinder::default().find(&listing.sessions, &[None], &environment()).remove(0);
    let found = found.unwrap();
    assert_eq!((words(&found).as_str(), found.source), ("polecat alpha nux", RoleSource::Prime));
    let spent: Vec<_> = store.ledger().sessions.into_iter().map(|session| session.role).collect();
    assert_eq!(spent, [Some("polecat".to_owned())]);
}

#[test]
fn a_town_that_a_beacon_gives_away_makes_directories_sure() {
    let beacon = "[GAS TOWN] deacon <- daemon • 2026-02-25T08:30 • patrol";
    let sessions = [
        sighted("/home/u/gt/deacon", Some(beacon)),
        sighted("/home/u/gt/alpha/crew/max", None),
        sighted("/home/u/gt/alpha/tools/crew/max", None),
        sighted("/home/u/gtx/alpha/crew/max", None),
        sighted("/home/u/jobs/crew/app", None),
    ];
    let found = RoleFinder::default().find_sighted(&sessions, &environment());
    let sure = |at: usize| found[at].as_ref().map(|found| found.confidence);
    assert_eq!(sure(1), Some(Confidence::High));
    assert_eq!(sure(2), None, "in a town only its layout counts");
    assert_eq!(sure(3), Some(Confidence::Low));
    assert_eq!(sure(4), Some(Confidence::Low));
}

#[test]
fn towns_are_known_by_their_mark_and_by_name() {
    let home = tempfile::tempdir().unwrap();
    let town = home.path().join("gt");
    fs_err::create_dir_all(town.join("mayor")).unwrap();
    fs_err::write(town.join("mayor/town.json"), "{}").unwrap();
    let events = concat!(
        r#"{"type":"session_start","actor":"alpha/crew/gus","payload":{"session_id":"s1","cwd":"/x"}}"#,
        "\nno json\n",
        r#"{"type":"session_end","actor":"alpha/crew/max","payload":{"session_id":"s2"}}"#,
        "\n",
        r#"{"type":"session_start","actor":"mayor","session_id":"s3"}"#,
    );
    fs_err::write(town.join(".events.jsonl"), events).unwrap();
    let crew = town.join("alpha/crew/max");
    let crew = crew.to_str().unwrap();
    let ask = |finder: &RoleFinder, home: &std::path::Path, session_id| {
        let environment = Environment::new(home, "/srv", || 0, |_| {});
        let session = Sighted { session_id, ..sighted(crew, None) };
        finder.find_sighted(&[session], &environment).remove(0).unwrap()
    };
    let unnamed = RoleFinder::default();
    let found = ask(&unnamed, home.path(), "s1");
    assert_eq!((found.source, found.confidence), (RoleSource::Directory, Confidence::High));
    let elsewhere = ask(&unnamed, &home.path().join("other"), "s1");
    assert_eq!(elsewhere.confidence, Confidence::Low, "outside of home nothing is looked at");
    let named = RoleFinder {
        towns: Towns::named(std::slice::from_ref(&town)).unwrap(),
        ..RoleFinder::default()
    };
    let found = ask(&named, &home.path().join("other"), "s1");
    assert_eq!((words(&found).as_str(), found.source), ("crew alpha max", RoleSource::Directory));
    assert!(found.conflict && !found.is_certain(), "the events tell of another crew");
    let named = RoleFinder { rules: RoleRules::MessageFirst, ..named };
    let found = ask(&named, &home.path().join("other"), "s1");
    assert_eq!((words(&found).as_str(), found.source), ("crew alpha gus", RoleSource::Events));
    assert!(found.conflict, "the directory is another crew's");
    assert_eq!(ask(&named, home.path(), "s3").role.to_string(), "mayor");
    assert_eq!(ask(&named, home.path(), "s2").source, RoleSource::Directory);
    assert!(Towns::named(&[PathBuf::from("/nowhere/gt")]).is_err());
}

#[test]
fn forks_and_subagents_inherit() {
    let beacon = "[GAS TOWN] crew max (rig: alpha) <- human • 2026-02-25T08:30 • start";
    let child = |parent| Sighted { parent, ..sighted("/srv/project", None) };
    let sessions = [
        child(Some(2)),
        sighted("/srv/project", Some(beacon)),
        child(Some(1)),
        Sighted { parent: Some(1), ..sighted("/home/u/gt/alpha/witness", None) },
        // A circle and a parent that is not there.
        child(Some(5)),
        child(Some(4)),
        child(Some(99)),
    ];
    let found = RoleFinder::default().find_sighted(&sessions, &environment());
    for at in [0, 2] {
        let found = found[at].as_ref().unwrap();
        assert_eq!(
            (words(found).as_str(), found.source),
            ("crew alpha max", RoleSource::Inherited)
        );
        assert!(found.is_certain() && !found.conflict);
    }
    let own = found[3].as_ref().unwrap();
    assert_eq!((own.role.to_string().as_str(), own.signs.len()), ("witness", 2));
    assert!(found[4].is_none() && found[5].is_none() && found[6].is_none());
}
