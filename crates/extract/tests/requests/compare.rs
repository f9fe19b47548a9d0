//! Requests made again, beside those that Pi sent.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use pitree_extract::format::OpenAi;
use pitree_extract::request::{self, Note, Request, RequestSettings};
use pitree_extract::{Context, Format, Paths, SampleOptions, Selection, Unit, samples};
use pitree_format::js::{parse, stringify};
use pitree_format::{JsString, Value};
use pitree_host::models::{Model, Models};
use pitree_session::{Environment, Session};

use crate::requests::coverage::{Coverage, Seen};
use crate::requests::recording::{Recording, Sent};

/// The errors of replies that were stopped before they began, and perhaps before they were asked
/// for. They do not tell which request it was.
const STOPPED: [&str; 2] = ["This operation was aborted", "Request aborted"];

/// What became of the requests of all recordings.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) sent: usize,
    /// Requests that are samples, all of them the same as Pi's.
    pub(crate) samples: usize,
    /// Replies that were compared; those that a fork copied count again.
    pub(crate) comparisons: usize,
    /// Replies that were stopped before they began.
    pub(crate) stopped: usize,
    /// Requests that are no samples, by the reason.
    pub(crate) left_out: BTreeMap<String, usize>,
    pub(crate) coverage: Coverage,
}

impl Tally {
    /// Compares all that a script left behind.
    pub(crate) fn add(&mut self, recording: &Recording) {
        let settings = settings(recording);
        let mut found = vec![Found::Nothing; recording.sent.len()];
        let stopped_before = self.stopped;
        for file in recording.files() {
            self.compare_file(&file, recording, &settings, &mut found);
        }
        self.sent += found.len();
        let mut stopped = 0;
        for (sent, found) in recording.sent.iter().zip(found) {
            let left_out = match found {
                Found::Sample => {
                    self.samples += 1;
                    continue;
                }
                Found::NoSample(reason) => format!("reply that ended with {reason}"),
                Found::Nothing => match sent.summary {
                    Some(of) => format!("summary of {of}"),
                    None => {
                        stopped += 1;
                        "reply that never began".to_owned()
                    }
                },
            };
            *self.left_out.entry(left_out).or_default() += 1;
        }
        let excused = self.stopped - stopped_before;
        assert!(stopped <= excused, "a request has no reply in any file");
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
                let error = message.get_string("errorMessage").map(JsString::to_string);
                let is_stop = error.is_some_and(|error| STOPPED.contains(&error.as_str()));
                assert!(is_stop, "nothing was sent for {}", stringify(&message));
                assert_eq!(request.notes, [Note::NoAnswer]);
                self.stopped += 1;
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
            if let Some(sample) = samples.get(&request.reply) {
                let (_, input) =
                    sample.get("messages").and_then(Value::as_array).unwrap().split_last().unwrap();
                let input: Vec<&Value> = input.iter().collect();
                assert_same_body(&input, sample.get("tools"), &request, &sent, file);
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

/// The samples of one request each, as they are printed, by the id of the reply.
fn samples_of(session: &Session, settings: &RequestSettings) -> HashMap<String, Value> {
    let selection = Selection { paths: Paths::All, context: Context::AsSent, unit: Unit::Request };
    let options = SampleOptions { selection, settings: settings.clone() };
    let mut found = HashMap::new();
    for sample in samples(session, &options) {
        let sample = sample.unwrap();
        let (_, reply) = sample.id.split_once(':').unwrap();
        let line = OpenAi.whole_line(&sample).unwrap();
        found.insert(reply.to_owned(), parse(line.as_bytes()).unwrap());
    }
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
    let messages: Vec<&Value> = request.messages.iter().map(Arc::as_ref).collect();
    let tools = request.tools.as_ref().map(|tools| Value::from((**tools).clone()));
    assert_same_body(&messages, tools.as_ref(), request, sent, file);
}

fn assert_same_body(
    messages: &[&Value],
    tools: Option<&Value>,
    request: &Request,
    sent: &Value,
    file: &Path,
) {
    let expected = sent.get("messages").and_then(Value::as_array).unwrap();
    for at in 0..messages.len().max(expected.len()) {
        let text = |message: Option<&Value>| message.map_or("nothing".to_owned(), stringify);
        let (ours, pis) = (text(messages.get(at).copied()), text(expected.get(at)));
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
        tools.map(stringify),
        sent.get("tools").map(stringify),
        "tools of the request for {} in {}",
        request.reply,
        file.display()
    );
}
