//! Sessions that no Pi would write: random ones, old ones, with odd and missing members.
//!
//! Here Pi does not send anything: its own provider is asked what it would send.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use pitree_extract::request::{self, CacheRetention, Request, RequestSettings};
use pitree_format::Value;
use pitree_format::js::{parse, stringify};
use pitree_session::{Environment, Session};
use pitree_testkit::{
    GeneratedSession, Oracle, PiVersion, Rng, session, session_v2, working_session,
};
use serde_json::json;

use crate::odd::{with_odd_ids, with_odd_texts};
use crate::requests::compare::assert_same;

/// Members of `compat` that change a request.
const FLAGS: [&str; 9] = [
    "supportsDeveloperRole",
    "requiresToolResultName",
    "requiresAssistantAfterToolResult",
    "requiresThinkingAsText",
    "requiresReasoningContentOnAssistantMessages",
    "supportsStrictMode",
    "supportsMidConvoSystemMessages",
    "supportsMidConvoToolAdditions",
    "supportsLongCacheRetention",
];

type Generator = fn(u64) -> GeneratedSession;

#[test]
fn random_sessions_give_the_requests_of_pis_provider() {
    if !pitree_testkit::has_pi("random_sessions_give_the_requests_of_pis_provider") {
        return;
    }
    let mut oracle = Oracle::start(PiVersion::Current).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let generators: [Generator; 3] = [session, session_v2, working_session];
    let (mut compared, mut refused) = (0, 0);
    for case in 0..crate::requests::cases(60) {
        let seed = pitree_testkit::seed() + case;
        let generator = generators[(case % 3) as usize];
        let path = folder.path().join(format!("{seed}.jsonl"));
        let bytes = generator(seed).bytes;
        let bytes = match case % 4 {
            1 => with_odd_texts(&bytes, seed),
            3 => with_odd_ids(&bytes),
            _ => bytes,
        };
        fs_err::write(&path, bytes).unwrap();
        let (equal, thrown) = compare(&mut oracle, &path, seed);
        compared += equal;
        refused += thrown;
    }
    println!("requests of random sessions: {compared} equal, {refused} that Pi cannot make");
    assert!(compared > 100 && refused < compared, "too few: {compared} against {refused}");
}

/// Real files: `PITREE_FILES` names a folder, and every session below it is compared. Those that
/// are no session of Pi's are counted.
#[test]
fn given_files_give_the_requests_of_pis_provider() {
    let Some(folder) = std::env::var_os("PITREE_FILES") else { return };
    let mut oracle = Oracle::start(PiVersion::Current).unwrap();
    let (mut compared, mut refused, mut no_session) = (0, 0, 0);
    let mut folders = vec![PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        for entry in fs_err::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "jsonl") {
                let is_session = Session::open(&path, &environment()).is_ok();
                no_session += usize::from(!is_session);
                let counts = if is_session { compare(&mut oracle, &path, 1) } else { (0, 0) };
                compared += counts.0;
                refused += counts.1;
            }
        }
    }
    println!(
        "given files: {compared} requests equal, {refused} that Pi cannot make, \
         {no_session} files that are no session"
    );
}

fn environment() -> Environment {
    Environment::new("/home/ana", "/srv/shop", || 0, |_| {})
}

/// How many requests came out the same, and of how many Pi could make nothing.
fn compare(oracle: &mut Oracle, path: &Path, seed: u64) -> (usize, usize) {
    let session = Session::open(path, &environment()).unwrap();
    let mut rng = Rng::new(seed);
    let mut models = BTreeMap::new();
    let mut replies = Vec::new();
    for entry in session.entries() {
        let Some(message) = entry.message().unwrap() else { continue };
        let is_reply = entry.is_message(pitree_format::Role::Assistant);
        // Of entries with the same id only the last can be asked for.
        let is_last = session.entry(entry.id()).is_some_and(|it| it.index() == entry.index());
        if !is_reply || !is_last || entry.has_made_up_id() {
            continue;
        }
        let name = |key: &str| message.get_string(key).map(ToString::to_string).unwrap_or_default();
        let key = (name("provider"), name("model"));
        let model = models.entry(key.clone()).or_insert_with(|| model(&mut rng, &key)).clone();
        let mut asked = model;
        asked["api"] = json!(name("api"));
        replies.push(json!({ "id": entry.id(), "model": asked }));
    }
    let retention = rng.pick(&[CacheRetention::Short, CacheRetention::Long, CacheRetention::None]);
    let word = format!("{retention:?}").to_lowercase();
    let ask = json!({ "op": "requests", "path": path, "replies": replies, "cacheRetention": word });
    let answer = parse(oracle.ask(&ask.to_string()).unwrap().as_bytes()).unwrap();
    let bodies = answer.get("bodies").and_then(Value::as_array);
    let bodies = bodies.unwrap_or_else(|| panic!("seed {seed}: {}", stringify(&answer)));
    let models = models.values().map(|model| parse(model.to_string().as_bytes()).unwrap());
    let mut settings = RequestSettings::new(models);
    settings.cache_retention = retention;
    let together: HashMap<String, Request> = request::everywhere(&session, &settings)
        .map(|request| request.map(|request| (request.reply.clone(), request)).unwrap())
        .collect();
    let mut counts = (0, 0);
    for (reply, body) in replies.iter().zip(bodies) {
        if body.get("throws").is_some() {
            counts.1 += 1;
            continue;
        }
        let id = reply["id"].as_str().unwrap();
        let request = request::for_reply(&session, id, &settings).unwrap();
        assert_same(&request, body, path);
        assert_same(&together[id], body, path);
        assert_same(&in_pieces(&session, id, &settings), body, path);
        counts.0 += 1;
    }
    counts
}

/// The same request made message by message.
fn in_pieces(session: &Session, id: &str, settings: &RequestSettings) -> Request {
    let mut messages = Vec::new();
    let request = request::each_message(session, id, settings, |message| {
        messages.push(message);
        Ok::<_, request::RequestError>(())
    });
    Request { messages, ..request.unwrap() }
}

fn model(rng: &mut Rng, (provider, id): &(String, String)) -> serde_json::Value {
    let mut compat = serde_json::Map::new();
    for flag in FLAGS {
        if rng.chance(30) {
            compat.insert(flag.to_owned(), json!(rng.chance(60)));
        }
    }
    if rng.chance(20) {
        compat.insert("cacheControlFormat".to_owned(), json!("anthropic"));
    }
    let address =
        rng.pick(&["http://127.0.0.1/v1", "https://api.deepseek.com", "https://api.x.ai"]);
    json!({
        "provider": provider, "id": id, "name": id, "baseUrl": address,
        "reasoning": rng.chance(50), "compat": compat, "contextWindow": 128_000,
        "maxTokens": 16_384, "cost": { "input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0 },
        "input": if rng.chance(50) { json!(["text"]) } else { json!(["text", "image"]) },
    })
}
