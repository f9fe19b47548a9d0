//! The real Pi in RPC mode, with an extension that moves in the tree, speaks, changes the tools
//! and edits the context.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::oracle;
use crate::pi_rpc::PiRpc;

const EXTENSION: &str = include_str!("../oracle/conversation.mjs");

/// A running Pi that is led through a conversation. Ends with the value.
#[derive(Debug)]
pub struct PiConversation {
    pi: PiRpc,
    /// Holds the extension.
    _files: TempDir,
}

impl PiConversation {
    /// Starts Pi with a home folder, whose `agent` is the agent folder, in a working directory.
    pub fn start(home: &Path, cwd: &Path, args: &[&str]) -> Result<Self> {
        let files = tempfile::Builder::new().prefix("pitree-conversation-").tempdir()?;
        let script = files.path().join("conversation.mjs");
        fs_err::write(&script, EXTENSION)?;
        let (_, cli) = oracle::command_line()?;
        let module = cli.with_file_name("index.js");
        let variables = [("TZ", "UTC"), ("LANG", "C.UTF-8")];
        let pi = PiRpc::start_program(&[&script, &module], home, cwd, &variables, args)?;
        Ok(Self { pi, _files: files })
    }

    /// Sends a command and returns its data; an error if Pi refuses it.
    pub fn ask(&mut self, command: &Value) -> Result<Value> {
        let mut answer = self.pi.ask(command.clone())?;
        ensure!(answer["success"] == true, "{command} was refused: {answer}");
        Ok(answer["data"].take())
    }

    /// Sends a command and returns whether Pi does it.
    pub fn attempt(&mut self, command: &Value) -> Result<bool> {
        Ok(self.pi.ask(command.clone())?["success"] == true)
    }

    /// Sends a command that makes the agent work, and waits until it rests.
    pub fn run(&mut self, command: &Value) -> Result<()> {
        self.begin(command)?;
        self.rest()
    }

    /// Sends a command that makes the agent work.
    pub fn begin(&mut self, command: &Value) -> Result<()> {
        self.pi.take_events();
        self.ask(command).map(drop)
    }

    /// Waits for an event of the work that was begun.
    pub fn wait_for(&mut self, event: &str) -> Result<()> {
        self.pi.wait_for(event)
    }

    /// Waits until the agent rests.
    pub fn rest(&mut self) -> Result<()> {
        self.pi.wait_for("agent_settled")
    }

    /// Calls a command of the extension: `goto`, `say`, `tools` or `edit`.
    pub fn call(&mut self, name: &str, argument: &Value) -> Result<()> {
        self.call_raw(name, &argument.to_string())
    }

    /// The same with an argument that Rust cannot hold, such as half of an emoji.
    pub fn call_raw(&mut self, name: &str, argument: &str) -> Result<()> {
        self.pi.take_events();
        self.ask(&json!({ "type": "prompt", "message": format!("/{name} {argument}") })).map(drop)
    }

    /// The entries of the session in file order.
    pub fn entries(&mut self) -> Result<Vec<Value>> {
        let data = self.ask(&json!({ "type": "get_entries" }))?;
        data["entries"].as_array().cloned().context("Pi gave no entries")
    }

    /// The file of the session.
    pub fn file(&mut self) -> Result<String> {
        let state = self.ask(&json!({ "type": "get_state" }))?;
        state["sessionFile"].as_str().map(str::to_owned).context("the session has no file")
    }

    /// Closes Pi's input and waits for its end.
    pub fn finish(mut self) -> Result<()> {
        self.pi.finish()
    }
}
