//! The same data set from every engine.

use pitree_extract::format::FORMATS;
use pitree_extract::request::{CacheRetention, RequestSettings};
use pitree_extract::{
    Context, Dedupe, ExtractOptions, FilteredBy, FormatName, LeftOut, Noise, OutputLayout, Paths,
    Quality, Reasoning, SampleOptions, Selection, Shards, Unit,
};
use pitree_format::js::parse;

use super::engine::{Engine, Wanted, store};

/// Everything that is compared between sessions.
fn thorough(options: ExtractOptions) -> ExtractOptions {
    let quality =
        Quality { dedupe: Dedupe::Mark, validation: Some(0.3), cap: Some(3), ..Quality::default() };
    ExtractOptions { quality, ..options }
}

#[test]
fn any_shards_in_any_order_with_any_losses_give_the_data_set_of_one_machine() {
    let (mut most_rounds, mut losses) = (0, 0);
    for seed in 0..4 {
        let store = store(seed, 14);
        let mut wanted = Wanted::redacted(&store, FormatName::Chat);
        if seed % 2 == 1 {
            wanted.options = thorough(wanted.options);
            wanted.options.output.shards = Shards::Count(3);
        }
        let (expected, told) = wanted.run();
        for shards in [1, 7, 64] {
            let mut engine = Engine::new(&wanted, shards, &format!("work{shards}"), seed * 10);
            let (made, report) = engine.extract(&store.root().join(format!("out{shards}")));
            assert!(made == expected, "seed {seed}, {shards} shards: {:?}", made.keys());
            assert_eq!(format!("{report:?}"), format!("{told:?}"), "seed {seed}, {shards} shards");
            most_rounds = most_rounds.max(engine.rounds);
            losses += engine.losses;
        }
    }
    assert!(most_rounds >= 3, "no more than {most_rounds} rounds: no secrets or no copies");
    assert!(losses > 20, "only {losses} results have got lost");
}

#[test]
fn without_redaction_marks_and_keys_are_rounds_too() {
    let store = store(5, 16);
    let wanted = Wanted::bare(&store, FormatName::Chat);
    let (expected, _) = wanted.run();
    let mut rounds = 0;
    for shards in [1, 5] {
        let mut engine = Engine::new(&wanted, shards, &format!("work{shards}"), 3);
        let (made, _) = engine.extract(&store.root().join(format!("out{shards}")));
        assert!(made == expected, "{shards} shards");
        rounds = rounds.max(engine.rounds);
    }
    assert!(rounds > 1, "no session was worked on again");
}

/// So little memory that what sessions have in common is sorted on disk, record by record.
#[test]
fn however_little_memory_reduce_has_the_data_set_is_the_same() {
    for (seed, dedupe, is_redacted) in
        [(10, Dedupe::Mark, true), (11, Dedupe::Drop, false), (12, Dedupe::Exact, true)]
    {
        let store = store(seed, 14);
        let mut wanted = match is_redacted {
            true => Wanted::redacted(&store, FormatName::Chat),
            false => Wanted::bare(&store, FormatName::Chat),
        };
        wanted.options = thorough(wanted.options);
        wanted.options.quality.dedupe = dedupe;
        wanted.options.output.shards = Shards::Count(2);
        let (expected, told) = wanted.run();
        for memory in [0, 5_000] {
            let mut engine = Engine::new(&wanted, 3, &format!("work{memory}"), seed);
            engine.memory = Some(memory);
            let (made, report) = engine.extract(&store.root().join(format!("out{memory}")));
            assert!(made == expected, "{dedupe:?} with {memory} bytes: {:?}", made.keys());
            assert_eq!(format!("{report:?}"), format!("{told:?}"), "{dedupe:?}, {memory} bytes");
            assert!(engine.rounds > 1, "no session was worked on again");
        }
        if dedupe == Dedupe::Mark {
            assert!(expected.keys().any(|name| name.ends_with("duplicates.jsonl")), "no twins");
        }
    }
}

#[test]
fn every_format_is_the_same_in_stages() {
    let store = store(6, 6);
    for format in FORMATS {
        let mut wanted = Wanted::redacted(&store, format);
        for shards in [Shards::One, Shards::Count(4)] {
            wanted.options.output = OutputLayout { shards, ..OutputLayout::default() };
            let (expected, told) = wanted.run();
            let name = format!("{format}-{}", if shards == Shards::One { "one" } else { "four" });
            let mut engine = Engine::new(&wanted, 3, &format!("work-{name}"), 1);
            engine.is_unlucky = false;
            let (made, report) = engine.extract(&store.root().join(&name));
            assert!(made == expected, "{name}: {:?}\n{:?}", made.keys(), expected.keys());
            assert_eq!(report.samples, told.samples, "{name}");
        }
    }
}

#[test]
fn what_is_added_after_planning_is_not_read() {
    let store = store(7, 6);
    let wanted = Wanted::redacted(&store, FormatName::Chat);
    let (expected, _) = wanted.run();
    let mut engine = Engine::new(&wanted, 3, "work", 1);
    for entry in fs_err::read_dir(store.root().join("sessions")).unwrap() {
        let path = entry.unwrap().path();
        let mut text = fs_err::read(&path).unwrap();
        let more = crate::runs::common::entry_text("zz", "\"a4\"", "assistant", "too late");
        text.extend_from_slice(more.as_bytes());
        fs_err::write(&path, text).unwrap();
    }
    let (made, _) = engine.extract(&store.root().join("out"));
    assert!(made == expected, "something later is in it");
}

#[test]
fn the_list_of_redactions_is_that_of_a_run() {
    let store = store(8, 6);
    let mut wanted = Wanted::redacted(&store, FormatName::Chat);
    let [by_run, by_stages] = ["run.jsonl", "stages.jsonl"].map(|name| store.root().join(name));
    wanted.options.redactions = Some(by_run.clone());
    wanted.run();
    let mut engine = Engine::new(&wanted, 4, "work", 2);
    let decided = engine.decide();
    let executor = engine.executor();
    (0..decided.shards).for_each(|shard| drop(executor.assemble(&decided, shard).unwrap()));
    let publish = pitree_extract::stages::Publish {
        folder: store.out(),
        redactions: Some(by_stages.clone()),
        ..Default::default()
    };
    executor.publish(&decided, &publish).unwrap();
    let expected = fs_err::read_to_string(by_run).unwrap();
    assert!(expected.lines().count() >= 3, "{expected}");
    assert_eq!(fs_err::read_to_string(by_stages).unwrap(), expected);
}

/// A data set that differs with every setting that it has.
#[test]
fn every_setting_reaches_whoever_works_on_the_plan() {
    let store = store(9, 12);
    let mut wanted = Wanted::redacted(&store, FormatName::OpenAi);
    let selection = Selection { paths: Paths::All, context: Context::AsSent, unit: Unit::Request };
    let model = br#"{"provider":"anthropic","id":"claude","api":"anthropic-messages",
        "input":["text","image"],"reasoning":true,"compat":{"supportsDeveloperRole":true}}"#;
    let tool = parse(br#"{"name":"look","description":"\ud800","parameters":{}}"#).unwrap();
    let mut settings = RequestSettings::new([parse(model).unwrap()]);
    settings.block_images = true;
    settings.cache_retention = CacheRetention::Long;
    settings.system_prompt = Some("Be brief.".to_owned());
    settings.tools = vec![tool];
    wanted.options.form.samples = SampleOptions { selection, settings };
    wanted.options.form.reasoning = Reasoning::Drop;
    wanted.options.quality = Quality {
        dedupe: Dedupe::Drop,
        validation: Some(0.1 + 0.2),
        tool_limit: Some(30),
        mask_altered: true,
        count_tokens: true,
        max_tokens: Some(500),
        cap: Some(7),
        tokenizer: None,
    };
    wanted.options.drop_noise = Noise::ALL.into_iter().collect();
    wanted.options.command = "pitree extract it's".to_owned();
    wanted.options.skipped = [(FilteredBy::Since, 3)].into();
    let gone = LeftOut::Unreadable("gone".to_owned());
    wanted.options.no_sessions = vec![("/srv/gone.jsonl".into(), gone)];
    let (expected, told) = wanted.run();
    let mut engine = Engine::new(&wanted, 3, "work", 1);
    let (made, report) = engine.extract(&store.root().join("out"));
    assert!(made == expected, "{:?}", made.keys());
    assert_eq!(format!("{report:?}"), format!("{told:?}"));
    assert!(report.samples > 5, "{report:?}");
}
