//! The page in a real browser: a session of 100,000 entries and 300 MB, served and as one file, and a
//! session of 5,000 entries beside the page that Pi exports and that of agentsview.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use pitree_format::Value;
use pitree_format::js::parse;

use crate::corpus::{self, MIDDLE, WEB};
use crate::pi::Installation;
use crate::timing::Samples;
use crate::{peers, process};

/// What is aimed at, in milliseconds and MB.
const FIRST_CONTENT: f64 = 300.0;
const FRAME: f64 = 20.0;
const SERVER_MB: f64 = 100.0;
const FILE_MIDDLE: f64 = 1_000.0;
const FILE_LARGE: f64 = 3_000.0;

/// No other page takes longer.
const PATIENCE: Duration = Duration::from_secs(120);

/// Figures of several rounds by their names.
#[derive(Default)]
struct Table(Vec<(String, Samples, Option<f64>)>);

impl Table {
    fn add(&mut self, name: &str, figure: f64, goal: Option<f64>) {
        match self.0.iter_mut().find(|(known, ..)| known == name) {
            Some((_, samples, _)) => samples.add(figure),
            None => {
                let mut samples = Samples::default();
                samples.add(figure);
                self.0.push((name.to_owned(), samples, goal));
            }
        }
    }

    fn print(&self, heading: &str) {
        println!("\n{heading}\n  {:<44} {:>9} {:>9}  goal", "", "best", "middle");
        for (name, samples, goal) in &self.0 {
            let (best, middle) = (samples.best(), samples.median());
            let verdict = goal.map_or_else(String::new, |goal| {
                format!("{goal} {}", if middle <= goal { "met" } else { "NOT MET" })
            });
            println!("  {name:<44} {best:>9.1} {middle:>9.1}  {verdict}");
        }
    }
}

/// Prints the figures of so many rounds.
pub(crate) fn run(rounds: usize) -> Result<()> {
    let program = process::pitree()?;
    println!("milliseconds and MB, best and middle of {rounds}");
    for (recipe, is_large) in [(WEB, true), (MIDDLE, false)] {
        let file = recipe.file()?;
        let mut table = Table::default();
        for _ in 0..rounds {
            serve(&program, &file, &mut table)?;
            export(&program, &file, is_large, &mut table)?;
            if !is_large {
                others(&file, &mut table)?;
            }
        }
        let size = fs_err::metadata(&file)?.len() as f64 / 1e6;
        table.print(&format!("{} entries, {size:.0} MB", recipe.entries));
    }
    Ok(())
}

/// A folder that holds only this file, as a sessions folder.
fn alone(file: &Path) -> Result<tempfile::TempDir> {
    let folder = tempfile::tempdir_in(corpus::folder()?)?;
    let name = file.file_name().context("a file without a name")?;
    fs_err::hard_link(file, folder.path().join(name))?;
    Ok(folder)
}

/// A server that is ended with the figures.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn serve(program: &Path, file: &Path, table: &mut Table) -> Result<()> {
    let folder = alone(file)?;
    let mut command = Command::new(program);
    command.args(["serve", "--json", "--session-dir"]).arg(folder.path());
    // The cache is that of these rounds.
    command.env("HOME", folder.path()).env("XDG_CACHE_HOME", folder.path().join("cache"));
    let mut server =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let output = server.stdout.take().context("a server without output")?;
    let server = Server(server);
    let mut line = String::new();
    BufReader::new(output).read_line(&mut line)?;
    let said = parse(line.trim_end().as_bytes()).ok().context("the server said no address")?;
    let url = said.get_string("url").context("no address")?.to_text().into_owned();
    let found = browse("serve", &url)?;
    let memory = process::high_water_mark(&format!("/proc/{}/status", server.0.id()));
    for (name, member, goal) in [
        ("serve: first content, the file not open yet", "first", Some(FIRST_CONTENT)),
        ("serve: first content, the file open", "again", Some(FIRST_CONTENT)),
        ("serve: to the end", "end", None),
        ("serve: to the beginning", "beginning", None),
        ("serve: frame while scrolling, p95", "frame", Some(FRAME)),
        ("serve: frame while scrolling fast, p95", "fastFrame", Some(FRAME)),
        ("serve: find, to the first of many hits", "find", None),
        ("serve: find, no hit", "findNothing", None),
    ] {
        table.add(name, figure(&found, member)?, goal);
    }
    let memory = memory.context("the server has ended")? * 1024.0 / 1e6;
    table.add("serve: memory of the server, peak (MB)", memory, Some(SERVER_MB));
    Ok(())
}

fn export(program: &Path, file: &Path, is_large: bool, table: &mut Table) -> Result<()> {
    let page = corpus::folder()?.join("page.html");
    let command = || {
        let mut command = Command::new(program);
        command
            .arg("export")
            .arg(file)
            .arg("--force")
            .arg("--output")
            .arg(&page)
            .stderr(Stdio::null());
        command
    };
    table.add("file: export", process::run_time(&mut command())?, None);
    table.add("file: size (MB)", fs_err::metadata(&page)?.len() as f64 / 1e6, None);
    let found = browse("file", &format!("file://{}", page.display()))?;
    let goal = if is_large { FILE_LARGE } else { FILE_MIDDLE };
    for (name, member, goal) in [
        ("file: first content", "first", None),
        ("file: usable", "usable", Some(goal)),
        ("file: to the end", "end", None),
        ("file: frame while scrolling, p95", "frame", Some(FRAME)),
        ("file: find, to the first of many hits", "find", None),
        ("file: find, no hit", "findNothing", None),
    ] {
        table.add(name, figure(&found, member)?, goal);
    }
    Ok(fs_err::remove_file(&page)?)
}

/// The page that Pi exports, and the page of agentsview.
fn others(file: &Path, table: &mut Table) -> Result<()> {
    let page = corpus::folder()?.join("page-pi.html");
    let mut command = Installation::find()?.export(file, &page);
    table.add("Pi: export", process::run_time(command.stderr(Stdio::null()))?, None);
    table.add("Pi: size (MB)", fs_err::metadata(&page)?.len() as f64 / 1e6, None);
    let found = browse("other", &format!("file://{}", page.display()))?;
    table.add("Pi: first content", figure(&found, "first")?, None);
    table.add("Pi: elements of the page", figure(&found, "elements")?, None);
    fs_err::remove_file(&page)?;
    agentsview(file, table)
}

/// agentsview reads all sessions of a home into its own database before it shows them.
fn agentsview(file: &Path, table: &mut Table) -> Result<()> {
    let program = peers::agentsview()?;
    let home = tempfile::tempdir_in(corpus::folder()?)?;
    let sessions = home.path().join(".pi/agent/sessions/--srv-project--");
    fs_err::create_dir_all(&sessions)?;
    let id = "01a1ddfb-4699-7700-9c99-078c5356990e";
    fs_err::hard_link(file, sessions.join(format!("2026-09-21T14-13-20-000Z_{id}.jsonl")))?;
    let command = |args: &[&str]| {
        let mut command = Command::new(&program);
        command.args(args).env("HOME", home.path()).stdin(Stdio::null()).stderr(Stdio::null());
        command
    };
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let mut serve = command(&["serve", "--no-browser", "--no-update-check", "--port"]);
    let begun = Instant::now();
    let server = Server(serve.arg(port.to_string()).stdout(Stdio::null()).spawn()?);
    while !lists(port, id) {
        ensure!(begun.elapsed() < PATIENCE, "agentsview does not show the session");
        std::thread::sleep(Duration::from_millis(20));
    }
    table.add("agentsview: read the session", begun.elapsed().as_secs_f64() * 1000.0, None);
    let found = browse("other", &format!("http://127.0.0.1:{port}/sessions/pi/{id}"))?;
    table.add("agentsview: first content", figure(&found, "first")?, None);
    let memory = process::high_water_mark(&format!("/proc/{}/status", server.0.id()));
    table.add("agentsview: memory, peak (MB)", memory.unwrap_or(f64::NAN) * 1024.0 / 1e6, None);
    Ok(())
}

/// Whether agentsview knows a session.
fn lists(port: u16, id: &str) -> bool {
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { return false };
    let head = format!("GET /api/v1/sessions HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n\r\n");
    let mut answer = Vec::new();
    let is_sent = stream.write_all(head.as_bytes()).is_ok();
    is_sent
        && stream.read_to_end(&mut answer).is_ok()
        && String::from_utf8_lossy(&answer).contains(id)
}

fn figure(found: &Value, name: &str) -> Result<f64> {
    found.get_number(name).with_context(|| format!("no figure {name}"))
}

/// Looks at a page with a browser and gives what was measured.
fn browse(kind: &str, address: &str) -> Result<Value> {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web/page");
    let is_there = sources.join("node_modules/playwright-core").is_dir();
    ensure!(is_there, "the packages of the page are not installed: run `cargo xtask page`");
    let mut command = Command::new("node");
    command.args(["dev/bench.mjs", kind, address]).current_dir(sources);
    let output = command.stdin(Stdio::null()).output().context("node was not found")?;
    let complained = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{kind} {address}: {complained}");
    parse(output.stdout.trim_ascii_end()).ok().context("the browser measured nothing")
}
