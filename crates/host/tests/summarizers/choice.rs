//! Who is asked: options before variables, variables before settings, settings before Pi's own.

use pitree_host::HostError;
use pitree_host::auth::ApiKey;
use pitree_host::summarizer::{
    Api, ModelName, SummarizerChoice, SummarizerOptions, Target, select,
};
use pitree_session::Environment;
use tempfile::TempDir;

struct Home(TempDir);

impl Home {
    fn new(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, text).unwrap();
        }
        Self(folder)
    }

    fn environment(&self, variables: &[(&str, &str)]) -> Environment {
        let environment = Environment::new(self.0.path(), self.0.path(), || 0, |_| {});
        variables
            .iter()
            .fold(environment, |environment, (name, value)| environment.with_var(name, value))
    }
}

fn target(choice: Option<SummarizerChoice>) -> Target {
    match choice {
        Some(SummarizerChoice::Endpoint(endpoint)) => endpoint.target().clone(),
        other => panic!("{other:?}"),
    }
}

fn key(target: &Target) -> Option<&str> {
    target.auth.key.as_ref().map(ApiKey::reveal)
}

fn options(command: Option<&str>, url: Option<&str>, model: Option<&str>) -> SummarizerOptions {
    let owned = |text: Option<&str>| text.map(str::to_owned);
    SummarizerOptions {
        command: owned(command),
        url: owned(url),
        model: owned(model),
        ..Default::default()
    }
}

const MODELS: (&str, &str) = (
    ".pi/agent/models.json",
    r#"{"providers": {"own": {"baseUrl": "http://127.0.0.1:1/v1", "apiKey": "$OWN_KEY",
        "api": "openai-completions", "headers": {"X-Team": "$TEAM"}, "models": [{"id": "m/1",
        "contextWindow": 4000}]}, "odd": {"baseUrl": "http://127.0.0.1:1", "api": "strange",
        "apiKey": "k", "models": [{"id": "m"}]}, "bearer": {"baseUrl": "http://127.0.0.1:1",
        "api": "anthropic-messages", "apiKey": "k", "authHeader": true, "models": [{"id": "m"}]}}}"#,
);

#[test]
fn nobody_is_asked_if_nobody_is_named() {
    let home = Home::new(&[]);
    let choice = select(&SummarizerOptions::default(), &home.environment(&[]), None).unwrap();
    assert!(choice.is_none());
}

#[test]
fn the_first_that_names_someone_decides() {
    let config = (".config/pitree/config.json", r#"{"summarizer": {"command": "of-config"}}"#);
    let home = Home::new(&[config]);
    let shown = |options: &SummarizerOptions, variables: &[(&str, &str)]| {
        let environment = home.environment(variables);
        select(options, &environment, None).unwrap().unwrap().to_string()
    };
    let none = SummarizerOptions::default();
    assert_eq!(shown(&none, &[]), "the command `of-config`");
    let variable = [("PITREE_SUMMARIZER_COMMAND", "of-variable")];
    assert_eq!(shown(&none, &variable), "the command `of-variable`");
    let option = options(Some("of-option"), None, None);
    assert_eq!(shown(&option, &variable), "the command `of-option`");
    let address = options(None, Some("http://127.0.0.1:2/v1"), Some("m"));
    assert_eq!(shown(&address, &variable), "m at http://127.0.0.1:2/v1");
    let elsewhere = [("XDG_CONFIG_HOME", "/nowhere")];
    assert!(select(&none, &home.environment(&elsewhere), None).unwrap().is_none());
}

#[test]
fn a_key_goes_only_where_it_belongs() {
    let home = Home::new(&[MODELS]);
    let theirs = [
        ("PITREE_SUMMARIZER_URL", "http://127.0.0.1:3/v1"),
        ("PITREE_SUMMARIZER_MODEL", "theirs"),
        ("PITREE_SUMMARIZER_KEY", "their-key"),
        ("OPENAI_API_KEY", "pi-key"),
    ];
    let environment = home.environment(&theirs);
    let none = SummarizerOptions::default();
    let chosen = target(select(&none, &environment, None).unwrap());
    assert_eq!((chosen.model.as_str(), key(&chosen)), ("theirs", Some("their-key")));
    // The option names another place: neither key is for it.
    let elsewhere = options(None, Some("http://127.0.0.1:4/v1"), Some("gpt-5"));
    let chosen = target(select(&elsewhere, &environment, None).unwrap());
    assert_eq!(key(&chosen), None);
    // A key that was given alone is for whoever is asked.
    let alone = home.environment(&[("PITREE_SUMMARIZER_KEY", "$MINE"), ("MINE", "my-key")]);
    let chosen = target(select(&elsewhere, &alone, None).unwrap());
    assert_eq!(key(&chosen), Some("my-key"));
}

#[test]
fn the_sessions_model_is_asked_with_pis_key() {
    let home = Home::new(&[MODELS]);
    let environment = home.environment(&[("OWN_KEY", "k1"), ("TEAM", "blue")]);
    let session = ModelName::new("own", "m/1");
    let none = SummarizerOptions::default();
    let chosen = target(select(&none, &environment, Some(&session)).unwrap());
    assert_eq!(chosen.api, Api::OpenAi);
    assert_eq!(key(&chosen), Some("k1"));
    assert_eq!(chosen.auth.headers[0].0, "X-Team");
    assert_eq!(chosen.auth.headers[0].1.reveal(), "blue");
    assert_eq!(chosen.facts.unwrap().context_window(), 4000.0);
    // By name, whole or by its id alone.
    for name in ["own/m/1", "m/1"] {
        let named = options(None, None, Some(name));
        let chosen = target(select(&named, &environment, None).unwrap());
        assert_eq!(chosen.model, "m/1");
    }
    let chosen = target(select(&none, &environment, Some(&ModelName::new("bearer", "m"))).unwrap());
    assert_eq!(key(&chosen), None);
    assert_eq!(chosen.auth.headers[0].1.reveal(), "Bearer k");
}

#[test]
fn known_models_are_reached_by_one_of_two_protocols() {
    let home = Home::new(&[]);
    let keys = [("ANTHROPIC_API_KEY", "a"), ("OPENAI_API_KEY", "o"), ("GEMINI_API_KEY", "g")];
    let environment = home.environment(&keys);
    for (name, api, url) in [
        ("anthropic/claude-sonnet-4-5", Api::Anthropic, "https://api.anthropic.com"),
        ("openai/gpt-5", Api::OpenAi, "https://api.openai.com/v1"),
        (
            "google/gemini-2.5-pro",
            Api::OpenAi,
            "https://generativelanguage.googleapis.com/v1beta/openai",
        ),
    ] {
        let named = options(None, None, Some(name));
        let chosen = target(select(&named, &environment, None).unwrap());
        assert_eq!((chosen.api, chosen.url.as_str()), (api, url));
    }
}

#[test]
fn pis_default_model_is_the_last_resort() {
    let settings = r#"{"defaultProvider": "own", "defaultModel": "m/1"}"#;
    let home = Home::new(&[MODELS, (".pi/agent/settings.json", settings)]);
    let environment = home.environment(&[("OWN_KEY", "k"), ("TEAM", "t")]);
    let none = SummarizerOptions::default();
    assert_eq!(target(select(&none, &environment, None).unwrap()).model, "m/1");
}

#[test]
fn what_does_not_work_is_said_with_a_hint() {
    let auth = (
        ".pi/agent/auth.json",
        r#"{"anthropic": {"type": "oauth", "access": "a", "refresh": "r", "expires": 1}}"#,
    );
    let home = Home::new(&[MODELS, auth]);
    let error = |model: &str| {
        let named = options(None, None, Some(model));
        let error = select(&named, &home.environment(&[]), None).unwrap_err();
        assert!(error.hint().is_some() || matches!(error, HostError::Unresolved { .. }), "{error}");
        error.to_string()
    };
    assert_eq!(error("own/m/1"), "Cannot get the API key of own: OWN_KEY is not set");
    assert_eq!(error("openai/gpt-5"), "No API key found for openai");
    assert_eq!(error("no/such"), "Unknown model: no/such");
    assert_eq!(error("odd/m"), "odd/m uses the API strange, which pitree does not support");
    assert!(error("anthropic/claude-sonnet-4-5").contains("OAuth"));
    let token = home.environment(&[("ANTHROPIC_OAUTH_TOKEN", "sk-ant-oat01-x")]);
    fs_err::remove_file(home.0.path().join(".pi/agent/auth.json")).unwrap();
    let named = options(None, None, Some("anthropic/claude-sonnet-4-5"));
    assert!(matches!(select(&named, &token, None), Err(HostError::OAuth { .. })));
}

#[test]
fn options_that_do_not_fit_are_refused() {
    let home = Home::new(&[]);
    for (options, words) in [
        (options(Some("x"), None, Some("m")), "are both set; keep one of them"),
        (options(None, Some("http://x"), None), "needs a model"),
        (options(None, Some("ftp://x"), Some("m")), "http://"),
    ] {
        let error = select(&options, &home.environment(&[]), None).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
    for (name, value) in [("TIMEOUT", "soon"), ("TIMEOUT", "0"), ("API", "soap")] {
        let name = format!("PITREE_SUMMARIZER_{name}");
        let environment = home.environment(&[(&name, value)]);
        let error = select(&SummarizerOptions::default(), &environment, None).unwrap_err();
        assert!(error.to_string().contains(value), "{error}");
    }
}

#[test]
fn a_mistake_in_a_file_is_named_with_its_place() {
    let none = SummarizerOptions::default();
    let session = ModelName::new("own", "m");
    for (name, text, words) in [
        (".config/pitree/config.json", "{\"summarizer\": 1}", "config.json, summarizer: must be"),
        (
            ".config/pitree/config.json",
            r#"{"summarizer": {"comand": "x"}}"#,
            "summarizer.comand: there is no such key; did you mean `command`?",
        ),
        (".config/pitree/config.json", "{\n\"a\": tru}", "config.json, line 2, column"),
        (".pi/agent/settings.json", "{\n\n  \"a\" 1}", "settings.json, line 3, column"),
        (".pi/agent/settings.json", "[]", "settings.json must contain a JSON object, such as {}"),
        (".config/pitree/config.json", "[1]", "config.json must contain a JSON object, such as {}"),
        (
            ".config/pitree/config.json",
            "{\n",
            "config.json, line 1, column 2: the JSON is not complete; is a `}` or `]` missing?",
        ),
        (".pi/agent/settings.json", r#"{"retry": {"maxRetries": -1}}"#, "retry.maxRetries"),
        (".pi/agent/models.json", "{\n// x\n\"providers\": }", "models.json, line 3, column 14"),
        (
            ".pi/agent/models.json",
            r#"{"providers": {"own": {"models": [{"id": 1}]}}}"#,
            "models.json, providers.own.models.0.id",
        ),
        (
            ".pi/agent/models.json",
            r#"{"providers": {"own": {"models": [{"id": "m"}]}}}"#,
            "models.json, providers.own: no `api`",
        ),
    ] {
        let mut files = vec![(name, text)];
        if !name.ends_with("models.json") {
            files.push((
                ".pi/agent/models.json",
                r#"{"providers": {"own": {"apiKey": "k",
                "baseUrl": "http://127.0.0.1:1", "api": "openai-completions",
                "models": [{"id": "m"}]}}}"#,
            ));
        }
        let home = Home::new(&files);
        let error = select(&none, &home.environment(&[]), Some(&session)).unwrap_err();
        let path = home.0.path().join(name);
        assert!(error.to_string().contains(words), "{error}");
        assert!(error.to_string().contains(path.to_str().unwrap()), "{error}");
        assert!(error.hint().is_some());
    }
}

#[test]
fn a_proxy_is_used_for_others_but_not_for_this_machine() {
    let home = Home::new(&[]);
    let proxies = [
        ("HTTPS_PROXY", "http://p:1"),
        ("http_proxy", "http://p:2"),
        ("NO_PROXY", "example.org, .corp"),
    ];
    let environment = home.environment(&proxies);
    for (url, proxy) in [
        ("https://api.example.com/v1", Some("http://p:1")),
        ("http://api.example.com/v1", Some("http://p:2")),
        ("https://example.org:8/v1", None),
        ("https://a.example.org/v1", None),
        ("https://badexample.org/v1", Some("http://p:1")),
        ("https://x.corp/v1", None),
        ("http://127.0.0.1:1/v1", None),
        ("http://LOCALHOST/v1", None),
        ("http://[::1]:1/v1", None),
    ] {
        let at = options(None, Some(url), Some("m"));
        let chosen = target(select(&at, &environment, None).unwrap());
        assert_eq!(chosen.proxy.as_deref(), proxy, "{url}");
    }
}
