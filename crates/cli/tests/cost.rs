//! `pitree cost` as a user runs it.

use crate::common::{BRANCHED, Sandbox, VERSION_1};
use serde_json::Value;

const WAYS: [&str; 9] =
    ["day", "week", "month", "model", "provider", "project", "role", "session", "family"];

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    let folder = "home/.pi/agent/sessions/--home-ana-projects-weather--";
    let _ = sandbox.write(&format!("{folder}/2026_a.jsonl"), BRANCHED);
    let _ = sandbox.write(&format!("{folder}/2025_b.jsonl"), VERSION_1);
    let copy = BRANCHED.replace("00000000000a", "00000000000b").replace("22:52:06", "22:53:06");
    let _ = sandbox.write(&format!("{folder}/2026_copy.jsonl"), &copy);
    sandbox
}

#[test]
fn the_rows_of_each_breakdown_add_up() {
    let sandbox = sandbox();
    for by in WAYS {
        for extra in [&[][..], &["--no-index"]] {
            let mut args = vec!["cost", "--json", "--by", by];
            args.extend_from_slice(extra);
            let value = sandbox.run(args).ok().json();
            assert_eq!(value["total"]["cost"], 0.75, "{by}: {value}");
            assert_eq!(value["total"]["count"], 3, "{by}");
            assert_eq!(value["total"]["unknownCosts"], 1, "{by}");
            assert_eq!(value["total"]["tokens"]["total"], 6, "{by}");
            assert_eq!(value["checked"], true, "{by}");
            let sum = |list: Vec<&Value>, of: &str| -> f64 {
                list.iter().map(|row| row[of].as_f64().unwrap_or(0.0)).sum()
            };
            let rows = || value["rows"].as_array().unwrap().iter().collect();
            let parts = || value["total"]["parts"].as_object().unwrap().values().collect();
            for of in ["cost", "count", "unknownCosts"] {
                let total = value["total"][of].as_f64().unwrap();
                assert_eq!(sum(rows(), of), total, "{by} {of}");
                assert_eq!(sum(parts(), of), total, "{by} {of}");
            }
        }
    }
    // A day of which no cost is known has none, not zero.
    let value = sandbox.run(["cost", "--json"]).ok().json();
    assert_eq!(value["rows"][0]["key"], "2025-11-20");
    assert_eq!(value["rows"][0]["cost"], Value::Null);
}

#[test]
fn the_tables_are_for_people() {
    let sandbox = sandbox();
    let run = sandbox.run(["cost", "--by", "project"]).ok();
    for part in [
        "$0.7500 for 3 requests\n\n",
        "project                     requests",
        "/home/ana/projects/weather",
        "no price recorded for 1 request (p/m); not in the total",
    ] {
        assert!(run.stdout.contains(part), "{part}\n{}", run.stdout);
    }
    assert!(!run.stdout.contains('█') && !run.stdout.contains('\u{1b}'), "{}", run.stdout);
    assert!(!run.stdout.contains("adds up"), "{}", run.stdout);
    let run = sandbox.run(["cost", "--explain"]).ok();
    for part in [
        "replies on the active path",
        "$0.7500 = $0.7500 replies on the active path + $0.0000 replies on other branches",
        "adds up to the same cost, tokens and count; 1 usage record has no cost",
        "`pitree list` adds up to $1.5000 because it counts entries copied into forks",
    ] {
        assert!(run.stdout.contains(part), "{part}\n{}", run.stdout);
    }
    let run = sandbox.run(["cost", "--since", "2027-01-01"]).exits(1);
    assert!(
        run.stderr.contains(
            "no requests found in that time; the last was on 2026-02-03 (searched all sessions"
        ),
        "{run:?}"
    );
    assert!(run.stderr.contains("); leave out `--since`"), "{run:?}");
    let run = sandbox.run(["cost", "--scope", "dir"]).exits(1);
    let here =
        format!("(searched the sessions of {}); try `--scope all`", sandbox.project().display());
    assert!(run.stderr.contains(&here), "{run:?}");
}

#[test]
fn a_price_of_zero_is_explained() {
    let sandbox = Sandbox::new();
    let reply = |id: &str, model: &str, cost: &str| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":null,"timestamp":"2026-02-03T22:52:06.410Z","message":{{"role":"assistant","content":[],"provider":"p","model":"{model}","usage":{{"input":1,"output":1{cost}}}}}}}"#
        )
    };
    let header = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/w"}"#;
    let zero = r#","cost":{"total":0}"#;
    let some = r#","cost":{"total":0.5}"#;
    let lines = [
        header.to_owned(),
        reply("a", "local", zero),
        reply("b", "local", zero),
        reply("c", "paid", some),
        reply("d", "paid", zero),
        reply("e", "unknown", ""),
    ];
    sandbox.write("home/.pi/agent/sessions/--w--/a.jsonl", &(lines.join("\n") + "\n"));
    let text = sandbox.run(["cost"]).ok().stdout;
    assert!(text.contains("\na price of $0 recorded for 2 requests (p/local); "), "{text}");
    assert!(text.contains("\nno price recorded for 1 request (p/unknown); not in"), "{text}");
    let text = sandbox.run(["cost", "--explain"]).ok().stdout;
    assert!(text.contains("`pitree list` also adds up to $0.5000"), "{text}");
    let text = sandbox.run(["cost", "--explain", "--since", "2026-01-01"]).ok().stdout;
    assert!(!text.contains("`pitree list`"), "{text}");
}

#[test]
fn a_budget_marks_what_went_over_it() {
    let sandbox = sandbox();
    let run = sandbox.run(["cost", "--budget", "0.25/day"]).ok();
    let over: Vec<&str> = run.stdout.lines().filter(|line| line.contains("over budget")).collect();
    assert_eq!(over.len(), 1, "{}", run.stdout);
    assert!(over[0].ends_with("$0.5000 over budget"), "{over:?}");
    assert!(run.stdout.contains("1 day over the budget of $0.25"), "{}", run.stdout);
    let run = sandbox.run(["cost", "--budget", "9/month"]).ok();
    assert!(run.stdout.contains("month ") && !run.stdout.contains("over budget"), "{run:?}");
    let _ = sandbox.run(["cost", "--budget", "9/month", "--by", "day"]).exits(2);
    let _ = sandbox.run(["cost", "--budget", "much"]).exits(2);
    let json = sandbox.run(["cost", "--budget", "0.25/day", "--json"]).ok().json();
    let over = json["rows"].as_array().unwrap().iter().map(|row| row["overBudget"].as_f64());
    assert_eq!(over.collect::<Vec<_>>(), [None, Some(0.5)]);
}

#[test]
fn models_of_one_name_have_columns_with_their_providers() {
    let sandbox = Sandbox::new();
    let reply = |id: &str, provider: &str| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":null,"timestamp":"2026-02-03T22:52:06.410Z","message":{{"role":"assistant","content":[],"provider":"{provider}","model":"same","usage":{{"input":1,"output":1,"cost":{{"total":0.5}}}}}}}}"#
        )
    };
    let header = r#"{"type":"session","version":3,"id":"s","timestamp":"2026-02-03T22:52:06.410Z","cwd":"/w"}"#;
    let text = [header, &reply("aa", "one"), &reply("bb", "other")].join("\n") + "\n";
    sandbox.write("home/.pi/agent/sessions/--w--/a.jsonl", &text);
    let run = sandbox.run(["cost", "--models"]).ok();
    assert!(run.stdout.contains("one/same") && run.stdout.contains("other/same"), "{run:?}");
}

#[test]
fn days_are_those_of_the_users_zone() {
    let sandbox = sandbox();
    let days = |zone: &str| {
        let run = sandbox.call(["cost", "--json"]).env("TZ", zone).run().ok().json();
        run["rows"][1]["key"].as_str().map(str::to_owned)
    };
    assert_eq!(days("UTC").as_deref(), Some("2026-02-03"));
    assert_eq!(days("XXX-14").as_deref(), Some("2026-02-04"));
}

#[test]
fn each_line_tells_what_each_model_cost() {
    let sandbox = sandbox();
    let value = sandbox.run(["cost", "--json", "--models"]).ok().json();
    for row in value["rows"].as_array().unwrap() {
        let models = row["models"].as_array().unwrap();
        let tokens = models.iter().map(|model| model["tokens"]["total"].as_f64().unwrap());
        assert_eq!(Some(tokens.sum::<f64>()), row["tokens"]["total"].as_f64(), "{row}");
    }
}

#[test]
fn selections_and_mistakes() {
    let sandbox = sandbox();
    let cost = |args: &[&str]| {
        let mut all = vec!["cost", "--json"];
        all.extend_from_slice(args);
        sandbox.run(all)
    };
    let value = cost(&["--since", "2026-01-01"]).ok().json();
    assert_eq!((&value["total"]["count"], &value["total"]["unknownCosts"]), (&2.into(), &0.into()));
    assert_eq!(cost(&["--until", "2026-01-01"]).ok().json()["total"]["cost"], Value::Null);
    let _ = cost(&["--since", "2027-01-01"]).exits(1);
    let _ = cost(&["--scope", "dir"]).exits(1);
    let east = cost(&["--utc-offset", "+02:00"]).ok().json();
    assert_eq!(east["rows"][1]["key"], "2026-02-04");
    let west = cost(&["--utc-offset", "-11:00"]).ok().json();
    assert_eq!(west["rows"][0]["key"], "2025-11-19");
    let _ = cost(&["--utc-offset", "2"]).exits(2);
    // Days of a selection are those of the rows; a time with a zone is the same everywhere.
    let two = |since: &str, until: &str, offset: &str| {
        cost(&["--since", since, "--until", until, "--utc-offset", offset])
    };
    let days = two("2026-02-04", "2026-02-04", "+02:00").ok().json();
    assert_eq!(days["rows"].as_array().unwrap().len(), 1, "{days}");
    assert_eq!(days["rows"][0]["key"], "2026-02-04");
    let _ = two("2026-02-04", "2026-02-05", "+00:00").exits(1);
    let _ = two("2026-02-02", "2026-02-03", "+02:00").exits(1);
    let _ = two("2026-02", "2026-02", "+02:00").ok();
    let _ = two("2026-01", "2026-01", "+02:00").exits(1);
    let _ = two("2026-02-04T00:52", "2026-02-04T00:53", "+02:00").ok();
    let _ = two("2026-02-03T22:52Z", "2026-02-03T22:53Z", "+02:00").ok();
    let _ = two("2026-02-04T01:52+03:00", "2026-02-04T01:53+03:00", "-05:00").ok();
    let wrong = two("2026-02-05", "2026-02-04", "+00:00").exits(2);
    assert!(wrong.stderr.contains("`--since` is later than `--until`"), "{wrong:?}");
    let _ = cost(&["--by", "colour"]).exits(2);
    let empty = Sandbox::new().run(["cost", "--json"]).exits(1).json();
    assert_eq!(empty["total"]["count"], 0);
}

#[test]
fn a_name_from_a_file_cannot_harm_the_terminal() {
    let sandbox = Sandbox::new();
    let evil = BRANCHED.replace(r#""model":"m""#, r#""model":"m\u001b[31m\nx""#);
    let _ = sandbox.write("home/.pi/agent/sessions/--x--/e.jsonl", &evil);
    let run = sandbox.run(["cost", "--by", "model"]).ok();
    assert!(!run.stdout.contains('\u{1b}'), "{}", run.stdout);
    assert!(run.stdout.contains("p/m\u{FFFD}[31m x"), "{}", run.stdout);
}

#[test]
fn roles_by_either_rules() {
    let sandbox = Sandbox::new();
    for (name, cwd) in [("1", "/srv/gt/mayor"), ("2", "/srv/gt/rig/crew/max")] {
        let text = BRANCHED
            .replace("/home/ana/projects/weather", cwd)
            .replace("0001\"", &format!("{name}\""));
        let text = text.replace("00000000000a", name);
        let _ = sandbox.write(&format!("home/.pi/agent/sessions/--x--/{name}.jsonl"), &text);
    }
    let roles = |rules: &[&str]| -> Vec<Value> {
        let args = [&["cost", "--by", "role", "--json"], rules].concat();
        let value = sandbox.run(args).ok().json();
        value["rows"].as_array().unwrap().iter().map(|row| row["key"].clone()).collect()
    };
    for cache in [&[][..], &[], &["--no-index"]] {
        assert_eq!(roles(cache), ["mayor", "crew"]);
        assert_eq!(roles(&[cache, &["--role-rules", "message-first"]].concat()), ["mayor", "crew"]);
        let seed = roles(&[cache, &["--role-rules", "seed"]].concat());
        assert_eq!(seed, [Value::Null, "crew".into()]);
    }
}

/// Numbers in a usage that are no amounts, with what they cost by the documented rule.
const ODD_COSTS: [(&str, Option<f64>); 9] = [
    (r#"{"total":1e999}"#, None),
    (r#"{"total":-1e999}"#, None),
    (r#"{"input":1e999,"output":-1e999}"#, None),
    (r#"{"total":"0.5"}"#, None),
    (r#"{"total":null}"#, None),
    (r#"{"total":1e300}"#, None),
    ("null", None),
    (r#"{"total":-0.25}"#, Some(-0.25)),
    ("1e999", None),
];

#[test]
fn no_number_in_a_file_makes_a_sum_infinite() {
    let odd_tokens = ["1e999", "-1e999", "-7", "\"7\"", "null", "[]"];
    for ((cost, known), tokens) in ODD_COSTS.into_iter().zip(odd_tokens.into_iter().cycle()) {
        let sandbox = Sandbox::new();
        let usage = r#""usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":3,"cost":{"total":0.25}"#;
        let odd = format!(r#""usage":{{"input":{tokens},"output":1,"cost":{cost}"#);
        let text = BRANCHED.replace(usage, &odd);
        assert_ne!(text, BRANCHED);
        let path = sandbox.write("home/.pi/agent/sessions/--x--/odd.jsonl", &text);
        let path = path.to_str().unwrap();
        let summed = &sandbox.run(["cost", "--json"]).ok().json()["total"];
        let list = sandbox.run(["list", "--scope", "all", "--json"]).ok().json();
        let shown = sandbox.run(["show", path, "--mode", "costs", "--json"]).ok().json();
        let listed = &list[0]["spend"];
        let told = format!("{cost} {tokens}: {summed} {listed} {shown}");
        for part in [summed, listed, &shown] {
            assert_eq!(part["cost"].as_f64(), Some(0.5 + known.unwrap_or(0.0)), "{told}");
            assert_eq!(part["unknownCosts"], u64::from(known.is_none()), "{told}");
        }
        let sum = if tokens == "1e999" { 1e12 + 4.0 } else { 4.0 };
        for part in [&summed["tokens"]["total"], &listed["tokens"], &shown["tokens"]["total"]] {
            assert_eq!(part.as_f64(), Some(sum), "{told}");
        }
        for args in [&["cost"][..], &["list", "--scope", "all"], &["show", path]] {
            let said = sandbox.run(args).ok().stdout.to_lowercase();
            let has = |word: &str| said.split_whitespace().any(|other| other.contains(word));
            assert!(!has("inf") && !has("nan"), "{said}");
        }
    }
}

/// Answers, one of them of another model than was asked for, and two calls of sub-agents: one
/// whose tool result repeats the sum of its runs, and one that is told twice.
fn with_subagents() -> String {
    let usage = |tokens: u32, cost: f64| {
        format!(
            r#"{{"input":{tokens},"output":1,"cacheRead":0,"cacheWrite":0,"cost":{{"total":{cost}}}}}"#
        )
    };
    let run = |agent: &str, tokens: u32, cost: f64| {
        format!(
            r#"{{"agent":"{agent}","task":"t","model":"small","usage":{{"input":{tokens},"output":1,"cost":{cost}}}}}"#
        )
    };
    let message = |id: &str, parent: &str, rest: &str| {
        format!(
            r#"{{"type":"message","id":"{id}","parentId":"{parent}","timestamp":"2026-02-03T22:53:00.000Z","message":{{{rest}}}}}"#
        )
    };
    let answer = |names: &str, tokens: u32, cost: f64| {
        let usage = usage(tokens, cost);
        format!(r#""role":"assistant","content":[],"provider":"p",{names},"usage":{usage}"#)
    };
    let result = |call: &str, usage: &str, runs: &[String]| {
        let runs = runs.join(",");
        format!(
            r#""role":"toolResult","toolCallId":"{call}","toolName":"subagent","content":[]{usage},"details":{{"mode":"parallel","results":[{runs}]}}"#
        )
    };
    let told = result("c2", "", &[run("c", 7, 0.03)]);
    let sum = r#","usage":{"input":50,"output":2,"cost":{"total":0.3}}"#;
    [
        r#"{"type":"session","version":3,"id":"parent","timestamp":"2026-02-03T22:52:06.000Z","cwd":"/x"}"#.to_owned(),
        message("a1", "", &answer(r#""model":"auto","responseModel":"real""#, 100, 0.2)),
        message("a2", "a1", &answer(r#""model":"real","responseModel":null"#, 10, 0.031)),
        message("r1", "a2", &result("c1", sum, &[run("a", 20, 0.1), run("b", 30, 0.2)])),
        message("r2", "r1", &told),
        message("r3", "r2", &told),
    ]
    .join("\n")
        + "\n"
}

#[test]
fn a_session_costs_the_same_wherever_it_is_shown() {
    let sandbox = Sandbox::new();
    let path = sandbox.write("home/.pi/agent/sessions/--x--/s.jsonl", &with_subagents());
    let path = path.to_str().unwrap();
    for index in [&["--no-index"][..], &[], &[]] {
        let json = |args: &[&str]| {
            sandbox.run(args.iter().chain(index).chain(&["--json"]).copied()).ok().json()
        };
        let by_session = &json(&["cost", "--by", "session"])["rows"][0];
        let shown = json(&["show", path, "--mode", "costs"]);
        let listed = &json(&["list", "--scope", "all"])[0];
        let near = |cost: &Value| (cost.as_f64().unwrap() - 0.561).abs() < 1e-9;
        for cost in [&by_session["cost"], &shown["total"]["cost"], &listed["spend"]["cost"]] {
            assert!(near(cost), "{by_session}\n{shown}\n{listed}");
        }
        let tokens = by_session["tokens"]["total"].as_f64();
        assert_eq!(tokens, Some(172.0));
        assert_eq!(shown["total"]["tokens"]["total"].as_f64(), tokens);
        assert_eq!(listed["spend"]["tokens"].as_f64(), tokens);
        assert_eq!(listed["subagents"], 4);
        assert_eq!(shown["sources"][6]["source"], "subagents");
        assert_eq!(shown["sources"][6]["count"], 3);
        // The model that answered counts, not the one that was asked for.
        let overview = json(&["show", path]);
        assert_eq!(overview["models"].as_array().unwrap().len(), 1, "{overview}");
        assert_eq!(overview["models"][0]["model"], "real");
        assert_eq!(listed["models"][0]["answers"], 2);
        assert_eq!(shown["models"][0]["messages"], 2);
        let models = json(&["cost", "--by", "model"]);
        let keys: Vec<&Value> =
            models["rows"].as_array().unwrap().iter().map(|row| &row["key"]).collect();
        assert_eq!(keys, ["small", "p/real"]);
    }
    let text = sandbox.run(["show", path, "--mode", "costs"]).ok().stdout;
    assert!(text.contains("sub-agents") && text.contains("$0.5610"), "{text}");
}

#[test]
fn hostile_times_overflow_nothing() {
    let sandbox = Sandbox::new();
    for time in ["-1e300", "1e300", "-9.3e18", "9.3e18"] {
        let text = format!(
            r#"{{"type":"session","version":3,"id":"s","timestamp":"2026-02-03T22:52:06.000Z","cwd":"/x","parentSession":"/gone"}}
{{"type":"message","id":"a","message":{{"role":"assistant","content":[],"timestamp":{time},"usage":{{"input":1,"cost":{{"total":0.5}}}}}}}}
"#
        );
        let _ = sandbox.write("home/.pi/agent/sessions/--x--/s.jsonl", &text);
        for args in [&["cost"][..], &["cost", "--by", "week"], &["list", "--scope", "all"]] {
            let _ = sandbox.run(args.iter().copied()).ok();
        }
        let total = sandbox.run(["cost", "--json"]).ok().json()["total"]["cost"].as_f64();
        assert_eq!(total, Some(0.5), "{time}");
    }
}
