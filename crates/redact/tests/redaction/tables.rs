//! What must be found and what must stay, as tables.
//!
//! In a text `«…»` is a secret: it must be replaced, all of it and nothing beside it. `{a36}` is 36
//! letters and digits drawn by lot, so that no file of the project holds anything like a key; the
//! other alphabets are `h` hexadecimal, `l` small letters and digits, `u` capitals and digits, `d`
//! digits, and `b` base64.

use pitree_format::js::{parse, stringify};
use pitree_redact::{Context, Report};
use pitree_testkit::Rng;

use crate::{redactor, seed};

/// Draws what stands in braces.
pub(crate) fn drawn(text: &str) -> String {
    let mut rng = Rng::new(seed());
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let form = after.split_once('}').and_then(|(form, after)| {
            let digits = match form.as_bytes().first()? {
                b'a' => "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
                b'h' => "0123456789abcdef",
                b'l' => "0123456789abcdefghijklmnopqrstuvwxyz",
                b'u' => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
                b'd' => "0123456789",
                b'b' => "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+/",
                _ => return None,
            };
            Some((digits, form[1..].parse::<usize>().ok()?, after))
        });
        match form {
            Some((digits, length, after)) => {
                let digits = digits.as_bytes();
                out.extend((0..length).map(|_| char::from(digits[rng.below(digits.len())])));
                rest = after;
            }
            None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out + rest
}

/// The text with its secrets, and what it becomes, with `@` for each placeholder.
fn marked(text: &str) -> (String, String) {
    let text = drawn(text);
    let mut expected = String::new();
    for (at, part) in text.split('«').enumerate() {
        match part.split_once('»') {
            Some((_, after)) if at > 0 => {
                expected.push('@');
                expected.push_str(after);
            }
            _ => expected.push_str(part),
        }
    }
    (text.replace(['«', '»'], ""), expected)
}

/// The text with `@` for each placeholder.
fn without_digits(text: &str) -> String {
    let mut out = String::new();
    for (at, part) in text.split("[REDACTED:").enumerate() {
        match part.split_once(']') {
            Some((_, after)) if at > 0 => {
                out.push('@');
                out.push_str(after);
            }
            _ => out.push_str(part),
        }
    }
    out
}

/// What is wrong with a text, if anything is.
fn fault(marked_text: &str, clean: impl Fn(&str) -> String) -> Option<String> {
    let (text, expected) = marked(marked_text);
    let got = without_digits(&clean(&text));
    (got != expected).then(|| format!("{marked_text:?}\n  became {got:?}"))
}

pub(crate) fn check_texts(context: Context, texts: &[&str]) {
    let clean = |text: &str| {
        let redactor = redactor();
        let clean = redactor.text(text, context, &mut Report::default()).into_owned();
        assert_eq!(redactor.text(&clean, context, &mut Report::default()), clean, "{text}");
        clean
    };
    let faults: Vec<String> = texts.iter().filter_map(|text| fault(text, clean)).collect();
    assert!(faults.is_empty(), "{context:?}:\n{}", faults.join("\n"));
}

pub(crate) fn check_values(values: &[&str]) {
    let clean = |text: &str| {
        let mut value = parse(text.as_bytes()).unwrap();
        redactor().value(&mut value, Context::Text, &mut Report::default());
        let once = stringify(&value);
        redactor().value(&mut value, Context::Text, &mut Report::default());
        assert_eq!(stringify(&value), once, "{text}");
        once
    };
    let faults: Vec<String> = values.iter().filter_map(|text| fault(text, clean)).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_key_begins_after_what_is_written_out() {
    let texts = [
        r#"{"xml":"\u003cAccessKeyId\u003e«AKIA{u16}»\u003c/AccessKeyId\u003e"}"#,
        r"\u003ccode\u003e«sk-ant-api03-{a93}AA»\u003c/code\u003e",
        r"x\u0026«AIza{a35}»",
        r"\u0022«AKIA{u16}»\u0022",
        r"\x22«AKIA{u16}»\x22",
        "\u{1b}[01;31m\u{1b}[K«sk-ant-api03-{a93}AA»\u{1b}[m\u{1b}[K",
        "\u{1b}[1;1H«AKIA{u16}»",
        r"\u001b[K«AKIA{u16}»",
        "%2522«AKIA{u16}»%2522",
        // Within a word no key begins.
        "BAKIA{u16} xAIza{a35} a[KAKIA{u16}",
    ];
    check_texts(Context::Text, &texts);
}

/// A made-up private key: its lines without those of dashes.
fn body() -> Vec<String> {
    let mut lines: Vec<String> = (0..11).map(|_| "{b64}".to_owned()).collect();
    lines.push("{b24}==".to_owned());
    drawn(&lines.join("\n")).lines().map(str::to_owned).collect()
}

const BEGIN: &str = "-----BEGIN RSA PRIVATE KEY-----";
const END: &str = "-----END RSA PRIVATE KEY-----";

#[test]
fn private_keys_are_found_whole_and_cut_off() {
    let body = body();
    let all: Vec<&str> = body.iter().map(String::as_str).collect();
    let head: Vec<&str> = [BEGIN].into_iter().chain(all.clone()).collect();
    let tail: Vec<&str> = all.iter().copied().chain([END]).collect();
    let whole: Vec<&str> = head.iter().copied().chain([END]).collect();
    let numbered = |lines: &[&str], form: fn(usize, &str) -> String| {
        let lines = lines.iter().enumerate().map(|(at, line)| form(at + 1, line));
        lines.collect::<Vec<String>>().join("\n")
    };
    let forms: [fn(usize, &str) -> String; 8] = [
        |_, line| line.to_owned(),
        |at, line| format!("{at:6}\t{line}"),
        |at, line| format!("key.pem-{at}-{line}"),
        |at, line| format!("deploy/keys/key.pem:{at}:{line}"),
        |_, line| format!("-{line}"),
        |_, line| format!("+{line}"),
        |_, line| format!("> {line}"),
        |_, line| format!("    \"{line}\\n\" +"),
    ];
    let mut texts: Vec<String> = Vec::new();
    for form in forms {
        texts.extend([&head, &tail, &whole].map(|lines| numbered(lines, form)));
    }
    for end in ["\\n", "\\\\n", "\\r\\n", "&#10;"] {
        texts.push(whole.join(end));
    }
    texts.push(head.join("\\\\n"));
    texts.push(tail.join("\\n"));
    let iv = "DEK-Info: AES-128-CBC,0123456789ABCDEFFEDCBA9876543210";
    texts.push(format!("{BEGIN}\nProc-Type: 4,ENCRYPTED\n{iv}\n\n{}", all.join("\n")));
    let putty = "PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nPrivate-Lines: 12\n";
    texts.push(format!("{putty}{}\nPrivate-MAC: 00", all.join("\n")));
    for text in texts {
        let text = format!("before it\n{text}\nafter it");
        let clean = redactor().text(&text, Context::Text, &mut Report::default()).into_owned();
        let left: Vec<&&str> = all.iter().filter(|line| clean.contains(**line)).collect();
        assert!(left.is_empty(), "{left:?} of {text}\n{clean}");
        assert!(clean.starts_with("before it\n") && clean.ends_with("\nafter it"), "{clean}");
        assert_eq!(clean.matches("[REDACTED:private-key:").count(), 1, "{clean}");
    }
}

#[test]
fn code_about_private_keys_stays() {
    let texts = [
        "function isPem(t) { return t.includes(\"-----BEGIN PRIVATE KEY-----\"); }\nimport { login } \
         from \"../src/components/auth/handlers/login1\";\n// ordinary code that must stay\nfunction \
         unwrapPrivateKeyFromEncodedDocument2(x) { return x; }\nconst end = \"-----END PRIVATE KEY-----\";\n",
        "look for -----BEGIN PRIVATE KEY-----\nnone at commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "at 3f786850e387550fdab836ed7e6dc881de23001b ends\n-----END PRIVATE KEY-----",
        "pk: -----BEGIN PRIVATE KEY-----\n…\n-----END PRIVATE KEY-----",
        "Private-Lines: 14\nare followed by lines",
        "-----BEGIN CERTIFICATE-----\n{b64}\n{b64}\n-----END CERTIFICATE-----",
    ];
    check_texts(Context::Text, &texts);
}

#[test]
fn values_go_on_behind_escapes() {
    let shell = [
        r#"{"password":"«Qw7zK9xR\u0026LmP2RtZZ»"}"#,
        r#"password = "«Qw7zK9xR\"LmP2RtZZ»""#,
        r#"DB_PASSWORD="«Win7tQ9x\$LmP2RtZZ»""#,
        r#"DB_PASSWORD=«Win7tQ9x"LmP2RtZZ»"#,
        "DB_PASSWORD=«Win7t'Q9x'LmP2RtZZ»",
        r#"{\"password\":\"«Qw7zK9xRLmP2RtZZ»\",\"a\":1}"#,
        r#"{\\\"password\\\":\\\"«Qw7zK9xRLmP2RtZZ»\\\",\\\"a\\\":1}"#,
        r"SECRET_KEY=«abc\ def123XYZ»",
        "DB_PASSWORD=&quot;«Win7tQ9xLm»&quot;",
        "DB_PASSWORD=«Win7tQ9xLm»\u{1b}[0m",
        r"DB_PASSWORD=«Win7tQ9xLm»\\nHOME=/srv",
        r#"run("DB_PASSWORD=«Win7tQ9xLm»\nHOME=/srv")"#,
    ];
    check_texts(Context::Shell, &shell);
    let texts = [
        "Authorization: Bearer «{a20}:{a20}» and more",
        "Authorization: Bearer «{a40}».",
        "use «sk-{a40}-{a20}» here",
        "use «sk-{a20}_{a20}-{a10}» here",
        r#"const s = "DB_PASSWORD=«Win7tQ9xLm»\n";"#,
    ];
    check_texts(Context::Text, &texts[..4]);
    check_texts(Context::Shell, &texts);
}

#[test]
fn members_are_judged_by_name_and_value() {
    let values = [
        r#"{"password":"«Winter2024!x»"}"#,
        r#"{"password":"«correct horse 9!»"}"#,
        r#"{"password":"«Win\"ter2024!»"}"#,
        r#"{"password":"«Win\\ter2024!»"}"#,
        r#"{"secret":"«q7Zk2mPx9LwT\nabc»"}"#,
        r#"{"client_secret":"«aB3$ kd9Zq1LmN0pQ»"}"#,
        r#"{"auth":{"user":"ana","pass":"«Winter2024!x»"}}"#,
        r#"{"pwd":"«Winter2024!x»","DB_PW":"«Winter2024!x»","passcode":"«Winter2024!x»"}"#,
        r#"{"env":{"DB_PASSWORD":"«lemontree»","MODE":"production"}}"#,
        r#"{"Name":"DB_PASSWORD","Value":"«Winter2024!x»"}"#,
        r#"{"Key":"DB_PASSWORD","Value":"«Winter2024!x»"}"#,
        r#"{"apiKey":{"value":"«q7Zk2mPx9LwTaB3dE5»"}}"#,
        r#"{"tokens":["«q7Zk2mPx9LwTaB3dE5q7»"],"api_keys":["«q7Zk2mPx9LwTaB3dE5»"]}"#,
        r#"{"secrets":{"x":"«q7Zk2mPx9LwTaB3dE5q7»","y":"plain words"}}"#,
        r#"{"passwords":{"ana":"«Winter2024!x»"}}"#,
        r#"{"heroku_api_key":"«0190c1f2-6f1e-7c11-8a3e-0242ac120002»"}"#,
        r#"{"password":["«Winter2024!x»"]}"#,
    ];
    check_values(&values);
}

#[test]
fn harmless_members_stay() {
    let values = [
        r#"{"key":"reports/2024/q1/summary.csv"}"#,
        r#"{"Key":"uploads/2024-01-15/photo-final.png","Size":3}"#,
        r#"{"key":"src/components/Button2.tsx"}"#,
        r#"{"key":"ctrl+shift+alt+p1"}"#,
        r#"{"key":"user:12345:profile-settings"}"#,
        r#"{"key":"issue-1234-fix-login-bug"}"#,
        r#"{"key":"theme.colors.primary.500"}"#,
        r#"{"token":"2024-01-15T10:00:00.000Z"}"#,
        r#"{"private_key":"~/.ssh/id_ed25519"}"#,
        r#"{"private_key":"/etc/ssl/private/server1.key"}"#,
        r#"{"ssh_key":"~/.ssh/id_ed25519_work"}"#,
        r#"{"auth":"https://auth2.corp.com/login"}"#,
        r#"{"access_token":"https://x.y/oauth2/token"}"#,
        r#"{"credentials":"/home/x/creds-2.json"}"#,
        r#"{"secret":"projects/p1/secrets/db/versions/3"}"#,
        r#"{"apiKey":"config/keys/openai-2.txt"}"#,
        r#"{"api_token":"TOKEN_FROM_STEP_2"}"#,
        r#"{"password":"required|min:8"}"#,
        r#"{"password":"forgot-password"}"#,
        r#"{"password":"see-1password","passphrase":"see 1password"}"#,
        r#"{"password":"Enter your password"}"#,
        r#"{"pwd":"/srv/project1","pass":"true","OLDPWD":"/srv/project2"}"#,
        r#"{"password":{"type":"string","value":"text"}}"#,
        r#"{"credentials":{"region":"us-east-1","profile":"default-2"}}"#,
        r#"{"max_tokens":"40960000000000000","tokens":"<|im_start|>"}"#,
    ];
    check_values(&values);
}

#[test]
fn settings_and_variables_of_shells() {
    let shell = [
        "db:\n  password: «Winter2024!»\n",
        "spring.datasource.password=«Winter2024!»\n",
        "[client]\nuser=root\npassword=«Winter2024!»\n",
        "password = «Tr0ub4dor&3»",
        "db_password=«Winter2024!»",
        "Server=x;User Id=sa;Password=«Winter2024!»;Encrypt=true",
        "environment:\n  - DB_PASSWORD=«lemontree9»\n  - A=1\n",
        "Environment=DB_PASSWORD=«lemontree9»",
        "Environment=\"DB_PASSWORD=«lemontree9»\"",
        "+ DB_PASSWORD=«Winter2024x»",
        "foo; DB_PASSWORD=«Winter2024» ./run",
        "set -gx DB_PASSWORD «Winter2024x»",
        "setenv DB_PASSWORD «Winter2024x»",
        "1234 ? S 0:00 node app.js DB_PASSWORD=«lemontree9» HOME=/x",
        "\"Env\": [\n  \"DB_PASSWORD=«lemontree»\",\n \"PATH=/usr/bin\"]",
        "A=1\r\nDB_PASSWORD=«lemontree»\r\nB=2\r\n",
        "DB_PW=«lemontree9»",
    ];
    check_texts(Context::Shell, &shell);
    let texts = [
        "use Server=x;User Id=sa;Password=«Winter2024!»; here",
        "ConnectionString=\"Server=x;Password=«Winter2024!x»\"",
    ];
    check_texts(Context::Text, &texts);
    let harmless = [
        "password: string",
        "  password: hashedPassword2",
        "  password: hashedPassword2,",
        "password: str = None",
        "password = getPassword1()",
        "key: X509CertificateTemplatePrivateKeyFlag2",
        "  token: config.token1",
        "a=1;password=p1||q2",
        "GOOGLE_APPLICATION_CREDENTIALS=/home/x/c.json",
        "API_KEY=required",
        "AWS_SECRET=optional",
        "KEY=value123",
        "SSH_PRIVATE_KEY=/home/ana/.ssh/id_rsa",
        "DOCKER_CREDENTIALS=$(cat x)",
        "MYSQL_RANDOM_ROOT_PASSWORD=enabled",
        "AUTH_TYPE=oauth2",
    ];
    check_texts(Context::Shell, &harmless);
}

#[test]
fn passwords_in_addresses() {
    let texts = [
        "postgres://ana:«Win/ter2024lemon»@db.corp/x",
        "postgres://ana:«Win#ter2024lemon»@db.corp/x",
        "postgres://ana:«Win[ter2024lemon»@db.corp/x",
        "postgres://ana:«Yourt9xQwLm2»@db.corp/x",
        "postgres://ana:«$Win7terZq»@db.corp/x",
        "postgres://ana:«%21Win7terZq»@db.corp/x",
        r#"{"dsn":"postgres:\/\/ana:«Winter2024lemon»@db.corp\/x"}"#,
        r"https:\/\/«hooks.slack.com\/services\/T0{u9}\/B0{u9}\/{a24}»",
        "https://ana:«4711»@db.corp/x",
        "https://x.corp/cb?access_token=«{a40}»&x=1",
        "https://x.corp/list?x=1&token=«{a40}» and https://x.corp/?key={h40}",
        "-H \"X-Auth-Key: «{h37}»\"",
        // No passwords.
        "http://localhost:3000@v1.2.3",
        "http://localhost:3000@v1.2.3/pkg",
        "https://github.com/user:branch@2x",
        "mongodb://host:27017/db@2x",
        "postgres://$USER:$PASSWORD@localhost/db",
        "postgres://%s:%s@localhost/db",
        "scheme://[user[:password]@]host",
        "postgres://ana:your_password@db.corp/x",
        "npm install https://registry/x/-/y:1.2.3@latest",
        "ssh://git@host:22/x",
    ];
    check_texts(Context::Text, &texts);
}

#[test]
fn digests_and_names_of_makers_stay() {
    let texts = [
        "cache-key-{h32}",
        "fc-{h32}",
        "nonlinear_checksum = {h32}",
        "azure-etag: {h32}",
        "xray: {h64}",
        "cloudflare: {h40}",
        "cloudflare/wrangler: {h40}",
        "heroku_app_id: 0190c1f2-6f1e-7c11-8a3e-0242ac120002",
        "snyk-id: 0190c1f2-6f1e-7c11-8a3e-0242ac120002",
        "linkedin: johnsmith12345",
        "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",
        "class vcr_CassetteRecorderMiddlewareFactory",
        "fw_handleConnectionTimeouts",
        "wandb: {h40}",
        "\"discord\": \"{h32}\"",
        // The same makers with keys.
        "firecrawl: «fc-{h32}»",
        "linear_client_secret = «{h32}»",
        "myHerokuKey: «0190c1f2-6f1e-7c11-8a3e-0242ac120002»",
    ];
    check_texts(Context::Text, &texts);
}

/// However many beginnings of keys stand before it, a key is found.
#[test]
fn a_key_cannot_be_hidden_by_others() {
    let secret = drawn("ghp_{a36}");
    for before in ["pat.", "ghp_", "sk-", "eyJ", "xoxb-"] {
        for count in [3, 63, 64, 65, 70, 500, 2000] {
            let text = format!("{}{secret}", before.repeat(count));
            let clean = redactor().text(&text, Context::Text, &mut Report::default()).into_owned();
            assert!(!clean.contains(&secret), "{before} {count}");
        }
    }
}

/// The same key has the same digits, whatever stands beside it.
#[test]
fn a_key_is_the_same_whatever_is_caught_with_it() {
    let pat = drawn("ghp_{a36}");
    let key = drawn("sk-ant-api03-{a93}AA");
    let digits = |text: &str| {
        let clean = redactor().text(text, Context::Shell, &mut Report::default()).into_owned();
        let (_, after) = clean.split_once("[REDACTED:").unwrap();
        let (_, after) = after.split_once(':').unwrap();
        after[..8].to_owned()
    };
    for secret in [&pat, &key] {
        let alone = digits(&format!("key {secret} here"));
        for around in [
            "export API_KEY=@;echo hi",
            "API_KEY=@&&curl http://x/y",
            "API_KEY=@|base64",
            "https://@@@github.com/x",
            "https://x:@@@github.com/x",
            "Authorization: Bearer @.",
            "Authorization: token @/",
            r#"{"token":"@\n"}"#,
            "GITHUB_TOKEN=@'",
            "curl -H 'PRIVATE-TOKEN: @'",
            "curl -u ana:@ https://x",
            "a @-- b",
            "--password=@",
        ] {
            let text = around.replace("@@@", &format!("{secret}\0")).replace('@', secret);
            assert_eq!(digits(&text.replace('\0', "@")), alone, "{around}");
        }
    }
    let random = drawn("{a24}");
    let alone = digits(&format!("API_KEY={random}"));
    for text in ["API_KEY=@;echo hi", "API_KEY=@&&curl x", "API_KEY=@|base64", "API_KEY='@'"] {
        assert_eq!(digits(&text.replace('@', &random)), alone, "{text}");
    }
}

/// A form that nothing else has is enough, also if the letters stand in order.
#[test]
fn a_slack_token_may_have_its_letters_in_order() {
    let redactor = redactor();
    let found = |text: &str| redactor.find(text, Context::Text).len();
    let numbers = "123456789012-123456789012";
    assert_eq!(found(&format!("xoxb-{numbers}-AbCdEfGhIjKlMnOpQrStUvWx")), 1);
    for end in ["xxxxxxxxxxxxxxxxxxxxxxxx", "abcdefghijklmnopqrstuvwx", "EXAMPLE1EXAMPLE2EXAMPLE3"]
    {
        assert_eq!(found(&format!("xoxb-{numbers}-{end}")), 0, "{end}");
    }
}
