//! What a file is, told by its path: it decides how the text in it is read.

use crate::scan::Context;

/// Files of which the whole name says that they hold settings.
const SETTINGS: [&str; 25] = [
    ".yarnrc",
    ".netrc",
    "_netrc",
    ".pypirc",
    ".my.cnf",
    ".mylogin.cnf",
    ".s3cfg",
    ".boto",
    ".passwd-s3fs",
    ".dockercfg",
    ".dockerconfigjson",
    ".git-credentials",
    ".gitconfig",
    ".curlrc",
    ".wgetrc",
    ".msmtprc",
    ".fetchmailrc",
    ".terraformrc",
    "kubeconfig",
    "credentials",
    "config",
    "wp-config.php",
    "settings.xml",
    "settings.py",
    "local_settings.py",
];

/// Endings of files with settings.
const ENDINGS: [&str; 21] = [
    ".env",
    ".yml",
    ".yaml",
    ".properties",
    ".tfvars",
    ".tfstate",
    ".toml",
    ".ini",
    ".cfg",
    ".cnf",
    ".conf",
    ".config",
    ".credentials",
    ".kubeconfig",
    ".ovpn",
    ".rdp",
    ".service",
    ".htpasswd",
    ".plist",
    ".envrc",
    ".npmrc",
];

/// Words in the names of JSON files with settings.
const JSON: [&str; 7] =
    ["config", "secret", "credential", "auth", "settings", "token", "service-account"];

/// How the text of a file is read; `None` as any other text.
pub(crate) fn context_of(path: &str) -> Option<Context> {
    let path = path.trim().trim_matches(['"', '\'']);
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_ascii_lowercase();
    let is = |names: &[&str]| names.contains(&name.as_str());
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    if is(&[".pgpass", "pgpass.conf", ".htpasswd"]) {
        return Some(Context::PasswordFile);
    }
    if is(&["master.key", "secret.key", "secret_key", ".vault_pass", ".vault-token"])
        || name.ends_with(".key") && path.contains("credentials")
    {
        return Some(Context::KeyFile);
    }
    let is_json = name.ends_with(".json") && JSON.iter().any(|word| name.contains(word));
    let is_manifest = is(&["package.json", "tsconfig.json", "pyproject.toml", "cargo.toml"])
        || name.ends_with("-lock.yaml")
        || name.starts_with("tsconfig");
    let is_settings = is(&SETTINGS) || ends(&ENDINGS) || name.starts_with(".env.") || is_json;
    (is_settings && !is_manifest).then_some(Context::Settings)
}

/// How what a command prints is read: `cat .env` prints a file with settings.
pub(crate) fn context_of_command(command: &str) -> Option<Context> {
    const READERS: [&str; 7] = ["cat", "head", "tail", "less", "more", "bat", "type"];
    let last = command.rsplit(['|', ';', '&']).find(|part| !part.trim().is_empty())?;
    let mut words = last.split_ascii_whitespace().filter(|word| *word != "sudo");
    let is_reader = words.next().is_some_and(|word| READERS.contains(&word));
    let path = words.rfind(|word| !word.starts_with('-'))?;
    is_reader.then(|| context_of(path)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_told_by_their_paths() {
        for path in [
            "/srv/app/.env",
            ".env.local",
            "docker-compose.yml",
            "C:\\app\\application.properties",
            "~/.kube/config",
            "prod.tfvars",
            "~/.docker/config.json",
        ] {
            assert_eq!(context_of(path), Some(Context::Settings), "{path}");
        }
        for path in ["src/main.rs", "notes.md", "package.json", "config.rs", "pnpm-lock.yaml", ""] {
            assert_eq!(context_of(path), None, "{path}");
        }
        assert_eq!(context_of("~/.pgpass"), Some(Context::PasswordFile));
        assert_eq!(context_of("config/master.key"), Some(Context::KeyFile));
        assert_eq!(context_of_command("cd /srv && cat config/master.key"), Some(Context::KeyFile));
        assert_eq!(context_of_command("sudo cat .env"), Some(Context::Settings));
        assert_eq!(context_of_command("grep x .env"), None);
    }
}
