//! What looks like a secret to a careless rule, and is none.

use pitree_format::Value;
use pitree_redact::{Action, Certainty, Context, Finished, Likely, Links, Report};
use pitree_testkit::Rng;

use crate::{redactor, seed};

const HARMLESS: &[&str] = &[
    "01a1ddfb-4699-7700-9c99-078c5356990e",
    "commit 3fce3b5bb0237d5a1e6c9d8a9b1c2d3e4f5a6b7c",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "integrity: sha512-q7Zk2mPxFw9LwTaB3dE5q7Zk2mPxFw9LwTaB3dE5q7Zk2mPxFw9LwTaB3dE5q7Zk2mPxFw9L==",
    "\"id\": \"toolu_01A09q90qw90lq917835lq9\"",
    "call_9fK2mPxQ7Zk2mPxFw9LwTaB3dE5",
    "resp_0a1b2c3d4e5f60718293a4b5c6d7e8f9",
    "chatcmpl-9fK2mPxQ7Zk2mPxFw9LwTaB3dE5",
    "OPENAI_API_KEY=$OPENAI_API_KEY",
    "OPENAI_API_KEY=${OPENAI_API_KEY:-none}",
    "export GITHUB_TOKEN=<your token>",
    "ANTHROPIC_API_KEY=your-api-key-here",
    "api_key: process.env.API_KEY",
    "token = os.environ[\"TOKEN\"]",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "AKIAIOSFODNN7EXAMPLE",
    "sk-ant-...",
    "sk_live_ReplaceWithStripeSecret",
    "sk_test_yourstripekeyhere",
    "glpat-YourPersonalAccessToken",
    "twitch_oauth=putyourtokenfortwitchrighthere",
    "cookie: view=TransformersModelForCausalLMOutput",
    "postgres://user:password@localhost/db",
    "postgres://$USER:$PASSWORD@localhost/db",
    "https://example.org:8080/path@2x.png",
    "git@github.com:acme/project.git",
    "Authorization: Bearer <token>",
    "Authorization: Bearer ${token}",
    "the basic authorization of a bearer is checked",
    "-----BEGIN PRIVATE KEY-----",
    "if (text.includes(\"-----BEGIN RSA PRIVATE KEY-----\") && text.includes(\"-----END\")) {}",
    "-----BEGIN CERTIFICATE-----\nMIIDXTCCAkWgAwIBAgIJAJC1HiIAZAiIMA0GCSqGSIb3DQEBBQUAMEUxCzAJBgNV\n-----END CERTIFICATE-----",
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7vbqajDhA0123456789abcdefghij ana@host",
    "max_tokens: 4096, token_count: 1234567890123456",
    "const key = event.key === 'Enter' ? 'submit' : keyMap[event.code];",
    "primary_key=3fce3b5bb0237d5a1e6c9d8a9b1c2d3e4f5a6b7c",
    "cacheKey: 'node-modules-9f86d081884c7d659a2feaa0c55ad015'",
    "<Row key={`row-${index}`} token={getToken(user)} />",
    "the keyword `password` must be at least 8 characters long",
    "password: string; token?: string; secretKey: Buffer",
    "heroku: the app 01a1ddfb-4699-7700-9c99-078c5356990e is fine",
    "task-0123456789abcdef0123456789abcdef",
    "risk-a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6",
    "disk_a1b2c3d4e5f6a7b8c9d0e1f2a3b4c5d6",
    "node_modules/.pnpm/@types+node@20.11.5/node_modules/@types/node",
    "[REDACTED:github-pat:01234567] and [REDACTED:generic-api-key:89abcdef]",
    "SSH_AUTH_SOCK=/tmp/ssh-XXXXXXabc123/agent.4242",
    "PWD=/srv/project1\nOLDPWD=/srv/project2\nTOKENIZERS_PARALLELISM=false",
    "curl -u user:password https://example.org",
    "--password-file=/run/secrets/db1",
    "the --username and --password options are read first",
    "scheme://[user[:password]@]host",
    "\"AWS::Redshift::EndpointAuthorization\": \"e72be424d109da1d0011\"",
    "Authorization: AWS4-HMAC-SHA256",
    "authorization = base64.decodebytes(header1)",
    "SecretAccessKey: \"wJalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLEKEY\"",
];

const MINIFIED: &str = "!function(e,t){\"object\"==typeof exports?module.exports=t():e.key=t()}(this,\
    function(){var e={token:function(e){return e.access_token||e.authToken},k:{apiKey:void 0,secret:\
    null}};return e.h=\"a3f5c9d1\",e.auth=function(n){return n.key+\":\"+n.token1},e.ids=[\"x9dK2\",\
    \"b7Qm4\"],e.password=p1||q2,e});//# sourceMappingURL=bundle.min.js.map";

fn lost(text: &str, context: Context) -> Option<String> {
    let clean = redactor().text(text, context, &mut Report::default()).into_owned();
    (clean != text).then_some(clean)
}

#[test]
fn harmless_texts_lose_nothing() {
    let mut changed = Vec::new();
    for context in [Context::Text, Context::Shell] {
        for text in HARMLESS.iter().chain(&[MINIFIED]) {
            for text in [(*text).to_owned(), format!("before\n{text}\nafter")] {
                changed.extend(lost(&text, context).map(|clean| format!("{text:?} => {clean:?}")));
            }
        }
    }
    assert!(changed.is_empty(), "{}", changed.join("\n"));
}

#[test]
fn random_data_loses_nothing() {
    let mut rng = Rng::new(seed());
    let digits: Vec<char> =
        ('a'..='z').chain('A'..='Z').chain('0'..='9').chain(['+', '/']).collect();
    for _ in 0..40 {
        let data: String = (0..20_000).map(|_| rng.pick(&digits)).collect();
        for text in [format!("data:image/png;base64,{data}=="), data.clone()] {
            assert_eq!(lost(&text, Context::Shell), None);
        }
        let hex = rng.hex(4000);
        let lines: Vec<&str> =
            hex.as_bytes().chunks(40).map(|line| std::str::from_utf8(line).unwrap()).collect();
        assert_eq!(lost(&lines.join("\n"), Context::Shell), None);
    }
}

#[test]
fn images_are_no_text_but_their_names_are() {
    let data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let name = format!("ghp_{}.png", "q7Zk2mPxFw9LwTaB3dE5q7Zk2mPxFw9LwTaB");
    let image = |name: &str| {
        let text = format!(
            r#"{{"type":"message","id":"a","message":{{"role":"user","content":[{{"type":"image","data":"{data}","mimeType":"image/png","name":"{name}"}}]}}}}"#
        );
        pitree_format::js::parse(text.as_bytes()).unwrap()
    };
    let mut value = image(&name);
    let mut report = Report::default();
    redactor().entry(&mut value, Links::Keep, &mut report);
    let clean = pitree_format::js::stringify(&value);
    assert!(clean.contains(data) && clean.contains("[REDACTED:github-pat:"), "{clean}");
    assert_eq!(report.findings[0].path, "message.content[0].name");
}

#[test]
fn a_signature_that_only_names_a_member_is_kept() {
    let signed = |signature: &str| {
        let text = format!(
            r#"{{"type":"message","id":"a","message":{{"role":"assistant","content":[{{"type":"thinking","thinking":"hm","thinkingSignature":"{signature}"}}]}}}}"#
        );
        let mut value = pitree_format::js::parse(text.as_bytes()).unwrap();
        redactor().entry(&mut value, Links::Keep, &mut Report::default());
        pitree_format::js::stringify(&value)
    };
    for name in ["reasoning", "reasoning_content", "reasoning_text"] {
        assert!(signed(name).contains(&format!(r#""thinkingSignature":"{name}""#)));
    }
    assert!(signed("reasoning_secrets").contains("[SIGNATURE_REMOVED]"));
}

/// The made-up sessions of the test kit hold no secrets, so nothing in them is one.
#[test]
fn ids_are_kept_and_sessions_without_secrets_come_back_as_they_were() {
    let mut lines = 0;
    for number in 0..200 {
        let session = pitree_testkit::session(seed() + number);
        for line in session.bytes.split(|byte| *byte == b'\n') {
            let Ok(mut value) = pitree_format::js::parse(line) else { continue };
            let mut clean = value.clone();
            let mut report = Report::default();
            redactor().entry(&mut clean, Links::Keep, &mut report);
            strip_signatures(&mut clean);
            strip_signatures(&mut value);
            assert_eq!(clean, value, "{report:?}");
            lines += 1;
        }
    }
    assert!(lines > 1000, "{lines}");
}

fn strip_signatures(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(strip_signatures),
        Value::Object(object) => {
            for name in ["thinkingSignature", "thoughtSignature", "textSignature"] {
                object.remove(name);
            }
            object.iter_mut().for_each(|(_, member)| strip_signatures(member));
        }
        _ => {}
    }
}

#[test]
fn finished_bytes_may_have_what_is_only_likely() {
    let line = br#"{"content":"const apiKey = \"test-key-for-ci-2024\""}"#;
    let sharing = redactor().with_likely(Likely::Replace);
    for redactor in [&redactor(), &sharing] {
        assert_eq!(redactor.scan_finished(line, Finished::JsonLines), []);
    }
    let hits = redactor().find("const apiKey = \"test-key-for-ci-2024\"", Context::Text);
    assert_eq!((hits[0].action, hits[0].certainty), (Action::Report, Certainty::Likely));
}
