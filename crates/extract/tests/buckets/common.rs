//! A server that all tests share, with a bucket for each, and quick limits.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use pitree_extract::ExtractError;
use pitree_extract::remote::{
    Destination, Gathered, ObjectUrl, RemoteLimits, RemoteOptions, gather,
};
use pitree_testkit::{Fault, FaultProxy, ObjectServer, ProxiedRequest};
use serde_json::json;
use tempfile::TempDir;

/// As many bytes as a part of an upload must have.
pub(crate) const PART: usize = 5 << 20;

/// The S3 server of all tests.
fn server(test: &str) -> Option<&'static ObjectServer> {
    static SERVER: OnceLock<Option<ObjectServer>> = OnceLock::new();
    let server = SERVER.get_or_init(|| ObjectServer::s3(test)).as_ref();
    if server.is_none() {
        pitree_testkit::skip(test, "there is no S3 server");
    }
    server
}

/// A bucket of a test, and a machine that reads from it and writes to it.
pub(crate) struct World {
    pub(crate) server: &'static ObjectServer,
    pub(crate) bucket: String,
    pub(crate) root: TempDir,
}

impl World {
    pub(crate) fn new(test: &str) -> Option<Self> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let server = server(test)?;
        let bucket = format!("bucket-{}", COUNT.fetch_add(1, Ordering::Relaxed));
        server.make_bucket(&bucket);
        Some(Self { server, bucket, root: tempfile::tempdir().unwrap() })
    }

    pub(crate) fn put(&self, name: &str, bytes: &[u8]) {
        self.server.put(&self.bucket, name, bytes);
    }

    pub(crate) fn get(&self, name: &str) -> Option<Vec<u8>> {
        self.server.get(&self.bucket, name)
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.server.names(&self.bucket)
    }

    pub(crate) fn url(&self, prefix: &str) -> ObjectUrl {
        ObjectUrl::parse(&format!("s3://{}/{prefix}", self.bucket)).unwrap()
    }

    pub(crate) fn options(&self) -> RemoteOptions {
        self.options_by(self.server.address())
    }

    /// The options of a client that reaches the server at this address.
    pub(crate) fn options_by(&self, address: &str) -> RemoteOptions {
        options(ObjectServer::s3_variables(address), self.root.path())
    }

    /// A proxy before the server.
    pub(crate) fn proxy(
        &self,
        decide: impl FnMut(&ProxiedRequest) -> Option<Fault> + Send + 'static,
    ) -> FaultProxy {
        FaultProxy::before(self.server.address(), decide).unwrap()
    }

    pub(crate) fn gather(&self, prefix: &str) -> Result<Gathered, ExtractError> {
        gather(&[self.url(prefix)], &self.options())
    }

    /// Writes a data set with these files to `set`, and says how that went.
    pub(crate) fn publish(
        &self,
        files: &[(&str, &[u8])],
        options: &RemoteOptions,
    ) -> Result<(), ExtractError> {
        self.publish_over(files, false, options)
    }

    /// The same, also over files that somebody has edited.
    pub(crate) fn publish_over(
        &self,
        files: &[(&str, &[u8])],
        edited: bool,
        options: &RemoteOptions,
    ) -> Result<(), ExtractError> {
        let destination = Destination::prepare(&self.url("set"), edited, options)?;
        write_data_set(destination.folder(), files);
        destination.publish()
    }

    /// The data set in the bucket as a reader sees it, with the hashes of its files: nothing without
    /// its card.
    pub(crate) fn read_set(&self) -> Option<Vec<(String, String)>> {
        let card = self.get("set/card.json")?;
        let card: serde_json::Value = serde_json::from_slice(&card).unwrap();
        let file = |file: &serde_json::Value| {
            let name = file["path"].as_str().unwrap().to_owned();
            let bytes = self.get(&format!("set/{name}")).expect("the card names it");
            let hash = blake3::hash(&bytes).to_hex().to_string();
            assert_eq!(hash.as_str(), file["blake3"], "{name}");
            (name, hash)
        };
        Some(card["files"].as_array().unwrap().iter().map(file).collect())
    }
}

/// Options with limits by which nothing takes long.
pub(crate) fn options(variables: Vec<(String, String)>, root: &Path) -> RemoteOptions {
    RemoteOptions {
        variables,
        cache: Some(root.join("cache")),
        now: SystemTime::now(),
        limits: RemoteLimits {
            connect: Duration::from_secs(5),
            answer: Duration::from_secs(5),
            stall: Duration::from_millis(500),
            retries: 4,
            first_wait: Duration::from_millis(5),
            longest_wait: Duration::from_millis(20),
            parallel: 8,
            part_bytes: PART as u64,
        },
        ..RemoteOptions::new(root.to_owned())
    }
}

/// The files of a data set, as a run makes them.
pub(crate) fn write_data_set(folder: &Path, files: &[(&str, &[u8])]) {
    let mut listed = Vec::new();
    for (name, bytes) in files {
        let path = folder.join(name);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(&path, bytes).unwrap();
        listed.push(json!({"path": name, "blake3": blake3::hash(bytes).to_hex().as_str()}));
    }
    let card = json!({
        "card": 2, "generator": "pitree test", "files": listed, "samples": {"total": files.len()},
    });
    fs_err::write(folder.join("card.json"), card.to_string()).unwrap();
}

/// Bytes that no two places share.
pub(crate) fn bytes(len: usize, seed: u8) -> Vec<u8> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&[seed]);
    let mut bytes = vec![0; len];
    hasher.finalize_xof().fill(&mut bytes);
    bytes
}

/// All files below a folder that are neither locks nor folders.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs_err::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => found.extend(files_below(&path)),
            false if path.ends_with("lock") => {}
            false => found.push(path),
        }
    }
    found
}
