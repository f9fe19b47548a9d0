//! One session in one file that is the page: the same modules that the server hands out, and the
//! session as data beside them. It opens from disk, without a network.
//!
//! The rows are stored in blocks, each compressed alone, so that a browser unpacks what it shows. A
//! block is written as soon as it is full; the index, which needs to know all of them, comes last.
//! `page/FORMAT.md` beside the sources of the page describes every member.

use std::io::{self, Write};
use std::path::PathBuf;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::DeflateEncoder;
use pitree_export::harmless::{clean_beginning, clean_line};
use pitree_export::nodes::ViewOptions;
use pitree_export::{Branch, ExportError, Exported};
use pitree_format::js::stringify;
use pitree_format::{Object, Role, Value};
use pitree_session::{EntryRef, LineProblem, OddLine, Session, TreeFilter};
use sha2::{Digest, Sha256};

use crate::ModelWindows;
use crate::answer::{Problem, list, make_harmless};
use crate::left_out::LeftOut;
use crate::opened::OpenSession;
use crate::page_contexts::of_branches;
use crate::page_light::Light;
use crate::page_requests::{LastRequests, of_last_replies};
use crate::rows::Window;
use crate::{context, marks, problems, rows, tree};

/// The version of the data. A page that reads another one says so.
const FORMAT: usize = 1;

/// So many rows are in a block.
const BLOCK_ROWS: usize = 256;

/// So many rows below a call its result is looked for.
const NEAR: usize = 200;

/// The length of a title.
const TITLE_CHARS: usize = 120;

const SCRIPT: &str = include_str!("../assets/app.js");
const STYLE: &str = include_str!("../assets/app.css");

pitree_format::named_enum! {
    /// How much of the tools is on the page.
    #[derive(Default)]
    pub enum ToolDetail {
        #[default]
        Full = "full": "Calls and results in full",
        Summary = "summary": "A line for each",
        None = "none": "Only that there was a call",
    }
}

/// What the flags of an entry say, bit by bit.
const ON_PATH: u32 = 1;
const IS_ERROR: u32 = 2;
/// Bookkeeping, which the usual filter hides.
const IS_BOOKKEEPING: u32 = 4;
/// Of a tool, which the filter `no-tools` hides.
const IS_OF_A_TOOL: u32 = 8;
const IS_USER: u32 = 16;

/// What of a session is on the page. Nothing is redacted here: give it a redacted copy.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PageFile {
    /// Which entries.
    pub branch: Branch,
    /// Whether images are embedded.
    pub images: bool,
    /// Whether the model's reasoning is shown.
    pub thinking: bool,
    /// How much of the tools is shown.
    pub tools: ToolDetail,
    /// How much fits into the context of each model.
    pub windows: ModelWindows,
}

impl Default for PageFile {
    /// Everything.
    fn default() -> Self {
        let (branch, tools, windows) = (Branch::All, ToolDetail::Full, ModelWindows::default());
        Self { branch, images: true, thinking: true, tools, windows }
    }
}

impl PageFile {
    /// The whole session.
    pub fn new() -> Self {
        Self::default()
    }

    pitree_format::setters! {
        /// Sets which entries are on the page.
        branch: Branch,
        /// Sets whether images are embedded.
        images: bool,
        /// Sets whether the model's reasoning is shown.
        thinking: bool,
        /// Sets how much of the tools is shown.
        tools: ToolDetail,
        /// Sets how much fits into the context of each model.
        windows: ModelWindows,
    }

    /// Writes the page.
    pub fn write(&self, session: Session, out: &mut dyn Write) -> Result<Exported, ExportError> {
        let odd_lines = odd_lines(&session);
        let problems = problems::of(&session).map_err(cannot)?;
        let left_out = LeftOut::of(self);
        // What is weighed is the session; what is shown has nothing of what is left out.
        let (shown, weighed) = match left_out.is_nothing() {
            true => (session, None),
            false => (left_out.copy(&session)?, Some(session)),
        };
        let opened = OpenSession::new(shown, PathBuf::new(), None).map_err(cannot)?;
        let entries = self.entries(&opened.session);
        let mut places = vec![None; opened.session.len()];
        for (place, at) in entries.iter().enumerate() {
            places[*at] = Some(place);
        }
        let options = self.clone();
        let mut page = PageWriter { options, opened, weighed, problems, entries, places, out };
        page.write()?;
        Ok(Exported { entries: page.entries.len(), odd_lines })
    }

    fn entries(&self, session: &Session) -> Vec<usize> {
        let places = |path: Vec<EntryRef<'_>>| path.iter().map(EntryRef::index).collect();
        match self.branch {
            Branch::All => (0..session.len()).collect(),
            Branch::Active => places(session.active_path()),
            Branch::To(at) => places(session.path_to(at)),
        }
    }
}

/// How many lines of the file are neither the header nor an entry.
fn odd_lines(session: &Session) -> usize {
    let is_header = |line: &&OddLine| line.what == LineProblem::Header;
    let has_header = session.odd_lines().iter().any(|line| is_header(&line));
    session.odd_lines().len() - usize::from(has_header)
}

/// Whatever a window of the server would answer is an error of the export.
fn cannot(problem: Problem) -> ExportError {
    io::Error::other(problem.into_message()).into()
}

struct PageWriter<'o> {
    options: PageFile,
    /// The session without what is left out.
    opened: OpenSession,
    /// The whole session, if something is left out.
    weighed: Option<Session>,
    /// What is wrong with the file.
    problems: Value,
    /// The entries on the page, by their places in the session. On the page they count from 0.
    entries: Vec<usize>,
    /// The place on the page of each entry of the session.
    places: Vec<Option<usize>>,
    out: &'o mut dyn Write,
}

impl PageWriter<'_> {
    fn write(&mut self) -> Result<(), ExportError> {
        let title = self.title()?;
        self.head(&title)?;
        let light = self.blocks()?;
        let requests = self.requests()?;
        let contexts = self.contexts()?;
        self.index(&title, light, [("requests", requests), ("contexts", contexts)])?;
        write!(self.out, "<script type=\"module\">{SCRIPT}</script>\n</body>\n</html>\n")?;
        Ok(())
    }

    fn head(&mut self, title: &str) -> io::Result<()> {
        let hash = |text: &str| STANDARD.encode(Sha256::digest(text));
        let (script, style) = (hash(SCRIPT), hash(STYLE));
        write!(
            self.out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             script-src 'sha256-{script}'; style-src 'sha256-{style}'; img-src data:; \
             base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n\
             <meta name=\"generator\" content=\"pitree\">\n\
             <title>{}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n\
             <noscript>This page needs JavaScript. `pitree export --plain` writes one that does \
             not.</noscript>\n<pt-app><p class=\"first-load\">Loading…</p></pt-app>\n",
            escaped(title)
        )
    }

    /// The name of the session, or how it begins, or its id.
    fn title(&self) -> Result<String, ExportError> {
        let session = &self.opened.session;
        if let Some(name) = session.name()?.filter(|name| !name.is_empty()) {
            return Ok(clean_beginning(&name.to_text(), TITLE_CHARS));
        }
        let entries = self.entries.iter().filter_map(|at| session.at(*at));
        match entries.into_iter().find(|entry| entry.is_message(Role::User)) {
            Some(first) => {
                let text = first.outline()?;
                let text = text.strip_prefix("user: ").unwrap_or(&text);
                Ok(clean_beginning(text, TITLE_CHARS))
            }
            None => Ok(format!("Session {}", clean_line(&session.id()))),
        }
    }

    /// Writes the rows, a block at a time.
    fn blocks(&mut self) -> Result<Light, ExportError> {
        let mut light = Light::default();
        for number in 0..self.entries.len().div_ceil(BLOCK_ROWS) {
            let from = number * BLOCK_ROWS;
            let to = (from + BLOCK_ROWS).min(self.entries.len());
            let mut rows = Vec::with_capacity(to - from);
            for place in from..to {
                rows.push(Value::from(self.row(place, &mut light)?));
            }
            self.data(&format!("pitree-rows-{number}"), rows.into())?;
        }
        Ok(light)
    }

    /// What is shown of an entry; what is needed of all entries goes to the columns.
    fn row(&self, place: usize, light: &mut Light) -> Result<Object, ExportError> {
        let at = self.entries[place];
        let below = &self.entries[place + 1..];
        let below = &below[..below.len().min(NEAR)];
        let options = ViewOptions::new().images(self.options.images).most_bytes(usize::MAX);
        let mut row = rows::row_with(&self.opened, at, below, &options).map_err(cannot)?;
        let entry = self.opened.entry(at).map_err(cannot)?;
        let is_error = row.get("isError").is_some();
        let kind = row.get("kind").map(text_of).unwrap_or_default();
        let kind = light.kind(&kind);
        let parent = entry.parent().and_then(|parent| self.places[parent.index()]);
        light.kinds.push(kind.into());
        light.parents.push(parent.into());
        light.flags.push(self.flags(entry, is_error)?.into());
        light.ids.push(row.get("id").cloned().unwrap_or(Value::Null));
        let summary = self.summary(entry, &row);
        // Where something is left out, the line may have it.
        if self.weighed.is_none() {
            let line = Value::from(tree::line(&self.opened, at).map_err(cannot)?);
            if line != summary {
                light.lines.push(vec![place.into(), line].into());
            }
        }
        light.summaries.push(summary);
        if let Some(label) = row.get("label") {
            light.labels.push(vec![place.into(), label.clone()].into());
        }
        for member in ["at", "id", "kind", "parent", "line", "label", "isError", "summary"] {
            row.remove(member);
        }
        if let Some(Value::Array(calls)) = row.get_mut("calls") {
            for call in calls.iter_mut().filter_map(Value::as_object_mut) {
                let result = call.get("resultAt").and_then(Value::as_number);
                let result = result.and_then(|at| self.places[at as usize]);
                call.set("resultAt", result.into());
            }
        }
        self.fold_away(entry, &mut row);
        Ok(row)
    }

    /// An entry on one line; of what a tool gave back, without any of it, only whose it is.
    fn summary(&self, entry: EntryRef<'_>, row: &Object) -> Value {
        let is_cut = self.options.tools != ToolDetail::Full && entry.is_message(Role::ToolResult);
        let names: &[&str] = if is_cut { &["what", "who"] } else { &["summary"] };
        let said = names.iter().find_map(|name| row.get(name));
        said.cloned().unwrap_or(Value::Null)
    }

    /// Shows nothing where everything was left out.
    fn fold_away(&self, entry: EntryRef<'_>, row: &mut Object) {
        let tools = self.options.tools;
        let is_result = entry.is_message(Role::ToolResult);
        let is_shell = entry.is_message(Role::BashExecution) && tools == ToolDetail::None;
        if tools != ToolDetail::Full && (is_result || is_shell) {
            row.set("body", Vec::<Value>::new().into());
        }
        if tools == ToolDetail::None {
            row.remove("calls");
            row.remove("what");
        }
        if let Some(Value::Array(body)) = row.get_mut("body")
            && tools != ToolDetail::Full
        {
            // The row of the result says it.
            let is_call = |node: &Value| {
                let class = node.as_array().and_then(|parts| parts.get(1)?.get_string("c"));
                class.is_some_and(|class| *class == "call")
            };
            let shown: Vec<Value> = body.iter().filter(|node| !is_call(node)).cloned().collect();
            *body = shown.into();
        }
    }

    fn flags(&self, entry: EntryRef<'_>, is_error: bool) -> Result<u32, ExportError> {
        let has_label = self.opened.labels.contains_key(&entry.index());
        let leaf = self.opened.session.leaf().map(|leaf| leaf.index());
        let is_leaf = leaf == Some(entry.index());
        let shows = |filter: TreeFilter| filter.shows(entry, has_label, is_leaf);
        let bits = [
            (self.opened.is_on_path(entry.index()), ON_PATH),
            (is_error, IS_ERROR),
            (!shows(TreeFilter::Default)?, IS_BOOKKEEPING),
            (!shows(TreeFilter::NoTools)?, IS_OF_A_TOOL),
            (entry.is_message(Role::User), IS_USER),
        ];
        Ok(bits.into_iter().filter(|(is, _)| *is).map(|(_, bit)| bit).sum())
    }

    /// Writes the requests behind the last replies, and says how many they are. They hold all that
    /// the model was given, so there are none on a page that leaves something out.
    fn requests(&mut self) -> Result<Option<Object>, ExportError> {
        if self.leaves_something_out() {
            return Ok(None);
        }
        let leaf = self.leaf().map(|place| self.entries[place]);
        let place = |at: usize| self.places.get(at).copied().flatten();
        let last = of_last_replies(&self.opened.session, leaf, &place);
        let LastRequests { requests, replies } = last.map_err(|error| cannot(error.into()))?;
        let said = Object::new().with("shown", requests.len()).with("replies", replies);
        if !requests.is_empty() {
            self.data("pitree-requests", requests.into())?;
        }
        Ok((replies > 0).then_some(said))
    }

    /// Writes what filled the context on each branch, and says how many they are.
    fn contexts(&mut self) -> Result<Option<Object>, ExportError> {
        let left_out = LeftOut::of(&self.options);
        let leaves = match self.options.branch {
            Branch::All => self.opened.lanes.leaves().collect(),
            Branch::Active | Branch::To(_) => Vec::from_iter(self.entries.last().copied()),
        };
        let context = |leaf| {
            let session = self.weighed.as_ref().unwrap_or(&self.opened.session);
            let left_out = Some(left_out).filter(|it| !it.is_nothing());
            context::at(session, Some(leaf), &self.options.windows, left_out)
        };
        let length = |leaf| self.opened.session.path_to(leaf).len();
        let contexts = of_branches(&leaves, &length, &context, &|at| self.places[at]);
        let contexts = contexts.map_err(cannot)?;
        let said = Object::new().with("shown", contexts.len()).with("branches", leaves.len());
        if !contexts.is_empty() {
            self.data("pitree-contexts", contexts.into())?;
        }
        Ok((!leaves.is_empty()).then_some(said))
    }

    fn leaves_something_out(&self) -> bool {
        !LeftOut::of(&self.options).is_nothing()
    }

    /// The place on the page of the entry at which the session stands.
    fn leaf(&self) -> Option<usize> {
        match self.options.branch {
            Branch::All => self.opened.session.leaf().map(|leaf| leaf.index()),
            Branch::Active | Branch::To(_) => self.entries.len().checked_sub(1),
        }
    }

    fn index(
        &mut self,
        title: &str,
        mut light: Light,
        parts: [(&str, Option<Object>); 2],
    ) -> Result<(), ExportError> {
        let names = list(std::mem::take(&mut light.names), Value::from);
        let object = Object::new()
            .with("format", FORMAT)
            .with("session", self.session(title)?)
            .with("marks", self.marks()?)
            .with("blockRows", BLOCK_ROWS)
            .with("kinds", names)
            .with("light", light.into_value())
            .with("order", self.order());
        let object =
            parts.into_iter().fold(object, |object, (name, part)| object.with_some(name, part));
        self.data("pitree-index", object.into())
    }

    fn session(&self, title: &str) -> Result<Object, ExportError> {
        let session = &self.opened.session;
        let spend = session.spend()?;
        let times: Vec<i64> = session.entries().filter_map(|entry| entry.time()).collect();
        let leaf = self.leaf();
        let lanes = match self.options.branch {
            Branch::All => self.opened.lanes.described(session, &Window::ALL),
            Branch::Active | Branch::To(_) => list(leaf, |leaf| {
                let lane = Object::new().with("leaf", leaf).with("isActive", true);
                lane.with("from", Value::Null).with("length", self.entries.len()).into()
            }),
        };
        let version = session.source_version().number();
        let cwd = session.header().cwd.as_ref().map(|cwd| cwd.to_text().into_owned());
        let cost = spend.known_cost();
        Ok(Object::new()
            .with("key", "file")
            .with("id", clean_line(&session.id()).into_owned())
            .with("title", title)
            .with("name", session.name()?.map(|name| clean_line(&name.to_text()).into_owned()))
            .with("cwd", clean_line(&cwd.unwrap_or_default()).into_owned())
            .with("path", "")
            .with("created", times.iter().min().copied())
            .with("modified", times.iter().max().copied())
            .with("version", version)
            .with("entries", self.entries.len())
            .with("leaf", leaf)
            .with("isLive", false)
            .with("parentKey", Value::Null)
            .with("family", Vec::<Value>::new())
            .with("facts", self.facts())
            .with("problems", self.problems.clone())
            .with("lanes", lanes)
            .with("cost", cost)
            .with("tokens", spend.tokens()))
    }

    /// The entries in the order of the tree.
    fn order(&self) -> Vec<Value> {
        let walk = self.opened.tree.walk();
        walk.filter_map(|step| self.places[step.entry]).map(Value::from).collect()
    }

    /// What the top of the page says.
    fn facts(&self) -> Value {
        let session = &self.opened.session;
        let shown = match (self.entries.len(), session.len()) {
            (shown, all) if shown == all => shown.to_string(),
            (shown, all) => format!("{shown} of {all}"),
        };
        let odd = odd_lines(session);
        let mut facts = vec![("Entries", shown)];
        if odd > 0 {
            facts.push(("Lines that are not entries", odd.to_string()));
        }
        if self.leaves_something_out() {
            let why = "not in this file, which leaves out images, reasoning or tool output";
            facts.push(("Requests", why.to_owned()));
        }
        list(facts, |(name, value)| vec![name.into(), value.into()].into())
    }

    /// The marks of the entries that are on the page.
    fn marks(&self) -> Result<Value, ExportError> {
        let found = marks::find(&self.opened).map_err(cannot)?;
        let place = |at: usize| self.places[at];
        Ok(marks::described(found.iter().filter_map(|mark| Some(mark.moved(place(mark.at())?)))))
    }

    /// Writes data that a script reads: compressed, in letters that end no element.
    fn data(&mut self, id: &str, mut value: Value) -> Result<(), ExportError> {
        make_harmless(&mut value);
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::default());
        packed.write_all(stringify(&value).as_bytes())?;
        let packed = STANDARD.encode(packed.finish()?);
        let kind = "application/octet-stream";
        Ok(writeln!(self.out, "<script type=\"{kind}\" id=\"{id}\">{packed}</script>")?)
    }
}

fn text_of(value: &Value) -> String {
    value.as_string().map(|text| text.to_text().into_owned()).unwrap_or_default()
}

/// Text as the content of an element.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
