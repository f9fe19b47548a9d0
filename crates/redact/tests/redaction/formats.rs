//! Secrets in the forms of certain files and protocols.

use pitree_redact::Context;

use crate::tables::{check_texts, drawn};

#[test]
fn forms_that_are_known_anywhere() {
    let texts = [
        "machine git.corp.net login ana password «lemontree7»",
        "machine git.corp.net\n  login ana\n  password «lemontree»\n",
        "default login ana password «lemontree7»",
        "Cookie: theme=dark; sid=«{a40}»; path=/",
        "cookie: PHPSESSID=«{l26}»",
        "Set-Cookie: session=«{h64}»; HttpOnly; Path=/",
        "curl -H 'Cookie: JSESSIONID=«{h32}»' https://corp.net",
        "requirepass «foobared7»\n",
        "masterauth «foobared7»\n",
        "<server><username>ana</username><password>«lemontree7»</password></server>",
        "<apiKey>«{a32}»</apiKey>",
        "define('DB_PASSWORD', '«lemontree»');",
        "define( \"AUTH_SECRET\", \"«{a32}»\" );",
        "CREATE USER ana IDENTIFIED BY '«lemontree7»';",
        "alter user ana identified with caching_sha2_password by '«lemontree7»'",
        "ALTER ROLE ana WITH LOGIN PASSWORD '«lemontree7»';",
        "server.login(\"ana@corp.net\", \"«lemontree7»\")",
        "smtp.login(user, '«Winter2024!»')",
        "GMAIL_APP_PASSWORD=«qhtz wkvb xjpl mrfd»",
        "app password: «qhtz wkvb xjpl mrfd»",
        "the app password is «qhtz wkvb xjpl mrfd», keep it",
        "AUTH PLAIN «AGFuYUBjb3JwLm5ldABsZW1vbnRyZWU3»",
        "{\"auths\":{\"ghcr.io\":{\"auth\":\"«YW5hOmxlbW9udHJlZTc=»\"}}}",
        "//registry.corp.net/:_auth=«YW5hOmxlbW9udHJlZTc=»",
        "    client-key-data: «LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVkt{b1500}»",
    ];
    for context in [Context::Text, Context::Shell] {
        check_texts(context, &texts);
    }
}

#[test]
fn what_only_looks_like_such_a_form_stays() {
    let texts = [
        "the login page asks for a password when the machine is new",
        "machine learning: login first, password second",
        "Cookie: theme=dark; lang=en; _ga=GA1.2.1234567890.1612345678",
        "Set-Cookie: a=b; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/",
        "const cookie = parseCookie(header1)",
        "the password 'must be long' and the password \"forgot-password\"",
        "<password>${db.password}</password> <key>NSPhotoLibraryUsageDescription</key>",
        "define('WP_DEBUG', 'enabled7x'); define('DB_PASSWORD', getenv('X'));",
        "requirepass is not set",
        "client.login(username, password) server.login('user', 'password')",
        "page.login('admin', 'admin123')",
        "the password is this will work with",
        "\"auth\": \"basic\" auth=disabled",
        "AUTH PLAIN LOGIN",
        "certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t{b400}",
        "api.v1.config.example.org and theme.colors.primary.hovered.backgroundColourOfButtons",
        "sessionKey: agent:main:subagent:0190c1f2-6f1e-7c11-8a3e-0242ac120002",
        "sessionKey: \"agent:main:telegram:group:-1001234567890\"",
    ];
    for context in [Context::Text, Context::Shell] {
        check_texts(context, &texts);
    }
}

/// A token of Discord has no beginning of its own.
#[test]
fn tokens_of_discord_need_no_name() {
    // The number of a user, in base64.
    let user = "MTA5ODc2NTQzMjEwOTg3NjU0Mw";
    let text = drawn(&format!("client.run(\"«{user}.{{a6}}.{{a38}}»\") and a.b.c"));
    check_texts(Context::Text, &[&text]);
    check_texts(Context::Text, &["see a.module.function_of_some_name_that_is_long_x1 there"]);
}

/// The same lines mean more in a file with settings.
#[test]
fn settings_need_no_value_that_looks_like_a_secret() {
    let texts = [
        "services:\n  db:\n    environment:\n      POSTGRES_PASSWORD: «lemontree»\n",
        "spring.datasource.password=«lemontree»\n",
        "db_password = \"«lemontree»\"\n",
        "password: '«lemontree»'\n",
        "[pypi]\nusername = ana\npassword = «lemontree»\n",
        "{\"ConnectionStrings\": {}, \"smtpPassword\": \"«lemontree»\"}",
        "DB_PASSWORD=«lemontree»\n",
        "password: production\nsecretName: lemontree\ntoken: ${{ secrets.TOKEN7X8Y }}\n",
    ];
    check_texts(Context::Settings, &texts);
    let fields = ["db.corp.net:5432:shop:ana:«lemontree»\n# a:b:c:d:e7x8y9\n*:*:*:root:«{a12}»\n"];
    check_texts(Context::PasswordFile, &fields);
    check_texts(Context::KeyFile, &["«{h32}»\n", "two words1 here\n"]);
}

/// Hashes can be tried out, so they are secrets; a name says what the id of a key is.
#[test]
fn hashes_of_passwords_and_ids_of_keys() {
    let texts = [
        "root:«$6${a16}${a86}»:19000:0:99999:7:::",
        "ana:«$5$rounds=5000${a16}${a43}»:19000::::::",
        "ana:«$1${a8}${a22}»:19000::::::",
        "root:«$y$j9T${a22}${a43}»:19000:0:99999:7:::",
        "ana:«$apr1${a8}${a22}»",
        "admin:«$2b$12${a53}»",
        r#"{\"hash\": \"«$2y$10${a53}»\"}"#,
        "hash = '«$argon2id$v=19$m=65536,t=3,p=4${a22}${a43}»'",
        "('ana', '«pbkdf2_sha256$260000${a22}${a43}=»', 1)",
        "AWS_ACCESS_KEY_ID=«AKIA5FK{u4}19R0{u5}»",
        "aws_access_key_id = «AKIA9{u10}10189»",
        r#""AccessKeyId": "«ASIA0{u15}»","#,
        "export AWS_ACCESS_KEY_ID=«{h32}»",
        // Not these.
        "echo $1$2$3 and \"$5$6\" $2b$ $y$ $argon2id$",
        "AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE",
        "AWS_ACCESS_KEY_ID=minioadmin",
        "aws_access_key_id = YOUR_ACCESS_KEY_ID",
        "AWS_ACCESS_KEY_ID: ${{ secrets.AWS_ACCESS_KEY_ID }}",
    ];
    for context in [Context::Text, Context::Shell] {
        check_texts(context, &texts);
    }
}

/// What stays in code: words, expressions, identifiers, examples.
#[test]
fn values_in_code_that_do_not_look_random_stay() {
    let texts = [
        "api_key = \"«{a32}»\"",
        "const token = '«a1B{a32}»';",
        "$env:API_TOKEN = \"«a1B{a32}»\"",
        r#""{\"client_secret\": \"«a1b2c3{a20}»\"}""#,
        "  token: «a1B2{a24}»\n  db-password: «a1b2c3{a12}»",
        "password = \"«tr0ub4dor&3xyz»\"",
        "password: «Hippo!Sun43»",
        // Not these.
        "const token = await getToken(user1, 'a1b2c3d4');",
        "token: ${{ secrets.GITHUB_TOKEN }}",
        "apiKey: process.env.OPENAI_API_KEY_2",
        "api_key = settings.api_keys[2]",
        "password: 'Welcome123!'",
        "password = \"correct horse battery staple\"",
        "token = \"access_token_for_user_2_v1\"",
        "key: 'AAAAB3NzaC1yc2EAAAADAQABAAABgQC7vbqajDhA0q7Zk2mPx9LwT'",
        "key = \"d41d8cd98f00b204e9800998ecf8427e\"",
        "api_key = \"01a1ddfb-4699-7700-9c99-078c5356990e\"",
        "secret: \"path/to/secret1/v2/a1b2\"",
        r#""AWS::IAM::AccessKey": "72c2d9dd90025459""#,
        r#""arn:aws:secretsmanager:us-west-2:123456789012:secret:MyTestDatabaseSecret-a1b2c3""#,
        r#""KMSKeyArn": "arn:aws:kms:us-west-2:123456789012:key/b0844d6c-d49f50839966""#,
        r#""SessionToken": "AQoEXAMPLEH4aoAH0gNCAPyJxz4BlCFFxWNE1OPTgk5TthT""#,
        r#""LocalConsolePassword": "PassWordMustBeAtLeast6Chars.""#,
        "credentials = {\"user\": \"admin\", \"password\": \"SomePassword123!@#\"}",
    ];
    check_texts(Context::Text, &texts);
}
