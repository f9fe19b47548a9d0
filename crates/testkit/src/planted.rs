//! Secrets that are made up, to be planted into sessions.
//!
//! They are put together when a test runs: no file of the project holds anything that looks like a
//! key.

use serde_json::{Value, json};

use crate::Rng;

#[path = "planted_kinds.rs"]
mod kinds;

use kinds::MORE_KINDS;

/// A made-up secret in the text in which it would stand.
#[derive(Clone, Debug)]
pub struct Planted {
    /// What it is, in the words of the rules.
    pub kind: &'static str,
    /// The text around it, with it.
    pub text: String,
    /// What must not be seen.
    pub secret: String,
}

/// What each kind looks like: its name, the text around it (`@` is the secret), and its form.
///
/// In a form `{a36}` is 36 letters and digits. The other alphabets are `h` hexadecimal, `l` small
/// letters and digits, `u` capitals and digits, `d` digits, `w` as `a` with `_` and `-`, `b`
/// base64, and `t` the base32 of AWS.
const KINDS: &[(&str, &str, &str)] = &[
    ("1password-secret-key", "emergency kit @", "A3-{u6}-{u6}-{u5}-{u5}-{u5}-{u5}"),
    ("age-secret-key", "# key\n@\n", "AGE-SECRET-KEY-1{U58}"),
    ("airtable-token", "airtable @.", "pat{a14}.{h64}"),
    ("algolia-key", "ALGOLIA_API_KEY = '@'", "{l32}"),
    ("alibaba-access-key", "id: @", "LTAI{a20}"),
    ("anthropic-key", "my key is @, keep it", "sk-ant-api03-{w93}AA"),
    ("artifactory-api-key", "jfrog @", "AKCp{a69}"),
    ("asana-secret", "asana_client_secret: \"@\"", "{l32}"),
    ("atlassian-token", "use @ for jira", "ATATT3{w186}"),
    ("aws-access-key", "aws_access_key_id = @", "AKIA{t16}"),
    ("aws-secret-key", "aws_secret_access_key = @", "{b40}"),
    ("azure-client-secret", "secret '@'", "{a3}8Q~{w34}"),
    (
        "azure-account-key",
        "DefaultEndpointsProtocol=https;AccountKey=@;EndpointSuffix=x",
        "{b86}==",
    ),
    ("bitbucket-secret", "bitbucket_client_secret=@", "{w64}"),
    ("brevo-key", "@", "xkeysib-{h64}-{a16}"),
    ("circleci-token", "@", "CCIPAT_{a22}_{h40}"),
    ("clojars-token", "deploy with @", "CLOJARS_{l60}"),
    ("cloudflare-key", "cloudflare_api_key: @", "{h37}"),
    ("cohere-key", "COHERE_TOKEN=\"@\"", "{a40}"),
    ("contentful-token", "@", "CFPAT-{w43}"),
    ("crates-io-token", "cargo login @", "cio{a32}"),
    ("databricks-token", "@", "dapi{h32}"),
    ("datadog-key", "datadog_app_key: '@'", "{h40}"),
    ("digitalocean-token", "doctl auth init -t @", "dop_v1_{h64}"),
    ("discord-webhook", "post to https://discord.com/api/webhooks/@", "{d18}/{w68}"),
    ("discord-token", "discord_bot_token: @", "M{a23}.{w6}.{w38}"),
    ("docker-token", "docker login -p @", "dckr_pat_{w27}"),
    ("doppler-token", "@", "dp.pt.{a43}"),
    ("dropbox-short-lived-token", "@", "sl.{w135}"),
    ("duffel-token", "@", "duffel_live_{w43}"),
    ("dynatrace-token", "@", "dt0c01.{u24}.{u64}"),
    ("easypost-token", "@", "EZAK{a54}"),
    ("facebook-secret", "facebook_app_secret=@", "{h32}"),
    ("fastly-token", "fastly_token: \"@\"", "{w32}"),
    ("figma-token", "@", "figd_{w43}"),
    ("flutterwave-key", "@", "FLWSECK_TEST-{h32}-X"),
    ("flyio-token", "FLY @", "fo1_{w43}"),
    ("gcp-api-key", "maps?key=@&v=3", "AIza{w35}"),
    ("gcp-oauth-client-secret", "\"client_secret\":\"@\"", "GOCSPX-{w28}"),
    ("gcp-oauth-access-token", "@", "ya29.{w120}"),
    ("github-app-token", "@", "ghs_{a36}"),
    ("github-fine-grained-pat", "@", "github_pat_{a22}_{a59}"),
    ("github-oauth", "@", "gho_{a36}"),
    ("github-pat", "git clone https://@@github.com/x/y", "ghp_{a36}"),
    ("github-refresh-token", "@", "ghr_{a36}"),
    ("gitlab-pat", "PRIVATE-TOKEN: @", "glpat-{w20}"),
    ("gitlab-pipeline-trigger", "@", "glptt-{h40}"),
    ("gitlab-runner-token", "@", "glrt-{w20}"),
    ("grafana-cloud-token", "@", "glc_{a60}"),
    ("grafana-service-account-token", "@", "glsa_{a32}_{h8}"),
    ("groq-key", "@", "gsk_{a52}"),
    ("harness-key", "@", "pat.{w22}.{h24}.{a20}"),
    ("hashicorp-terraform-token", "token = \"@\"", "{a14}.atlasv1.{w64}"),
    ("heroku-key", "HEROKU_API_KEY=@", "{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("huggingface-token", "login(\"@\")", "hf_{a34}"),
    ("intra42-secret", "@", "s-s4t2ud-{h64}"),
    ("jwt", "Cookie: session=@; path=/", "eyJhbGciOiJIUzI1NiJ9.eyJ{a40}.{w43}"),
    ("langsmith-key", "@", "lsv2_pt_{h32}_{h10}"),
    ("linear-key", "@", "lin_api_{a40}"),
    ("mailchimp-key", "mailchimp_key=@", "{h32}-us12"),
    ("mailgun-key", "api:@", "key-{h32}"),
    ("mapbox-token", "@", "sk.eyJ{a60}.{w22}"),
    ("mattermost-token", "mattermost_token: @", "{l26}"),
    (
        "microsoft-teams-webhook",
        "https://acme.webhook.office.com/webhookb2/@",
        "{h8}-{h4}-{h4}-{h4}-{h12}@{h8}-{h4}-{h4}-{h4}-{h12}/IncomingWebhook/{h32}/{h8}-{h4}-{h4}-{h4}-{h12}",
    ),
    ("netlify-token", "@", "nfp_{a36}"),
    ("new-relic-user-key", "@", "NRAK-{u27}"),
    ("notion-token", "@", "ntn_{d11}{a35}"),
    ("npm-token", "//registry.npmjs.org/:_authToken=@", "npm_{a36}"),
    ("nuget-key", "@", "oy2{l43}"),
    ("okta-token", "okta_api_token=@", "00{w40}"),
    ("openai-key", "OPENAI_API_KEY=@", "sk-proj-{w74}T3BlbkFJ{w74}"),
    ("openrouter-key", "@", "sk-or-v1-{h64}"),
    ("llm-key", "DEEPSEEK: @", "sk-{h32}"),
    ("perplexity-key", "@", "pplx-{a48}"),
    ("planetscale-token", "@", "pscale_tkn_{w43}"),
    ("postman-token", "@", "PMAK-{h24}-{h34}"),
    ("prefect-token", "@", "pnu_{a36}"),
    ("pulumi-token", "@", "pul-{h40}"),
    ("pypi-token", "twine upload -p @", "pypi-AgEIcHlwaS5vcmc{w70}"),
    ("readme-token", "@", "rdme_{l70}"),
    ("replicate-token", "@", "r8_{a37}"),
    ("rubygems-token", "@", "rubygems_{h48}"),
    ("sendgrid-token", "@", "SG.{w22}.{w43}"),
    ("sentry-user-token", "@", "sntryu_{h64}"),
    ("shippo-token", "@", "shippo_live_{h40}"),
    ("shopify-token", "@", "shpat_{h32}"),
    ("slack-token", "@", "xoxb-{d12}-{d12}-{a24}"),
    ("slack-app-token", "@", "xapp-1-A{u10}-{d13}-{h64}"),
    ("slack-webhook", "curl https://hooks.slack.com/services/@", "T{u8}/B{u10}/{a24}"),
    ("snyk-token", "snyk_token=@", "{h8}-{h4}-{h4}-{h4}-{h12}"),
    ("sonar-token", "-Dsonar.login=@", "squ_{h40}"),
    ("square-token", "@", "sq0atp-{w22}"),
    ("stripe-key", "stripe.api_key = \"@\"", "sk_live_{a24}"),
    ("stripe-webhook-secret", "@", "whsec_{a32}"),
    ("supabase-key", "@", "sbp_{h40}"),
    ("tailscale-key", "tailscale up --authkey @", "tskey-auth-{a17}-{a32}"),
    ("telegram-bot-token", "bot@/getMe", "{d10}:AA{w33}"),
    ("twilio-key", "sid @", "SK{h32}"),
    ("twitch-token", "twitch_oauth=@", "{l30}"),
    ("twitter-token", "twitter_api_secret=\"@\"", "{a50}"),
    ("typeform-token", "@", "tfp_{w44}_{a14}"),
    ("vault-token", "export VAULT_TOKEN=@", "hvs.{w95}"),
    ("xai-key", "@", "xai-{a80}"),
    ("yandex-key", "yandex key @", "AQVN{w36}"),
    ("zendesk-key", "zendesk_secret_key: @", "{a40}"),
    (
        "private-key",
        "before\n@\nafter",
        "-----BEGIN RSA PRIVATE KEY-----\n{b64}\n{b64}\n{b64}\n{b20}==\n-----END RSA PRIVATE KEY-----",
    ),
    ("credential-url", "DATABASE_URL=postgres://app:@@db.example.org:5432/main", "{a12}!{a4}"),
    ("authorization-header", "curl -H 'Authorization: Bearer @' https://api.example.org", "{w40}"),
    ("header-key", "X-Api-Key: @", "{a32}"),
    ("command-password", "mysqldump --password=@ main", "{a12}"),
    ("env-assignment", "HOME=/srv\nSTRANGE_SECRET=@\nLANG=C\n", "{a24}"),
];

/// One secret of each kind.
pub fn planted_secrets(seed: u64) -> Vec<Planted> {
    let mut rng = Rng::new(seed);
    let plant = |(kind, around, form): &(&'static str, &str, &str)| {
        let secret = drawn(&mut rng, form);
        Planted { kind, text: put_into(around, &secret), secret }
    };
    KINDS.iter().chain(MORE_KINDS).map(plant).collect()
}

/// Puts a secret in the place of the first `@`; a second one after it stands for itself.
fn put_into(around: &str, secret: &str) -> String {
    around.replacen('@', secret, 1)
}

fn drawn(rng: &mut Rng, form: &str) -> String {
    let mut secret = String::new();
    let mut rest = form;
    while let Some((before, after)) = rest.split_once('{') {
        secret.push_str(before);
        let (what, after) = after.split_once('}').unwrap_or((after, ""));
        let alphabet = alphabet(what.as_bytes()[0]);
        let length: usize = what[1..].parse().unwrap_or(0);
        let drawn = (0..length).map(|_| char::from(alphabet[rng.below(alphabet.len())]));
        secret.extend(drawn);
        rest = after;
    }
    secret + rest
}

fn alphabet(name: u8) -> &'static [u8] {
    const ALL: &[u8; 66] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-+/";
    match name {
        b'h' => &ALL[..16],
        b'd' => &ALL[..10],
        b'l' => &ALL[..36],
        b'u' => b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        b'U' => b"QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L",
        b't' => b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
        b'w' => &ALL[..64],
        b'b' => b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+/",
        _ => &ALL[..62],
    }
}

/// A session that has these texts in every field that can hold one.
pub fn planted_session(texts: &[String]) -> String {
    let first = texts.first().map_or("", String::as_str);
    let mut lines = vec![json!({
        "type": "session", "version": 3, "id": "01a00000-0000-7000-8000-00000000000a",
        "timestamp": "2026-02-03T22:52:06.410Z", "cwd": first, "parentSession": first,
        "provider": first, "modelId": first, "of_another_program": texts,
    })];
    let mut parent = Value::Null;
    for text in texts {
        for mut entry in entries(text) {
            let id = format!("{:08x}", lines.len());
            entry["id"] = json!(id);
            entry["parentId"] = parent;
            entry["timestamp"] = json!("2026-02-03T22:52:07.000Z");
            parent = json!(id);
            lines.push(entry);
        }
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}

/// One text in all places where an entry may have it.
fn entries(text: &str) -> Vec<Value> {
    let message = |message: Value| json!({"type": "message", "message": message});
    let usage = json!({
        "input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 2,
        "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0},
    });
    let call = |arguments: Value| {
        json!({
            "role": "assistant", "api": "x", "provider": "x", "model": "x", "usage": usage.clone(),
            "stopReason": "toolUse", "timestamp": 1,
            "content": [
                {"type": "thinking", "thinking": text, "thinkingSignature": text},
                {"type": "text", "text": text},
                {"type": "toolCall", "id": "call_1", "name": "write", "arguments": arguments},
            ],
        })
    };
    let inner = json!([
        {"role": "user", "content": [{"type": "text", "text": text}]},
        {"role": "assistant", "model": text, "provider": text, "errorMessage": text, "content": [
            {"type": "thinking", "thinking": text, "thinkingSignature": text},
            {"type": "toolCall", "id": "call_2", "name": "write", "arguments": {text: text}},
        ]},
        {"role": "toolResult", "toolCallId": "call_2", "toolName": "write",
            "content": [{"type": "text", "text": text}], "details": {"diff": text}},
    ]);
    let system = json!({
        "role": "system", "content": text, "timestamp": 1,
        "sections": {"first": text, text: "as a name"},
        "toolsAdded": [{"name": "write", "description": text, "parameters": {
            "type": "object", "properties": {"path": {"type": "string", "default": text}},
        }}],
    });
    let mut failed = call(json!({"path": text}));
    failed["stopReason"] = json!("error");
    for name in ["errorMessage", "model", "provider", "responseModel"] {
        failed[name] = json!(text);
    }
    vec![
        message(json!({"role": "user", "content": text, "timestamp": 1})),
        message(json!({"role": "user", "timestamp": 1, "content": [
            {"type": "text", "text": text},
            {"type": "image", "data": "iVBORw0KGgoAAAANSUhEUg==", "mimeType": "image/png", "name": text},
        ]})),
        message(call(json!({"path": "a.txt", "content": text, "nested": {"deep": [text]}}))),
        message(call(json!({text: "as a name", "in": {text: 1}}))),
        message(json!({
            "role": "toolResult", "toolCallId": "call_1", "toolName": "write", "isError": false,
            "content": [{"type": "text", "text": text}], "timestamp": 1,
            "details": {
                "diff": text,
                "results": [{"agent": "scout", "task": text, "messages": inner, "stderr": text}],
            },
        })),
        message(json!({
            "role": "bashExecution", "command": text, "output": text, "exitCode": 0,
            "cancelled": false, "truncated": false, "timestamp": 1,
        })),
        json!({"type": "compaction", "summary": text, "firstKeptEntryId": "00000001",
            "tokensBefore": 1, "systemMessage": system.clone(), "details": {"readFiles": [text]}}),
        json!({"type": "context_edit", "targetId": "00000001", "replacement": {"content": text}}),
        json!({"type": "branch_summary", "fromId": "00000001", "summary": text}),
        json!({"type": "custom", "customType": "x", "data": {"note": text, text: true}}),
        json!({"type": "custom", "customType": text, "data": {}}),
        json!({"type": "custom_message", "customType": "x", "content": text, "display": true,
            "details": {"why": text}}),
        json!({"type": "label", "targetId": "00000001", "label": text}),
        json!({"type": "session_info", "name": text}),
        json!({"type": "of_another_program", "said": text, text: [text]}),
        message(system),
        message(failed),
        json!({"type": "model_change", "provider": text, "modelId": text}),
        json!({"type": "thinking_level_change", "thinkingLevel": text}),
    ]
}
