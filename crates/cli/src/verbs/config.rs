//! `pitree config`: what is in force, and where it comes from.

use std::ffi::OsString;

use clap::Args;
use pitree_format::{Object, Value};
use pitree_host::extension::extension_directories;
use pitree_host::settings::{AgentSetting, Config, Settings};
use pitree_host::summarizer::select;
use pitree_session::backup_directory;
use pitree_store::cache::cache_directory;
use pitree_tui::keymap::Keymap;
use pitree_tui::terminal;
use pitree_tui::theme::ThemeChoice;

use super::resume::{pi_program, program};
use crate::error::{Exit, Result};
use crate::key;
use crate::output::{Output, Style};
use crate::pager;
use crate::target::Workspace;
use crate::text::{clean_line, counted};
use crate::verbs::summarizing::SummarizerArgs;
use crate::zone;

#[derive(Args, Debug)]
pub(crate) struct ConfigArgs {}

/// Something that can be set.
struct Setting {
    name: &'static str,
    value: String,
    from: String,
}

pub(crate) fn run(_: &ConfigArgs, workspace: &Workspace, output: &mut Output) -> Result<Exit> {
    let config = Config::load(&workspace.environment)?;
    // What would keep a screen from opening is said here too.
    let _ = Keymap::load(&workspace.environment)?;
    let mut settings = sessions(workspace);
    settings.push(pi(workspace));
    settings.push(agent(&config, workspace)?);
    settings.push(summarizer(&config, workspace)?);
    settings.extend(keys(&config, workspace));
    settings.push(picker(&config)?);
    settings.push(mouse(&config, workspace)?);
    settings.push(theme(workspace));
    settings.push(color(workspace));
    settings.push(time_zone(workspace));
    settings.extend(programs());
    settings.extend(folders(&config, workspace));
    if output.json {
        let value = |setting: &Setting| -> Value {
            Object::new()
                .with("name", setting.name)
                .with("value", setting.value.as_str())
                .with("from", setting.from.as_str())
                .into()
        };
        let settings: Vec<Value> = settings.iter().map(value).collect();
        output.value(&Object::new().with("settings", settings).into())?;
        return Ok(Exit::Ok);
    }
    for Setting { name, value, from } in &settings {
        let from = output.paint(Style::Dim, &format!("({})", clean_line(from)));
        output.line(&format!("{name:<11} {}  {from}", clean_line(value)))?;
    }
    for warning in config.warnings() {
        output.remark(&warning)?;
    }
    if let Some(problem) = ThemeChoice::load(&workspace.environment, true).problem {
        output.remark(&clean_line(&problem))?;
    }
    Ok(Exit::Ok)
}

/// Whether the screens take the mouse.
fn mouse(config: &Config, workspace: &Workspace) -> Result<Setting> {
    let is_on = config.mouse(&workspace.environment)?;
    let variable = workspace.environment.var("PITREE_MOUSE").filter(|value| !value.is_empty());
    let from = match variable {
        Some(_) => "PITREE_MOUSE",
        None if config.get("mouse").is_some() => "config.json",
        None => "default",
    };
    let value = if is_on { "on" } else { "off" };
    Ok(Setting { name: "mouse", value: value.to_owned(), from: from.to_owned() })
}

/// The colors of the screens.
fn theme(workspace: &Workspace) -> Setting {
    let environment = &workspace.environment;
    let settings = Settings::load(environment, environment.cwd()).ok();
    let set = settings.and_then(|settings| settings.theme().ok().flatten());
    let from = if set.is_some() { "theme in Pi's settings.json" } else { "default" };
    let value = set.unwrap_or_else(|| "system, from the terminal's colors".to_owned());
    Setting { name: "theme", value, from: from.to_owned() }
}

/// Where sessions are looked for; new ones go to the first.
fn sessions(workspace: &Workspace) -> Vec<Setting> {
    let setting = |location: &pitree_session::location::Location| {
        let from = workspace.origin_of(location).unwrap_or("default");
        let mut value = workspace.display(&location.path);
        if let Some(problem) = location.problem() {
            value = format!("{value}: {problem}");
        }
        Setting { name: "sessions", value, from: from.to_owned() }
    };
    workspace.locations.iter().map(setting).collect()
}

fn pi(workspace: &Workspace) -> Setting {
    let from = match std::env::var_os("PITREE_PI").is_some_and(|name| !name.is_empty()) {
        true => "PITREE_PI",
        false => "PATH",
    };
    let value = match pi_program(workspace) {
        Some(path) => workspace.display(&path),
        None => format!("{} not found", program(workspace).to_string_lossy()),
    };
    Setting { name: "pi", value, from: from.to_owned() }
}

fn agent(config: &Config, workspace: &Workspace) -> Result<Setting> {
    let value = match config.agent(&workspace.environment)? {
        AgentSetting::Off => "off".to_owned(),
        AgentSetting::Usual => "pi".to_owned(),
        AgentSetting::Program(program) => workspace.display(&program),
    };
    Ok(Setting { name: "agent", value, from: of_file(config, "agent") })
}

/// Who writes summaries, if anybody is named; no key is part of it.
fn summarizer(config: &Config, workspace: &Workspace) -> Result<Setting> {
    const VARIABLES: [&str; 3] =
        ["PITREE_SUMMARIZER_COMMAND", "PITREE_SUMMARIZER_URL", "PITREE_SUMMARIZER_MODEL"];
    let options = SummarizerArgs::default().options();
    let value = match select(&options, &workspace.environment, None)? {
        Some(choice) => choice.to_string(),
        None => "the session's model".to_owned(),
    };
    let variable = VARIABLES.into_iter().find(|name| workspace.environment.var(name).is_some());
    let from = variable.map_or_else(|| of_file(config, "summarizer"), str::to_owned);
    Ok(Setting { name: "summarizer", value, from })
}

/// The keys that the user has given to actions, here and in Pi.
fn keys(config: &Config, workspace: &Workspace) -> Vec<Setting> {
    let own = config.get("keys").and_then(Value::as_object).map_or(0, |keys| keys.iter().count());
    let of_pi = Keymap::count_of_pi(&workspace.environment);
    let setting = |count: usize, from: &str| Setting {
        name: "keys",
        value: counted(count, "custom key", "custom keys"),
        from: from.to_owned(),
    };
    let counts = [(own, "config.json"), (of_pi, "Pi's keybindings.json")];
    let set = counts.into_iter().filter(|(count, _)| *count > 0);
    let settings: Vec<Setting> = set.map(|(count, from)| setting(count, from)).collect();
    if !settings.is_empty() {
        return settings;
    }
    let value = "no custom keys".to_owned();
    vec![Setting { name: "keys", value, from: of_file(config, "keys") }]
}

/// How the picker opens.
fn picker(config: &Config) -> Result<Setting> {
    let value = match config.picker_starts_in_search()? {
        true => "opens in its search field",
        false => "opens in its list",
    };
    let is_set = config.get("picker").is_some_and(|picker| picker.get("start").is_some());
    let from = if is_set { "config.json" } else { "default" };
    Ok(Setting { name: "picker", value: value.to_owned(), from: from.to_owned() })
}

/// When there are colors.
fn color(workspace: &Workspace) -> Setting {
    let variable = |name: &str| workspace.environment.var(name).map(str::to_owned);
    let (value, from) = match workspace.color.decided_by(variable) {
        Some((true, from)) => ("always", from),
        Some((false, from)) => ("never", from),
        None => ("on a terminal", "default"),
    };
    Setting { name: "color", value: value.to_owned(), from: from.to_owned() }
}

/// The zone of the times that are shown and typed.
fn time_zone(workspace: &Workspace) -> Setting {
    let (name, from) = zone::name();
    let offset = zone::offset(workspace.environment.now_ms());
    let value = match name {
        Some(name) if name == "UTC" => name,
        Some(name) => format!("{name}, now {offset}"),
        None => offset,
    };
    Setting { name: "time zone", value, from: from.to_owned() }
}

/// The user's pager and editor.
fn programs() -> [Setting; 2] {
    let text = |command: OsString| command.to_string_lossy().into_owned();
    let (pager, from) = pager::command(|name| std::env::var_os(name));
    let pager = pager.map_or_else(|| "none".to_owned(), text);
    let pager = Setting { name: "pager", value: pager, from: from.to_owned() };
    let (editor, from) = match terminal::editor(|name| std::env::var_os(name)) {
        Some((editor, from)) => (text(editor), from),
        None => ("none".to_owned(), "default"),
    };
    [pager, Setting { name: "editor", value: editor, from: from.to_owned() }]
}

/// pitree's own files.
fn folders(config: &Config, workspace: &Workspace) -> Vec<Setting> {
    let environment = &workspace.environment;
    let from = |name: &str| match environment.var(name) {
        Some(path) if path.starts_with('/') => name.to_owned(),
        _ => "default".to_owned(),
    };
    let file = workspace.display(config.path());
    let file = if config.path().exists() { file } else { format!("{file}: does not exist") };
    let mut settings = vec![Setting { name: "config", value: file, from: from("XDG_CONFIG_HOME") }];
    let sources = [from("XDG_CONFIG_HOME"), from("PI_CODING_AGENT_DIR")];
    for (folder, from) in extension_directories(environment).iter().zip(sources) {
        let from = if workspace.without_extensions { "--no-extensions".to_owned() } else { from };
        settings.push(Setting { name: "extensions", value: workspace.display(folder), from });
    }
    settings.push(match workspace.without_index {
        true => Setting { name: "cache", value: "off".to_owned(), from: "--no-index".to_owned() },
        false => {
            let value = workspace.display(&cache_directory(environment));
            Setting { name: "cache", value, from: from("XDG_CACHE_HOME") }
        }
    });
    for (name, folder) in
        [("backups", backup_directory(environment)), ("key files", key::directory(environment))]
    {
        let value = workspace.display(&folder);
        settings.push(Setting { name, value, from: from("XDG_STATE_HOME") });
    }
    settings
}

/// Where a member of `config.json` comes from.
fn of_file(config: &Config, name: &str) -> String {
    if config.get(name).is_some() { "config.json".to_owned() } else { "default".to_owned() }
}
