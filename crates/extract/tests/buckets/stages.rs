//! A plan over URLs: machines that share nothing but a work folder give what a run gives, from the
//! objects that were planned and from no others.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use pitree_extract::remote::{Mirrors, ObjectUrl, RemoteOptions, gather};
use pitree_extract::stages::{
    DecidedPlan, Executor, ExtractPlan, Publish, Redaction, Reduced, Settings,
};
use pitree_extract::tables::Counted;
use pitree_extract::{
    Dedupe, ExtractError, ExtractOptions, FormatName, Quality, RemoteProblem, Report, Source, run,
};
use pitree_redact::{Likely, Pseudonyms};
use pitree_store::Store;
use pitree_store::subagents::Relocation;

use super::common::{World, files_below, options};
use crate::runs::common::{
    entry_text, environment, options as extract_options, session_text, source,
};
use crate::stages::engine::{store, tree};

const FOLDER: &str = "m1/--srv-project--";
const RECORD: &str = "subagent-artifacts/run1_scout_0.jsonl";

/// A session that has called a sub-agent, by a path of its own machine.
fn caller() -> String {
    let call = format!(
        r#"{{"type":"message","id":"c3","parentId":"c2","timestamp":"2026-11-15T06:53:16.000Z","message":{{"role":"toolResult","toolCallId":"t1","toolName":"subagent","content":[{{"type":"text","text":"done"}}],"details":{{"mode":"single","results":[{{"agent":"scout","task":"look","exitCode":0,"artifactPaths":{{"jsonlPath":"/home/ana/.pi/agent/sessions/--srv-project--/{RECORD}"}}}}]}},"timestamp":1794725596000}}}}"#
    );
    let called = entry_text("c2", "\"c1\"", "assistant", "I send a scout.").replacen(
        r#"{"type":"text","text":"I send a scout."}"#,
        r#"{"type":"toolCall","id":"t1","name":"subagent","arguments":{}}"#,
        1,
    );
    let end = entry_text("c4", "\"c3\"", "assistant", "It has looked.");
    let begin = session_text("caller", &[("c1", "user", "Look around")]);
    format!("{begin}{called}{call}\n{end}")
}

fn record(found: &str) -> String {
    format!(
        r#"{{"type":"message_end","message":{{"role":"user","content":"look","timestamp":1794725595100}}}}
{{"type":"message_end","message":{{"role":"assistant","content":[{{"type":"text","text":"{found}"}}],"provider":"p","model":"m","stopReason":"stop","timestamp":1794725595200}}}}
"#
    )
}

/// The objects by their names.
fn objects() -> BTreeMap<String, Vec<u8>> {
    let made = store(3, 8);
    let mut objects = BTreeMap::new();
    for (name, bytes) in tree(&made.root().join("sessions")) {
        objects.insert(format!("{FOLDER}/{}", name.display()), bytes);
    }
    let damaged = session_text("damaged", &[("d1", "user", "hello"), ("d2", "assistant", "yes")]);
    objects.insert(format!("{FOLDER}/caller.jsonl"), caller().into_bytes());
    objects.insert(format!("{FOLDER}/damaged.jsonl"), format!("{damaged}{{\n{{}}\n").into_bytes());
    objects.insert(format!("{FOLDER}/empty.jsonl"), Vec::new());
    objects.insert(format!("{FOLDER}/{RECORD}"), record("found it").into_bytes());
    objects
}

fn filled(test: &str) -> Option<World> {
    let world = World::new(test)?;
    objects().iter().for_each(|(name, bytes)| world.put(&format!("fleet/{name}"), bytes));
    Some(world)
}

/// The sessions, with the families that their files do not tell.
fn sources(mirrors: &Mirrors) -> Vec<Source> {
    let with_family = |path: PathBuf| {
        let name = mirrors.original_name(&path).unwrap();
        let mut source = source(path);
        let about = Arc::make_mut(&mut source.about);
        about.source_path = name;
        if let Some((family, _)) = about.session_id.split_once('-')
            && family.starts_with("family")
        {
            about.family_id = family.to_owned();
        }
        source
    };
    mirrors.sessions().into_iter().map(with_family).collect()
}

/// What is to be made of what lies below URLs.
struct Wanted {
    mirrors: Mirrors,
    sources: Vec<Source>,
    options: ExtractOptions,
    redaction: Redaction,
    format: FormatName,
}

impl Wanted {
    fn new(url: &ObjectUrl, format: FormatName, root: &Path, remote: &RemoteOptions) -> Self {
        let mirrors = gather(std::slice::from_ref(url), remote).unwrap().mirrors;
        let sources = sources(&mirrors);
        let key = root.join("sessions.key");
        fs_err::write(&key, "07".repeat(32)).unwrap();
        fs_err::set_permissions(&key, PermissionsExt::from_mode(0o600)).unwrap();
        let redaction =
            Redaction::new(&key, &[], Pseudonyms::default(), Likely::Keep, &environment()).unwrap();
        let files: Vec<PathBuf> = sources.iter().map(|source| source.path.clone()).collect();
        let store = Store::new(Vec::new(), &environment());
        let ledger = store.with_relocation(Arc::new(mirrors.clone())).ledger_and(&files);
        let paths = files.iter().map(PathBuf::as_path);
        let mut options = ExtractOptions {
            guard: redaction.guard(&environment()).unwrap(),
            mirrors: mirrors.clone(),
            redactions: Some(root.join("run.log")),
            quality: Quality { dedupe: Dedupe::Mark, ..Quality::default() },
            ..extract_options(root)
        };
        options.form.counted = Arc::new(Counted::new(&ledger, paths, &mirrors, false));
        Self { mirrors, sources, options, redaction, format }
    }

    fn run(&self, out: &Path) -> Report {
        let form = self.format.prepare(&self.options.form);
        run(&self.sources, &*form, &self.options, out, &environment()).unwrap()
    }

    /// Puts a plan into a work folder.
    fn plan(&self, shards: usize, work: &Path) -> ExtractPlan {
        let redaction = Some(self.redaction.clone());
        let settings =
            Settings::of(&self.options, self.format, redaction, None, &environment()).unwrap();
        let plan = ExtractPlan::over(&self.sources, &self.mirrors, settings, shards).unwrap();
        plan.save(work, &self.options).unwrap();
        plan
    }
}

/// Somebody who has the work folder, and copies of their own.
fn machine(work: &Path, remote: RemoteOptions) -> Executor {
    let text = fs_err::read_to_string(work.join("plan.json")).unwrap();
    let plan = ExtractPlan::from_json(&text).unwrap();
    Executor::new(plan, work, &environment()).unwrap().with_remote(remote).unwrap()
}

/// Everything up to the last stage, by machines that take turns.
fn assembled(machines: &[Executor; 2]) -> DecidedPlan {
    let mut turns = machines.iter().cycle();
    let mut next = || turns.next().unwrap();
    let mut round = next().first_round();
    let decided = loop {
        for shard in 0..round.shards {
            next().map(&round, shard).unwrap();
        }
        match next().reduce(&round).unwrap() {
            Reduced::MapAgain(again) => round = again,
            Reduced::Decided(decided) => break decided,
        }
    };
    assert!(round.number > 0, "no session was worked on again");
    (0..decided.shards).for_each(|shard| drop(next().assemble(&decided, shard).unwrap()));
    decided
}

#[test]
fn machines_that_share_a_work_folder_make_the_data_set_of_a_run() {
    let Some(world) = filled("machines_that_share_a_work_folder") else { return };
    let root = world.root.path();
    for format in [FormatName::Chat, FormatName::Atif, FormatName::Parquet] {
        let name = |what: &str| root.join(format!("{what}-{format}"));
        let wanted = Wanted::new(&world.url("fleet"), format, root, &world.options());
        let out = name("run");
        let told = wanted.run(&out);
        let (expected, log) = (tree(&out), fs_err::read_to_string(root.join("run.log")).unwrap());
        assert!(log.contains("/fleet/m1/--srv-project--/"), "{log}");
        let work = name("work");
        wanted.plan(6, &work);
        drop(wanted);
        // Nothing that the plan was made of is on this machine any more.
        fs_err::remove_dir_all(root.join("cache")).unwrap();
        let remote = |who: &str| RemoteOptions { cache: Some(name(who)), ..world.options() };
        let machines = ["one", "two"].map(|who| machine(&work, remote(who)));
        let decided = assembled(&machines);
        let publish = Publish {
            folder: world.url(&format!("sets/{format}")).to_string().into(),
            redactions: Some(root.join("stages.log")),
            ..Publish::default()
        };
        let report = machines[0].publish(&decided, &publish).unwrap();
        assert_eq!(format!("{report:?}"), format!("{told:?}"), "{format}");
        let prefix = format!("sets/{format}/");
        let names = world.names().into_iter();
        let own = names.filter_map(|name| name.strip_prefix(&prefix).map(PathBuf::from));
        let written: BTreeMap<PathBuf, Vec<u8>> = own
            .map(|own| (own.clone(), world.get(&format!("{prefix}{}", own.display())).unwrap()))
            .collect();
        assert!(written == expected, "{format}: {:?}", written.keys());
        assert_eq!(fs_err::read_to_string(root.join("stages.log")).unwrap(), log, "{format}");
        let all: Vec<u8> = written.into_values().flatten().collect();
        let has_record = memchr::memmem::find(&all, b"found it").is_some();
        assert_eq!(has_record, format == FormatName::Atif, "the sub-agent's record");
        assert!(!told.left_out.is_empty() && !told.damaged.is_empty(), "{told:?}");
    }
}

#[test]
fn a_machine_fetches_what_its_shards_need() {
    let Some(world) = filled("a_machine_fetches_what_its_shards_need") else { return };
    let root = world.root.path();
    let wanted = Wanted::new(&world.url("fleet"), FormatName::Atif, root, &world.options());
    let all = wanted.sources.len();
    wanted.plan(all, &root.join("work"));
    let cache = root.join("one");
    let remote = RemoteOptions { cache: Some(cache.clone()), ..world.options() };
    let machine = machine(&root.join("work"), remote);
    let round = machine.first_round();
    let (mut sessions, mut with_record) = (0, false);
    for shard in 0..round.shards {
        sessions += machine.map(&round, shard).unwrap().sessions;
        let fetched = files_below(&cache).len();
        with_record |= fetched == sessions + 1;
        assert_eq!(fetched, sessions + usize::from(with_record), "shard {shard}");
    }
    assert!(with_record && sessions == all);
}

#[test]
fn a_plan_tells_urls_and_neither_credentials_nor_copies() {
    let Some(world) = filled("a_plan_tells_urls") else { return };
    let root = world.root.path();
    let wanted = Wanted::new(&world.url("fleet"), FormatName::Chat, root, &world.options());
    let json = wanted.plan(2, &root.join("work")).to_json().unwrap();
    for (name, bytes) in objects() {
        let name = name.rsplit('/').next().unwrap().to_owned();
        assert!(json.contains(&name), "{name}");
        assert!(json.contains(&format!("\"bytes\":{}", bytes.len())), "{name}");
    }
    assert!(json.contains(&format!("\"{}/{FOLDER}/caller.jsonl\"", world.url("fleet"))), "{json}");
    assert!(json.contains("\"etag\":"), "{json}");
    let cache = root.join("cache");
    assert!(!json.contains(&*cache.to_string_lossy()), "{json}");
    let secret = |(name, _): &&(String, String)| name.contains("KEY");
    let variables = world.options().variables;
    assert_eq!(variables.iter().filter(secret).count(), 2);
    variables.iter().filter(secret).for_each(|(_, value)| assert!(!json.contains(value), "{json}"));
    // Below two URLs that lie in each other one object has two copies.
    let urls = [world.url("fleet"), world.url("fleet/m1")];
    let mirrors = gather(&urls, &world.options()).unwrap().mirrors;
    let settings = wanted.plan(2, &root.join("work")).settings().clone();
    let twice = ExtractPlan::over(&sources(&mirrors), &mirrors, settings, 2).unwrap_err();
    assert!(twice.to_string().contains("is among the sessions twice"), "{twice}");
}

#[test]
fn an_object_that_has_changed_since_it_was_planned_is_not_read() {
    let Some(world) = filled("an_object_that_has_changed_since") else { return };
    let root = world.root.path();
    let wanted = Wanted::new(&world.url("fleet"), FormatName::Atif, root, &world.options());
    wanted.plan(1, &root.join("work"));
    let changed = |name: &str, bytes: Option<Vec<u8>>| {
        let own = format!("fleet/{FOLDER}/{name}");
        let before = world.get(&own).unwrap();
        match bytes {
            Some(bytes) => world.put(&own, &bytes),
            None => world.server.delete(&world.bucket, &own),
        }
        let cache = tempfile::tempdir().unwrap();
        let remote = || RemoteOptions { cache: Some(cache.path().to_owned()), ..world.options() };
        let one = machine(&root.join("work"), remote());
        let error = one.map(&one.first_round(), 0).unwrap_err();
        let text = error.to_string();
        let url = world.url(&own).to_string();
        assert_eq!(
            text,
            format!("Cannot read {url}: it has changed since the dataset was planned; plan again")
        );
        let ExtractError::Remote(error) = error else { panic!("{text}") };
        assert_eq!(error.problem, RemoteProblem::ChangedSincePlan);
        assert_eq!(tree(&root.join("work/maps")).len(), 0, "nothing of it is kept");
        world.put(&own, &before);
    };
    let same_length = caller().replace("It has looked.", "It was looked.");
    changed("caller.jsonl", Some(same_length.into_bytes()));
    changed("caller.jsonl", Some(format!("{}\n", caller()).into_bytes()));
    changed("caller.jsonl", None);
    // What is only looked for when its session is read is no exception.
    changed(RECORD, Some(record("found xx").into_bytes()));
    changed(RECORD, None);
    // Objects that come later are nobody's.
    world.put(&format!("fleet/{FOLDER}/later.jsonl"), caller().as_bytes());
    let one = machine(&root.join("work"), RemoteOptions { cache: None, ..world.options() });
    let done = one.map(&one.first_round(), 0).unwrap();
    assert_eq!(done.sessions, wanted.sources.len());
}

#[test]
fn a_plan_over_a_folder_needs_no_bucket() {
    let root = tempfile::tempdir().unwrap();
    let root = fs_err::canonicalize(root.path()).unwrap();
    for (name, bytes) in objects() {
        let path = root.join("fleet").join(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, bytes).unwrap();
    }
    let url = ObjectUrl::parse(&format!("file://{}/fleet", root.display())).unwrap();
    let remote = || options(Vec::new(), &root);
    let wanted = Wanted::new(&url, FormatName::Atif, &root, &remote());
    let told = wanted.run(&root.join("run"));
    wanted.plan(4, &root.join("work"));
    let nobody =
        Executor::new(wanted.plan(4, &root.join("work")), &root.join("work"), &environment());
    let nobody = nobody.unwrap();
    let error = nobody.map(&nobody.first_round(), 0).unwrap_err().to_string();
    assert!(error.contains("with_remote"), "{error}");
    let machines = [0, 1].map(|_| machine(&root.join("work"), remote()));
    let decided = assembled(&machines);
    let folder = PathBuf::from(format!("file://{}/set", root.display()));
    let report = machines[1].publish(&decided, &Publish { folder, ..Publish::default() }).unwrap();
    assert_eq!(format!("{report:?}"), format!("{told:?}"));
    assert!(tree(&root.join("set")) == tree(&root.join("run")));
}
