//! Requests made again, beside those that Pi sent.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use pitree_extract::request::{self, Note, Request, RequestSettings};
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
    /// Requests whose reply was found and that came out the same.
    pub(crate) equal: usize,
    /// Replies that were compared; those that a fork copied count again.
    pub(crate) comparisons: usize,
    /// Replies without a request.
    pub(crate) never_sent: usize,
    /// Requests without a reply in a session, by what they were for.
    pub(crate) without_reply: BTreeMap<&'static str, usize>,
    pub(crate) coverage: Coverage,
}

impl Tally {
    /// Compares all that a script left behind.
    pub(crate) fn add(&mut self, recording: &Recording) {
        let settings = settings(recording);
        let mut found = vec![false; recording.sent.len()];
        for file in recording.files() {
            self.compare_file(&file, recording, &settings, &mut found);
        }
        self.sent += found.len();
        self.equal += found.iter().filter(|found| **found).count();
        for (sent, _) in recording.sent.iter().zip(&found).filter(|(_, found)| !**found) {
            let summary = sent.summary.unwrap_or_else(|| panic!("no reply to {}", sent.body));
            *self.without_reply.entry(summary).or_default() += 1;
        }
    }

    fn compare_file(
        &mut self,
        file: &Path,
        recording: &Recording,
        settings: &RequestSettings,
        found: &mut [bool],
    ) {
        let session = Session::open(file, &environment(recording)).unwrap();
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
            found[at] = true;
        }
    }
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
    let tools = request.tools.as_ref().map(|tools| Value::Array((**tools).clone()));
    assert_eq!(
        tools.as_ref().map(stringify),
        sent.get("tools").map(stringify),
        "tools of the request for {} in {}",
        request.reply,
        file.display()
    );
}
