//! The summary of a branch that is left.

use std::sync::{Arc, Mutex};

use pitree_session::summary::{Cancel, Summarizer, SummaryError, SummaryReply, SummaryRequest};

use super::{Home, answer, user, view_of};
use crate::screens::harness::SMALL;

/// Keeps what it was asked.
#[derive(Clone, Default)]
struct Listener(Arc<Mutex<String>>);

impl Summarizer for Listener {
    fn summarize(
        &self,
        request: &SummaryRequest,
        _cancel: &Cancel,
    ) -> Result<SummaryReply, SummaryError> {
        self.0.lock().unwrap().push_str(&request.prompt);
        Ok(SummaryReply { text: "SUMMARY".to_owned(), usage: None })
    }
}

/// What the writer of a summary gets to read, for a model with a window of so many tokens.
fn asked_with_window(tokens: u64) -> String {
    let home = Home::with(&[
        user("where it began"),
        answer("the way in"),
        user(&format!("LONG AGO {}", "words ".repeat(4_000))),
        answer("not long ago"),
        r#""type":"model_change","provider":"mock","modelId":"m1""#.to_owned(),
    ]);
    let models = format!(
        r#"{{"providers":{{"mock":{{"baseUrl":"http://127.0.0.1:9","apiKey":"k","api":"openai-completions","models":[{{"id":"m1","contextWindow":{tokens}}}]}}}}}}"#
    );
    fs_err::create_dir_all(home.path().join(".pi/agent")).unwrap();
    fs_err::write(home.path().join(".pi/agent/models.json"), models).unwrap();
    let listener = Listener::default();
    let mut state = home.state();
    let options = state.live.as_mut().unwrap().options_mut();
    options.summarizer = Some(Arc::new(listener.clone()));
    let mut driven = view_of(state, SMALL);
    driven.type_text("/tree");
    driven.press("Esc Enter Home Down Enter Down Enter");
    driven.wait_for("SUMMARY");
    listener.0.lock().unwrap().clone()
}

#[test]
fn a_summary_is_made_of_as_much_as_the_model_can_read() {
    let asked = asked_with_window(200_000);
    assert!(asked.contains("LONG AGO") && asked.contains("not long ago"));
    let asked = asked_with_window(17_000);
    assert!(!asked.contains("LONG AGO") && asked.contains("not long ago"));
}
