//! Object stores on loopback: `moto` speaks the protocol of S3, `azurite` that of Azure.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

use crate::{Consumers, skip};

/// Who asks S3 servers.
const S3_USER: &str = "AKIAIOSFODNN7EXAMPLE";

/// The account of every azurite, and its key, which is no secret.
const AZURE_ACCOUNT: &str = "devstoreaccount1";
const AZURE_KEY: &str =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

/// Where `cargo xtask consumers` installs unless it is told another target folder.
const DEFAULT_FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/azurite");

/// A server may take so long to start.
const LONGEST_START: Duration = Duration::from_secs(60);

/// An object store that lives as long as this value.
#[derive(Debug)]
pub struct ObjectServer {
    child: Child,
    /// As long as this is open, the server runs.
    held: Option<ChildStdin>,
    address: String,
    _home: TempDir,
}

impl ObjectServer {
    /// An S3 server; `None`, after a line that names the test as skipped, where it is not
    /// installed.
    pub fn s3(test: &str) -> Option<Self> {
        let moto = Consumers::find_moto(test)?;
        let mut command = Command::new(moto.program("moto_server"));
        command.args(["-H", "127.0.0.1", "-p", "0"]);
        Some(started(&command))
    }

    /// An Azure server; `None`, after a line that names the test as skipped, where it is not
    /// installed.
    pub fn azure(test: &str) -> Option<Self> {
        let given = std::env::var_os("PITREE_AZURITE").filter(|folder| !folder.is_empty());
        let folder = given.map_or_else(|| PathBuf::from(DEFAULT_FOLDER), PathBuf::from);
        if !folder.join("installed").is_file() {
            skip(test, "azurite is not installed (cargo xtask consumers)");
            return None;
        }
        let mut command = Command::new("node");
        command.arg(folder.join("node_modules/azurite/dist/src/blob/main.js"));
        command.args(["--blobPort", "0", "--blobHost", "127.0.0.1", "--inMemoryPersistence"]);
        command.args(["--skipApiVersionCheck", "--disableTelemetry"]);
        Some(started(&command))
    }

    /// Its host and port.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// The variables by which a client reaches an S3 server at this address.
    pub fn s3_variables(address: &str) -> Vec<(String, String)> {
        let endpoint = format!("http://{address}");
        variables(&[
            ("AWS_ACCESS_KEY_ID", S3_USER),
            ("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY"),
            ("AWS_REGION", "us-east-1"),
            ("AWS_ALLOW_HTTP", "true"),
            ("AWS_ENDPOINT_URL", &endpoint),
        ])
    }

    /// The variables by which a client reaches an azurite at this address.
    pub fn azure_variables(address: &str) -> Vec<(String, String)> {
        let endpoint = format!("http://{address}/{AZURE_ACCOUNT}");
        variables(&[
            ("AZURE_STORAGE_ACCOUNT_NAME", AZURE_ACCOUNT),
            ("AZURE_STORAGE_ACCOUNT_KEY", AZURE_KEY),
            ("AZURE_ALLOW_HTTP", "true"),
            ("AZURE_ENDPOINT", &endpoint),
        ])
    }

    /// Asks the S3 server, which does not look at signatures. Returns status and body.
    pub fn ask(&self, method: &str, target: &str, body: &[u8]) -> Result<(u16, Vec<u8>)> {
        let mut stream = TcpStream::connect(&self.address)?;
        write!(
            stream,
            "{method} {target} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\
             authorization: AWS4-HMAC-SHA256 Credential={S3_USER}/20260101/us-east-1/s3/aws4_request, \
             SignedHeaders=host, Signature=unchecked\r\ncontent-length: {}\r\n\r\n",
            self.address,
            body.len()
        )?;
        stream.write_all(body)?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        let end = answer.windows(4).position(|at| at == b"\r\n\r\n").context("no head")? + 4;
        let head = String::from_utf8_lossy(&answer[..end]).into_owned();
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        Ok((status.context("no status")?, answer.split_off(end)))
    }

    /// Makes a container of the Azure server.
    pub fn make_container(&self, container: &str) {
        let script = "/../extract/tests/consumers/azurite/make-container.mjs";
        let mut command = Command::new("node");
        command.arg(format!("{}{script}", env!("CARGO_MANIFEST_DIR")));
        command.args([&self.address, AZURE_ACCOUNT, AZURE_KEY, container]);
        let status = command.status();
        assert!(status.is_ok_and(|status| status.success()), "{container} was not made");
    }

    /// Makes a bucket of the S3 server.
    pub fn make_bucket(&self, bucket: &str) {
        self.must("PUT", &format!("/{bucket}"), b"");
    }

    /// Writes an object of the S3 server. The name may be anything.
    pub fn put(&self, bucket: &str, name: &str, bytes: &[u8]) {
        self.must("PUT", &target(bucket, name), bytes);
    }

    /// Reads an object of the S3 server; `None` if there is none.
    pub fn get(&self, bucket: &str, name: &str) -> Option<Vec<u8>> {
        let (status, body) = self.asked("GET", &target(bucket, name), b"");
        (status == 200).then_some(body)
    }

    /// Removes an object of the S3 server.
    pub fn delete(&self, bucket: &str, name: &str) {
        self.must("DELETE", &target(bucket, name), b"");
    }

    /// The names of the objects of a bucket of the S3 server, in order.
    pub fn names(&self, bucket: &str) -> Vec<String> {
        let (_, body) = self.asked("GET", &format!("/{bucket}?list-type=2"), b"");
        elements(&String::from_utf8_lossy(&body), "Key")
    }

    /// How many uploads in parts the S3 server knows that are neither complete nor given up.
    pub fn open_uploads(&self, bucket: &str) -> usize {
        let (_, body) = self.asked("GET", &format!("/{bucket}?uploads"), b"");
        elements(&String::from_utf8_lossy(&body), "UploadId").len()
    }

    fn asked(&self, method: &str, target: &str, body: &[u8]) -> (u16, Vec<u8>) {
        match self.ask(method, target, body) {
            Ok(answer) => answer,
            Err(error) => panic!("{method} {target}: {error:#}"),
        }
    }

    fn must(&self, method: &str, target: &str, body: &[u8]) {
        let (status, answer) = self.asked(method, target, body);
        let answer = String::from_utf8_lossy(&answer);
        assert!((200..300).contains(&status), "{method} {target}: {status} {answer}");
    }
}

impl Drop for ObjectServer {
    fn drop(&mut self) {
        self.held = None;
        // It holds nothing that anybody needs.
        let _ = self.child.wait();
    }
}

fn variables(of: &[(&str, &str)]) -> Vec<(String, String)> {
    of.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn target(bucket: &str, name: &str) -> String {
    let mut target = format!("/{bucket}/");
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' => {
                target.push(char::from(byte));
            }
            other => target.push_str(&format!("%{other:02X}")),
        }
    }
    target
}

/// The texts of all elements of this name.
fn elements(xml: &str, name: &str) -> Vec<String> {
    let (open, close) = (format!("<{name}>"), format!("</{name}>"));
    let parts = xml.split(&open).skip(1);
    parts.filter_map(|rest| Some(rest.split_once(&close)?.0.to_owned())).collect()
}

fn started(command: &Command) -> ObjectServer {
    start(command).unwrap_or_else(|error| panic!("the object store does not start: {error:#}"))
}

/// Starts a server that says on which address it listens. A shell ends it when nobody holds the
/// other end of its input any more, so it does not outlive the tests, however these end.
fn start(server: &Command) -> Result<ObjectServer> {
    let home = tempfile::tempdir()?;
    let mut command = Command::new("sh");
    command.args(["-c", "\"$@\" & cat >/dev/null; kill $!", "sh"]);
    command.arg(server.get_program()).args(server.get_args());
    command.env("HOME", home.path()).current_dir(home.path()).env("PYTHONUNBUFFERED", "1");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("{command:?}"))?;
    let held = child.stdin.take();
    let (send, found) = channel();
    let outputs: [Option<Box<dyn Read + Send>>; 2] = [
        child.stdout.take().map(|output| Box::new(output) as _),
        child.stderr.take().map(|output| Box::new(output) as _),
    ];
    for output in outputs.into_iter().flatten() {
        let send = send.clone();
        // It reads on, so that the server never waits for its output to be read.
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if let Some((_, address)) = line.split_once("http://127.0.0.1:") {
                    let port: String = address.chars().take_while(char::is_ascii_digit).collect();
                    let _ = send.send(format!("127.0.0.1:{port}"));
                }
            }
        });
    }
    drop(send);
    match found.recv_timeout(LONGEST_START) {
        Ok(address) => Ok(ObjectServer { child, held, address, _home: home }),
        Err(_) => bail!("{} has said no address", Path::new(server.get_program()).display()),
    }
}
