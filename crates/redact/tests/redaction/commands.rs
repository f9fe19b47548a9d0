//! Secrets among the words of command lines, and words that only look like them.

use pitree_redact::Context;

use crate::tables::check_texts;

/// Options that are known by their names, whatever the program is.
const NAMED_OPTIONS: &[&str] = &[
    "--token",
    "--api-key",
    "--apikey",
    "--api-token",
    "--auth-token",
    "--access-token",
    "--access-key",
    "--authkey",
    "--secret",
    "--secret-key",
    "--client-secret",
    "--pass",
    "--password",
    "--passwd",
    "--passphrase",
    "--db-password",
    "--http-password",
    "--private-key",
    "-token",
    "-password",
];

/// Command lines with their secrets.
const COMMANDS: &[&str] = &[
    "docker login -u ana -p «{a14}» registry.corp.net",
    "docker login -u ana -p «lemontree» registry.corp.net",
    "docker login --username ana --password «lemontree»",
    "sudo podman login -u ana -p='«{a14}»' quay.io",
    "echo «{a14}» | docker login --username ana --password-stdin",
    "mysql -u root -p«{a12}» shop",
    "mysql -uroot -p'«lemon$tree!7»' shop -e 'select 1'",
    "/usr/bin/mysqldump -h db -u app -p«Winter2024x» --all-databases > x.sql",
    "mysqladmin -u root password «{a12}»",
    "mariadb -uapp -p«{a12}»",
    "mongosh -u app -p «{a12}» --host db",
    "mongodump -u app -p=«{a12}» -d shop",
    "redis-cli -h cache -a «foobared7» ping",
    "redis-cli -h cache --pass «foobared7» ping",
    "redis-cli CONFIG SET requirepass «foobared7»",
    "az login --service-principal -u app -p «{a34}» --tenant t",
    "az acr login -n reg -u app -p «{a34}»",
    "aws configure set aws_secret_access_key «{b40}»",
    "aws configure set aws_session_token «{a60}» --profile dev",
    "htpasswd -b /etc/nginx/.htpasswd ana «lemontree7»",
    "htpasswd -nb ana «lemontree7»",
    "htpasswd -bc .htpasswd ana '«lemontree7»'",
    "gh secret set DEPLOY --body «{a24}»",
    "gh secret set DEPLOY -b\"«{a24}»\" --repo x/y",
    "echo \"«{a24}»\" | gh auth login --with-token",
    "ngrok authtoken «{a43}»",
    "ngrok config add-authtoken «{a43}»",
    "ngrok http 80 --authtoken «{a43}»",
    "sshpass -p '«lemon tree 7»' ssh ana@host",
    "sshpass -p«lemontree7» ssh ana@host",
    "curl -u ana:«lemontree7» https://corp.net",
    "curl -s --user 'ana:«lemon tree 7»' https://corp.net",
    "curl -uana:«lemontree7» https://corp.net",
    "curl --proxy-user ana:«lemontree7» https://corp.net",
    "http -a ana:«lemontree7» corp.net/x",
    "wget --user=ana --password='«lemontree7»' https://corp.net",
    "ldapsearch -x -D cn=admin -w «lemontree7» -b dc=corp",
    "smbclient //host/share -U 'ana%«lemontree7»'",
    "lftp -u ana,«lemontree7» host",
    "sqlcmd -S host -U sa -P '«lemontree7»' -Q 'select 1'",
    "cqlsh -u cassandra -p «lemontree7»",
    "sqlplus scott/«lemontree7»@orcl",
    "openssl enc -aes-256-cbc -in a -out b -pass pass:«lemontree7»",
    "openssl rsa -in key.pem -passin pass:«lemontree7» -out k",
    "ssh-keygen -t ed25519 -N '«lemontree7»' -f id",
    "keytool -genkey -keystore k.jks -storepass «lemontree7» -keypass «lemontree8»",
    "zip -r -P «lemontree7» a.zip a",
    "unzip -P «lemontree7» a.zip",
    "gpg --batch --passphrase '«lemon tree 7»' -c file",
    "plink -pw «lemontree7» ana@host",
    "rabbitmqctl add_user ana «lemontree7»",
    "mosquitto_pub -h host -u ana -P «lemontree7» -t x -m y",
    "security add-generic-password -a ana -s x -w «lemontree7»",
    "nmcli dev wifi connect home password «lemontree7»",
    "wpa_passphrase home «lemontree7»",
    "cargo login «{a32}»",
    "wandb login «{h40}»",
    "twine upload -u __token__ -p «{a60}» dist/*",
    "dotnet nuget push x.nupkg -k «{a46}» -s nuget.org",
    "npm config set //registry.npmjs.org/:_authToken «{a36}»",
    "poetry config pypi-token.pypi «{a60}»",
    "git config --global gitlab.token «{a20}»",
    "echo 'ana:«lemontree7»' | sudo chpasswd",
    "kubectl create secret generic db --from-literal=password=«lemontree7»",
    "helm install x --set auth.password=«lemontree7» chart",
    "docker run -e POSTGRES_PASSWORD=«lemontree7» postgres",
    "terraform apply -var 'db_password=«lemontree7»'",
    "tailscale up --authkey «{a40}»",
    "cloudflared tunnel run --token «{a80}»",
    "sentry-cli --auth-token «{h64}» releases list",
    "vault login «{a26}»",
    "docker login \\\n  -u ana \\\n  -p «{a14}» \\\n  registry.corp.net",
    "{\"command\":\"docker login -u ana -p «{a14}»\"}",
    "\"args\": [\"-y\", \"server\", \"--api-key\", \"«{a24}»\"]",
    "cd x && mysql -u root -p«{a12}» shop; echo done",
];

/// What stays as it is.
const HARMLESS: &[&str] = &[
    "docker run -p 8080:80 -v /a:/b nginx:1.27",
    "docker compose -p myproject7 up",
    "docker login -u ana -p $REGISTRY_PASSWORD registry.corp.net",
    "docker login -u ana -p <password> registry.corp.net",
    "docker login -u ana -p \"${TOKEN}\" registry.corp.net",
    "docker login -u ana --password-stdin < ~/pass.txt",
    "echo $TOKEN | docker login -u ana --password-stdin",
    "mkdir -p a/b/c7d8e9",
    "mysql -u root -p shop2024",
    "mysql -u root -p$MYSQL_PASSWORD shop2024",
    "mysql -h db1 -P 3306 -u root shop2024",
    "ls -a folder7x8y9z",
    "git commit -a -m 'token7x8y9z for the parser'",
    "git config --global credential.helper store7",
    "git config user.name ana2024x",
    "redis-cli -h cache -p 6379 get session7x8y",
    "ssh -p 2222 ana@host7x8y9z",
    "curl -u ana https://corp.net",
    "curl -u \"$USER:$PASS\" https://corp.net",
    "curl -s https://corp.net/a -o file7x8y9z",
    "openssl req -passin env:PASS7X8Y -passout file:/srv/p7x8y9",
    "htpasswd -c .htpasswd ana2024xyz",
    "az login --use-device-code",
    "az vm create -n vm7x8y9z -p",
    "aws configure set region us-east-1",
    "aws s3 cp a7x8y9z s3://b/c",
    "gh secret set DEPLOY < file7x8y9z",
    "gh secret list --repo x/y7x8y9z",
    "ngrok http 8080",
    "--token <token> --token TOKEN --token $TOKEN --token ${TOKEN7X8}",
    "      --token string          the token of the account",
    "the --password and --token options are read first, --secret comes last",
    "--password-file=/run/secrets/db1 --token-file x7x8y9z --key-id a7x8y9z1b2c3d4",
    "--max-tokens 4096 --tokens 16384000 --next-token a7x8y9z1b2c3d4e5f6",
    "--pass-through --password=required --api-key=your-api-key-here --secret=changeme",
    "ssh-keygen -t ed25519 -N '' -f id7x8y9z",
    "npm config set registry https://registry7x8y.corp.net",
    "cargo login --help",
    "vault login -method=oidc7x8y9z",
    "zip -r a.zip b7x8y9z",
    "the docker login and the mysql -p option",
];

#[test]
fn options_are_known_by_their_names() {
    let mut texts = Vec::new();
    for option in NAMED_OPTIONS {
        for form in ["tool sub {o} «{a24}» next", "tool {o}=«{a24}»", "tool {o} '«{a24}»' -x"]
        {
            texts.push(form.replace("{o}", option));
        }
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for context in [Context::Text, Context::Shell] {
        check_texts(context, &texts);
    }
}

#[test]
fn secrets_are_found_by_the_shape_of_a_command() {
    for context in [Context::Text, Context::Shell] {
        check_texts(context, COMMANDS);
    }
}

#[test]
fn words_that_are_not_secrets_stay() {
    for context in [Context::Text, Context::Shell] {
        check_texts(context, HARMLESS);
    }
}
