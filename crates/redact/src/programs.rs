//! Programs that take a secret on their command line, and where it stands there.

use Argument::{Glued, LastWith, Next, Option as Value, Pair, Setting, Slash, ValuePlace};

/// A program, or one that is called in a certain way.
pub(crate) struct Program {
    /// How a call of it begins.
    pub(crate) called: &'static str,
    /// One of these words must stand behind it, if there are any.
    pub(crate) verbs: &'static [&'static str],
    pub(crate) arguments: &'static [Argument],
}

/// Where a secret stands among the words of a command.
#[derive(Clone, Copy)]
pub(crate) enum Argument {
    /// Behind an option: in the next word, behind `=`, or in the same word.
    Option(&'static str),
    /// In the same word as an option; what follows it is something else.
    Glued(&'static str),
    /// In the word after this one.
    Next(&'static str),
    /// Behind a sign in the value of an option: `user:password`.
    Pair(&'static str, u8),
    /// The word at this place behind the verb, without options.
    ValuePlace(usize),
    /// The last word, if the short options have this letter.
    LastWith(u8),
    /// `user/password@host`.
    Slash,
    /// Behind a word that names a secret: `set api_key …`.
    Setting,
}

const fn of(
    called: &'static str,
    verbs: &'static [&'static str],
    arguments: &'static [Argument],
) -> Program {
    Program { called, verbs, arguments }
}

/// Options with long names need no line here: `--password`, `--token` and their kin are known by
/// their names.
pub(crate) const PROGRAMS: &[Program] = &[
    of("docker", &["login"], &[Value("-p")]),
    of("podman", &["login"], &[Value("-p")]),
    of("nerdctl", &["login"], &[Value("-p")]),
    of("buildah", &["login"], &[Value("-p")]),
    of("skopeo", &["login"], &[Value("-p")]),
    of("helm", &["login"], &[Value("-p")]),
    of("oras", &["login"], &[Value("-p")]),
    of("az login", &["login"], &[Value("-p")]),
    of("az acr", &["login"], &[Value("-p")]),
    of("oc login", &["login"], &[Value("-p")]),
    of("cf login", &["login"], &[Value("-p")]),
    of("cf auth", &["auth"], &[ValuePlace(1)]),
    of("mysql", &[], &[Glued("-p")]),
    of("mysqldump", &[], &[Glued("-p")]),
    of("mysqladmin", &[], &[Glued("-p"), Next("password")]),
    of("mysqlimport", &[], &[Glued("-p")]),
    of("mysqlshow", &[], &[Glued("-p")]),
    of("mysqlcheck", &[], &[Glued("-p")]),
    of("mysqlsh", &[], &[Glued("-p")]),
    of("mariadb", &[], &[Glued("-p")]),
    of("mariadb-dump", &[], &[Glued("-p")]),
    of("mariadb-admin", &[], &[Glued("-p")]),
    of("mycli", &[], &[Value("-p")]),
    of("mongo", &[], &[Value("-p")]),
    of("mongosh", &[], &[Value("-p")]),
    of("mongodump", &[], &[Value("-p")]),
    of("mongorestore", &[], &[Value("-p")]),
    of("mongoexport", &[], &[Value("-p")]),
    of("mongoimport", &[], &[Value("-p")]),
    of("redis-cli", &[], &[Value("-a"), Next("AUTH"), Next("auth"), Next("requirepass")]),
    of("valkey-cli", &[], &[Value("-a")]),
    of("sqlcmd", &[], &[Value("-P")]),
    of("bcp", &[], &[Value("-P")]),
    of("tsql", &[], &[Value("-P")]),
    of("cqlsh", &[], &[Value("-p")]),
    of("sqlplus", &[], &[Slash]),
    of("sqlldr", &[], &[Slash]),
    of("expdp", &[], &[Slash]),
    of("impdp", &[], &[Slash]),
    of("ldapsearch", &[], &[Value("-w")]),
    of("ldapadd", &[], &[Value("-w")]),
    of("ldapmodify", &[], &[Value("-w")]),
    of("ldapdelete", &[], &[Value("-w")]),
    of("ldapwhoami", &[], &[Value("-w")]),
    of("ldappasswd", &[], &[Value("-w"), Value("-s"), Value("-a")]),
    of("smbclient", &[], &[Pair("-U", b'%'), Pair("--user", b'%')]),
    of("rpcclient", &[], &[Pair("-U", b'%')]),
    of("lftp", &[], &[Pair("-u", b',')]),
    of(
        "curl",
        &[],
        &[Pair("-u", b':'), Pair("--user", b':'), Pair("-U", b':'), Pair("--proxy-user", b':')],
    ),
    of("http -a", &[], &[Pair("-a", b':')]),
    of("https -a", &[], &[Pair("-a", b':')]),
    of("sshpass", &[], &[Value("-p")]),
    of("plink", &[], &[Next("-pw")]),
    of("pscp", &[], &[Next("-pw")]),
    of("psftp", &[], &[Next("-pw")]),
    of("putty", &[], &[Next("-pw")]),
    of("xfreerdp", &[], &[Glued("/p:")]),
    of("rdesktop", &[], &[Value("-p")]),
    of("ssh-keygen", &[], &[Next("-N"), Next("-P")]),
    of(
        "openssl",
        &[],
        &[Glued("pass:"), Next("-passin"), Next("-passout"), Next("-pass"), Next("-password")],
    ),
    of(
        "keytool",
        &[],
        &[Next("-storepass"), Next("-keypass"), Next("-srcstorepass"), Next("-deststorepass")],
    ),
    of("jarsigner", &[], &[Next("-storepass"), Next("-keypass")]),
    of("apksigner", &[], &[Next("--ks-pass"), Next("--key-pass")]),
    of("zip", &[], &[Value("-P")]),
    of("unzip", &[], &[Value("-P")]),
    of("7za", &[], &[Glued("-p")]),
    of("7z ", &[], &[Glued("-p")]),
    of("unrar", &[], &[Glued("-p")]),
    of("pdftk", &[], &[Next("user_pw"), Next("owner_pw"), Next("input_pw")]),
    of("htpasswd", &[], &[LastWith(b'b')]),
    of("chpasswd", &[], &[]),
    of("rabbitmqctl", &["add_user", "change_password", "authenticate_user"], &[ValuePlace(1)]),
    of("mosquitto_pub", &[], &[Value("-P")]),
    of("mosquitto_sub", &[], &[Value("-P")]),
    of("mosquitto_passwd", &[], &[LastWith(b'b')]),
    of("swaks", &[], &[Next("-ap")]),
    of("sendemail", &[], &[Next("-xp")]),
    of("nmcli", &[], &[Next("password")]),
    of("wpa_passphrase", &[], &[ValuePlace(1)]),
    of("security", &["add-generic-password", "add-internet-password"], &[Value("-w")]),
    of(
        "security",
        &["unlock-keychain", "create-keychain", "set-key-partition-list"],
        &[Value("-p"), Value("-k")],
    ),
    of("bw login", &["login"], &[ValuePlace(1)]),
    of("bw unlock", &["unlock"], &[ValuePlace(0)]),
    of("gh secret", &["set"], &[Value("-b"), Next("--body")]),
    of("gh auth", &["login"], &[]),
    of("ngrok", &["authtoken", "add-authtoken", "add-api-key"], &[ValuePlace(0)]),
    of("cloudflared", &["install"], &[ValuePlace(0)]),
    of("cargo login", &["login"], &[ValuePlace(0)]),
    of("wandb login", &["login"], &[ValuePlace(0)]),
    of("snyk auth", &["auth"], &[ValuePlace(0)]),
    of("vault login", &["login"], &[ValuePlace(0)]),
    of("twine", &["upload"], &[Value("-p")]),
    of("nuget", &["setapikey", "setApiKey"], &[ValuePlace(0)]),
    of("nuget", &["push", "sources"], &[Next("-ApiKey"), Next("-Password")]),
    of("dotnet nuget", &["push"], &[Value("-k")]),
    of("dotnet user-secrets", &["set"], &[Setting]),
    of("doctl", &["init"], &[Value("-t")]),
    of("vercel", &[], &[Value("-t")]),
    of("aws configure", &["set"], &[Setting]),
    of("gcloud config", &["set"], &[Setting]),
    of("npm config", &["set"], &[Setting]),
    of("npm set", &["set"], &[Setting]),
    of("pnpm config", &["set"], &[Setting]),
    of("yarn config", &["set"], &[Setting]),
    of("pip config", &["set"], &[Setting]),
    of("poetry config", &["config"], &[Setting]),
    of("composer config", &["config"], &[Setting]),
    of("bundle config", &["config"], &[Setting]),
    of("git config", &["config"], &[Setting]),
    of("pulumi config", &["set"], &[Setting]),
    of("rclone config", &["create", "update"], &[Setting]),
    of("rclone obscure", &["obscure"], &[ValuePlace(0)]),
];
