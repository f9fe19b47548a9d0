//! Keys are sent to the one they are for and appear nowhere else.

use pitree_host::auth::{ApiKey, Auth, Credentials};
use pitree_host::models::Models;
use pitree_host::settings::Config;
use pitree_host::summarizer::{Api, SummarizerOptions, select};
use pitree_session::Environment;
use pitree_testkit::{MockModel, MockReply};

use crate::summarizers::{KEY, ask, failure, impatient, target};

#[test]
fn a_server_that_repeats_the_key_cannot_make_us_show_it() {
    let body = format!("{{\"error\":{{\"message\":\"Incorrect API key: {KEY}\\u001b[31m\"}}}}");
    let reply = MockReply::Status { code: 401, body, retry_after: None };
    let model = MockModel::start([reply]).unwrap();
    let message = failure(&impatient(target(Api::OpenAi, model.openai_url())));
    assert!(message.contains("Incorrect API key: [hidden]"), "{message}");
    assert!(!message.contains(KEY) && !message.contains('\u{1b}'), "{message}");
}

#[test]
fn a_server_that_repeats_the_key_in_its_summary_cannot_make_us_store_it() {
    let reply = MockReply::text(format!("The user's key is {KEY}, and the title is pitree-title."));
    let model = MockModel::start([reply.clone(), reply]).unwrap();
    let mut target = target(Api::OpenAi, model.openai_url());
    for (name, value) in [("x-title", "pitree-title"), ("x-api-key", KEY)] {
        target.auth.headers.push((name.to_owned(), ApiKey::new(value)));
    }
    let text = ask(&impatient(target)).unwrap().text;
    assert_eq!(text, "The user's key is [hidden], and the title is pitree-title.");
}

#[test]
fn a_key_that_cannot_be_sent_is_not_shown() {
    let mut target = target(Api::OpenAi, "http://127.0.0.1:9/v1");
    target.auth = Auth::of_key("sk-bad\nkey-77");
    let summarizer = impatient(target);
    let message = failure(&summarizer);
    let shown = format!("{message} {summarizer:?}");
    assert!(!shown.contains("sk-bad") && !shown.contains("key-77"), "{shown}");
}

#[test]
fn nothing_that_can_be_printed_holds_a_key() {
    let home = tempfile::tempdir().unwrap();
    let agent = home.path().join(".pi/agent");
    fs_err::create_dir_all(&agent).unwrap();
    fs_err::create_dir_all(home.path().join(".config/pitree")).unwrap();
    let auth = format!(r#"{{"openai":{{"type":"api_key","key":"{KEY}-1"}}}}"#);
    fs_err::write(agent.join("auth.json"), auth).unwrap();
    let models = format!(
        r#"{{"providers":{{"own":{{"baseUrl":"http://u:{KEY}-5@127.0.0.1:1/v1?k={KEY}-6","api":"openai-completions",
            "apiKey":"{KEY}-2","headers":{{"x-secret":"{KEY}-3"}},"models":[{{"id":"m"}}]}}}}}}"#
    );
    fs_err::write(agent.join("models.json"), models).unwrap();
    let config = format!(r#"{{"summarizer":{{"model":"own/m","key":"{KEY}-4"}}}}"#);
    fs_err::write(home.path().join(".config/pitree/config.json"), config).unwrap();
    let environment = Environment::new(home.path(), home.path(), || 0, |_| {})
        .with_var("PITREE_SUMMARIZER_KEY", &format!("{KEY}-7"));
    let models = Models::load(&environment).unwrap();
    let choice = select(&SummarizerOptions::default(), &environment, None).unwrap().unwrap();
    let options = SummarizerOptions { key: Some(ApiKey::new(KEY)), ..Default::default() };
    let shown = [
        format!("{:?}", Credentials::load(&environment).unwrap()),
        format!("{:?}", Config::load(&environment).unwrap()),
        format!("{:?}", models.auth(models.find("own", "m").unwrap(), &environment).unwrap()),
        format!("{choice} {choice:?} {options:?} {environment:?}"),
    ];
    for text in shown {
        assert!(!text.contains(KEY), "{text}");
    }
}

#[test]
fn damaged_files_are_named_without_their_content() {
    let home = tempfile::tempdir().unwrap();
    let agent = home.path().join(".pi/agent");
    fs_err::create_dir_all(&agent).unwrap();
    let environment = Environment::new(home.path(), home.path(), || 0, |_| {});
    let broken = [
        (format!("{{\n  \"openai\": {{\"type\": \"api_key\", \"key\": \"{KEY}\n"), "line 2"),
        (format!("[\"{KEY}\"]"), "must contain a JSON object"),
        (format!(r#"{{"openai": "{KEY}"}}"#), "openai"),
        (format!(r#"{{"openai": {{"type": "api_key", "key": ["{KEY}"]}}}}"#), "openai"),
        (format!(r#"{{"openai": {{"type": "{KEY}"}}}}"#), "openai"),
    ];
    for (text, place) in broken {
        fs_err::write(agent.join("auth.json"), &text).unwrap();
        let error = Credentials::load(&environment)
            .and_then(|credentials| credentials.auth("openai", None, &environment))
            .unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(shown.contains("auth.json") && shown.contains(place), "{shown}");
        assert!(!shown.contains(KEY), "{shown}");
    }
}
