//! `rpc`: the protocol of pitree against that of the real Pi, on copies of the same large session
//! in the same run. One client asks and waits for each answer; the rounds of both take turns.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, ensure};
use pitree_format::edit::set_member;
use pitree_format::js::stringify;
use pitree_session::Session;

use crate::corpus::{self, LARGE};
use crate::engine;
use crate::pi::Installation;
use crate::process::pitree;
use crate::timing::timed;

/// Requests of one kind in one round.
const REQUESTS: usize = 300;
const WINDOW: usize = 50;
const GOTO: &str = include_str!("goto.mjs");
const MODELS: &str = r#"{"providers":{"mock":{"baseUrl":"http://127.0.0.1:9/v1","api":"openai-completions","apiKey":"none","models":[{"id":"m1","contextWindow":200000,"maxTokens":4096}]}}}"#;

/// Measures and prints.
pub(crate) fn run(rounds: usize) -> Result<()> {
    let place = BenchFolder::make()?;
    let session = Session::open(place.copy("pitree")?, &engine::environment()?)?;
    let jobs = jobs(&session)?;
    println!(
        "{} entries, {} bytes; {rounds} rounds",
        session.len(),
        LARGE.file()?.metadata()?.len()
    );
    drop(session);
    let mut ours = Peer::start(place.pitree()?)?;
    let mut theirs = Peer::start(place.pi()?)?;
    println!(
        "\nrequests a second, one at a time; 99 of 100 are answered within p99 (milliseconds)"
    );
    println!(
        "  {:<24} {:>10} {:>9}  {:>10} {:>9}  {:>7}",
        "", "pitree", "p99", "Pi", "p99", "ratio"
    );
    for job in &jobs {
        let (mut our_times, mut their_times) = (Vec::new(), Vec::new());
        for _ in 0..rounds.max(1) {
            our_times.push(ours.times(&job.ours)?);
            their_times.push(theirs.times(&job.theirs)?);
        }
        let (ours, theirs) = (Figures::of(our_times), Figures::of(their_times));
        println!(
            "  {:<24} {:>10.0} {:>9.3}  {:>10.0} {:>9.3}  {:>6.1}x",
            job.name,
            ours.a_second,
            ours.p99,
            theirs.a_second,
            theirs.p99,
            ours.a_second / theirs.a_second
        );
    }
    println!(
        "\nPi has no window for entries (it is asked for the last {WINDOW} by `since`) and no \
         command to move; there a command of an extension moves."
    );
    Ok(())
}

/// The same thing to ask on both sides; several requests take turns.
struct Job {
    name: &'static str,
    ours: Vec<String>,
    theirs: Vec<String>,
}

fn jobs(session: &Session) -> Result<Vec<Job>> {
    let path = session.active_path();
    let place = |part: usize| -> Result<String> {
        let entry = path[path.len() * part / 4..]
            .iter()
            .find(|entry| entry.is_message(pitree_format::Role::Assistant));
        Ok(entry.context("no answer in the session")?.id().to_owned())
    };
    let targets = [place(1)?, place(2)?, place(3)?];
    let since = session.at(session.len() - WINDOW - 1).context("a short session")?.id().to_owned();
    let first = session.len() - WINDOW;
    let state = || vec![r#"{"type":"get_state"}"#.to_owned()];
    Ok(vec![
        Job { name: "get_state", ours: state(), theirs: state() },
        Job {
            name: "get_entries, 50",
            ours: vec![format!(r#"{{"type":"get_entries","offset":{first},"limit":{WINDOW}}}"#)],
            theirs: vec![format!(r#"{{"type":"get_entries","since":"{since}"}}"#)],
        },
        Job {
            name: "navigate_tree",
            ours: targets.iter().map(|id| navigate(id)).collect(),
            theirs: targets.iter().map(|id| goto(id)).collect(),
        },
    ])
}

fn navigate(id: &str) -> String {
    format!(r#"{{"type":"navigate_tree","entryId":"{id}"}}"#)
}

fn goto(id: &str) -> String {
    format!(r#"{{"type":"prompt","message":"/goto {id}"}}"#)
}

/// Requests a second of the best round, and the 99th percentile of the best round for it.
struct Figures {
    a_second: f64,
    p99: f64,
}

impl Figures {
    fn of(rounds: Vec<Vec<f64>>) -> Self {
        let mut best = Self { a_second: 0.0, p99: f64::INFINITY };
        for mut times in rounds {
            let total: f64 = times.iter().sum();
            times.sort_by(f64::total_cmp);
            best.a_second = best.a_second.max(times.len() as f64 / total * 1000.0);
            best.p99 = best.p99.min(times[times.len() * 99 / 100]);
        }
        best
    }
}

/// Where both work: a copy of the session and an agent's folder for each.
struct BenchFolder(PathBuf);

impl BenchFolder {
    fn make() -> Result<Self> {
        let folder = corpus::folder()?.join("rpc");
        for name in ["agent", "project", "pitree", "pi"] {
            fs_err::create_dir_all(folder.join(name))?;
        }
        fs_err::write(folder.join("agent/models.json"), MODELS)?;
        fs_err::write(folder.join("goto.mjs"), GOTO)?;
        Ok(Self(folder))
    }

    /// A copy of the session whose directory exists, and with a model that both know.
    fn copy(&self, who: &str) -> Result<PathBuf> {
        let bytes = fs_err::read(LARGE.file()?)?;
        let end = bytes.iter().position(|byte| *byte == b'\n').context("no header")?;
        let cwd = stringify(&self.0.join("project").to_string_lossy().into_owned().into());
        let mut copy = set_member(&bytes[..end], "cwd", &cwd)?;
        copy.extend_from_slice(&bytes[end..]);
        let path = self.0.join(who).join("s.jsonl");
        fs_err::write(&path, copy)?;
        let mut session = Session::open(&path, &engine::environment()?)?;
        session.append_model_change("mock", "m1")?;
        session.append_thinking_level_change("off")?;
        Ok(path)
    }

    fn furnish(&self, command: &mut Command) {
        command
            .current_dir(self.0.join("project"))
            .env("HOME", &self.0)
            .env("PI_CODING_AGENT_DIR", self.0.join("agent"))
            .env("PI_OFFLINE", "1")
            .env("PI_TELEMETRY", "0");
    }

    fn pitree(&self) -> Result<Command> {
        let mut command = Command::new(pitree()?);
        self.furnish(&mut command);
        command.args(["rpc", "--session"]).arg(self.0.join("pitree/s.jsonl"));
        Ok(command)
    }

    fn pi(&self) -> Result<Command> {
        let mut command = Installation::find()?.main(&self.0.join("goto.mjs"));
        self.furnish(&mut command);
        command.args(["--mode", "rpc", "--offline", "-ne", "--no-skills", "-nc", "-np"]);
        command.args(["--no-themes", "--session"]).arg(self.copy("pi")?);
        Ok(command)
    }
}

/// A running server.
struct Peer {
    child: Child,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    asked: usize,
}

impl Peer {
    fn start(mut command: Command) -> Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let requests = child.stdin.take().context("no standard input")?;
        let output = child.stdout.take().context("no standard output")?;
        let mut peer =
            Self { child, requests, answers: BufReader::with_capacity(1 << 20, output), asked: 0 };
        // The first answer comes when the session is open.
        peer.ask(r#"{"type":"get_state"}"#)?;
        Ok(peer)
    }

    /// The milliseconds of each request.
    fn times(&mut self, requests: &[String]) -> Result<Vec<f64>> {
        for request in requests {
            self.ask(request)?;
        }
        let requests = requests.iter().cycle().take(REQUESTS);
        requests
            .map(|request| {
                let (done, took) = timed(|| self.ask(request));
                done.map(|()| took)
            })
            .collect()
    }

    fn ask(&mut self, request: &str) -> Result<()> {
        self.asked += 1;
        let id = format!("\"q{}\"", self.asked);
        let rest = request.strip_prefix('{').context("a request is an object")?;
        self.requests.write_all(format!("{{\"id\":{id},{rest}\n").as_bytes())?;
        let begin = format!("{{\"id\":{id},\"type\":\"response\"");
        let mut line = Vec::new();
        loop {
            line.clear();
            ensure!(self.answers.read_until(b'\n', &mut line)? > 0, "the server has ended");
            if line.starts_with(begin.as_bytes()) {
                let ok = line[..line.len().min(200)].windows(14).any(|w| w == b"\"success\":true");
                ensure!(ok, "{request}: {}", String::from_utf8_lossy(&line));
                return Ok(());
            }
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // Nothing can be done about a child that is gone already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
