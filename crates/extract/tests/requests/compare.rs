//! Requests made again, beside those that Pi sent.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use pitree_extract::request::{self, Note, Request, RequestSettings};
use pitree_extract::{About, Context, Paths, Sample, Selection, Unit, Wire, samples};
use pitree_format::js::{parse, stringify};
use pitree_format::{JsString, Value};
use pitree_host::models::{Model, Models};
use pitree_session::{Environment, Session};

use crate::coverage::{Coverage, Seen};
use crate::recording::{Recording, Sent};

/// The error of a reply that was stopped before anything was sent.
const STOPPED: &str = "This operation was aborted";

/// What became of the requests of all recordings.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) sent: usize,
    /// Requests that are samples, all of them the same as Pi's.
    pub(crate) samples: usize,
    /// Replies that were compared; those that a fork copied count again.
    pub(crate) comparisons: usize,
    /// Replies without a request.
    pub(crate) never_sent: usize,
    /// Requests that are no samples, by the reason.
    pub(crate) left_out: BTreeMap<String, usize>,
    pub(crate) coverage: Coverage,
}

impl Tally {
    /// Compares all that a script left behind.
    pub(crate) fn add(&mut self, recording: &Recording) {
        let settings = settings(recording);
        let mut found = vec![Found::Nothing; recording.sent.len()];
        for file in recording.files() {
            self.compare_file(&file, recording, &settings, &mut found);
        }
        self.sent += found.len();
        for (sent, found) in recording.sent.iter().zip(found) {
            let left_out = match found {
                Found::Sample => {
                    self.samples += 1;
                    continue;
                }
                Found::NoSample(reason) => format!("reply that ended with {reason}"),
                Found::Nothing => {
                    let of = sent.summary.unwrap_or_else(|| panic!("no reply to {}", sent.body));
                    format!("summary of {of}")
                }
            };
            *self.left_out.entry(left_out).or_default() += 1;
        }
    }

    fn compare_file(
        &mut self,
        file: &Path,
        recording: &Recording,
        settings: &RequestSettings,
        found: &mut [Found],
    ) {
        let session = Session::open(file, &environment(recording)).unwrap();
        let samples = samples_of(&session, settings);
        for request in request::everywhere(&session, settings) {
            let request = request.unwrap();
            let reply = session.require(&request.reply).unwrap();
            let message = reply.message().unwrap().unwrap();
            let Some(at) = answered_by(&message, &recording.sent) else {
                // Pi also stores a reply where it was stopped before it asked.
                let is_stop = message.get_string("errorMessage").is_some_and(|it| *it == *STOPPED);
                assert!(is_stop, "nothing was sent for {}", stringify(&message));
                assert_eq!(request.notes, [Note::NoAnswer]);
                self.never_sent += 1;
                continue;
            };
            let sent = parse(recording.sent[at].body.as_bytes()).unwrap();
            assert_same(&request, &sent, file);
            let alone = request::for_reply(&session, &request.reply, settings).unwrap();
            assert_same(&alone, &sent, file);
            assert!(
                request.notes.iter().all(|note| *note == Note::NoAnswer),
                "{:?}",
                request.notes
            );
            assert_eq!(request.transcript, alone.transcript);
            self.coverage.add(&Seen::new(&session, reply, &request, &sent));
            self.comparisons += 1;
            if let Some(wire) = samples.get(&request.reply) {
                assert_same_body(&wire.messages, wire.tools.as_ref(), &request, &sent, file);
                found[at] = Found::Sample;
            } else if found[at] == Found::Nothing {
                let reason = message.get_string("stopReason").unwrap();
                found[at] = Found::NoSample(reason.to_string());
            }
        }
    }
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Found {
    /// No file has a reply to it.
    Nothing,
    /// Its reply is in a file, but is nothing to learn from: why it ended.
    NoSample(String),
    /// It is a sample.
    Sample,
}

/// The bodies of all samples of one request each, by the id of the reply.
fn samples_of(session: &Session, settings: &RequestSettings) -> HashMap<String, Wire> {
    let about = Arc::new(About { session_id: session.id(), ..About::default() });
    let selection = Selection { paths: Paths::All, context: Context::AsSent, unit: Unit::Request };
    let mut found = HashMap::new();
    let take = &mut |sample: Sample| {
        let (_, reply) = sample.id.split_once(':').unwrap();
        found.insert(reply.to_owned(), sample.wire.unwrap());
        Ok(())
    };
    samples(session, &about, selection, settings, take).unwrap();
    found
}

fn environment(recording: &Recording) -> Environment {
    let home = recording.home.path();
    let environment = Environment::new(home, home.join("work"), || 0, |_| {});
    environment.with_var("PI_CODING_AGENT_DIR", recording.agent().to_str().unwrap())
}

/// The models as pitree reads them from Pi's files.
fn settings(recording: &Recording) -> RequestSettings {
    let models = Models::load(&environment(recording)).unwrap();
    assert!(models.problems().is_empty(), "{:?}", models.problems());
    let mut settings = RequestSettings::new(models.all().iter().map(Model::to_value));
    settings.block_images = recording.block_images;
    settings
}

/// The request that a reply answers: it carries the name, in its id or in the error.
fn answered_by(message: &Value, sent: &[Sent]) -> Option<usize> {
    let names = ["responseId", "errorMessage"].map(|key| message.get_string(key));
    let names: Vec<String> = names.into_iter().flatten().map(JsString::to_string).collect();
    sent.iter().position(|sent| names.iter().any(|name| name.contains(&sent.name)))
}

/// The same messages and tools, with the same members in the same order.
pub(crate) fn assert_same(request: &Request, sent: &Value, file: &Path) {
    assert_same_body(&request.messages, request.tools.as_ref(), request, sent, file);
}

fn assert_same_body(
    messages: &[Arc<Value>],
    tools: Option<&Arc<Vec<Value>>>,
    request: &Request,
    sent: &Value,
    file: &Path,
) {
    let expected = sent.get("messages").and_then(Value::as_array).unwrap();
    for at in 0..messages.len().max(expected.len()) {
        let text = |message: Option<&Value>| message.map_or("nothing".to_owned(), stringify);
        let (ours, pis) = (text(messages.get(at).map(Arc::as_ref)), text(expected.get(at)));
        assert!(
            ours == pis,
            "{}: message {at} of the request for {} ({}/{})\n  Pi: {pis}\nours: {ours}",
            file.display(),
            request.reply,
            request.provider,
            request.model,
        );
    }
    assert_eq!(
        tools.map(|tools| stringify(&tools.to_vec().into())),
        sent.get("tools").map(stringify),
        "tools of the request for {} in {}",
        request.reply,
        file.display()
    );
}
