//! What each form keeps: all of it, in its own shape.

use std::sync::Arc;

use pitree_extract::format::lora_forge::LoraForge;
use pitree_extract::format::{Axolotl, Chat, LlamaFactory, MsSwift, OpenAi, ShareGpt};
use pitree_extract::{
    ChatMessage, Context, DropReason, Format, FormatName, FormatOptions, Reasoning, Sample,
    SampleKind, Selection, Unit, Wire,
};
use pitree_format::js;
use serde_json::{Value, json};

use crate::formats::samples::{Texts, learned_part, meaning, samples};

const COUNT: usize = 100;
const KINDS: [SampleKind; 3] = [SampleKind::Path, SampleKind::Turn, SampleKind::Request];

/// Calls `check` with each sample's row, its meaning, and the sample itself.
fn each(
    format: &dyn Format,
    kinds: &[SampleKind],
    check: impl Fn(Result<Value, DropReason>, &[Value], &Sample),
) {
    let mut written = 0;
    for &kind in kinds {
        for sample in samples(COUNT, kind, Texts::Any) {
            let meaning = meaning(&sample);
            let row = format.whole_line(&sample).map(|line| {
                assert!(!line.contains('\n'), "{}", sample.id);
                written += 1;
                serde_json::from_str(&line).unwrap()
            });
            check(row, learned_part(&meaning), &sample);
        }
    }
    assert!(written > COUNT / 4, "only {written} rows");
}

/// The messages of Hugging Face's form, taken apart again.
fn taken_apart(message: &Value, mask: &(&str, Value)) -> Value {
    let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
    let calls = calls.iter().map(|call| {
        assert_eq!(call["type"], "function");
        let arguments = match &call["function"]["arguments"] {
            Value::String(text) => serde_json::from_str(text).unwrap(),
            object => object.clone(),
        };
        json!({ "id": call["id"], "name": call["function"]["name"], "arguments": arguments })
    });
    json!({
        "role": message["role"],
        "text": message.get("content").cloned().unwrap_or_else(|| json!("")),
        "reasoning": message["reasoning_content"],
        "calls": calls.collect::<Vec<_>>(),
        "call_id": message["tool_call_id"],
        "trained": message["role"] == "assistant" && message.get(mask.0) != Some(&mask.1),
    })
}

#[test]
fn chat_keeps_everything_and_says_what_is_learned() {
    for (unit, kind) in [Unit::Path, Unit::Turn, Unit::Request].into_iter().zip(KINDS) {
        chat_keeps_everything(unit, kind);
    }
}

fn chat_keeps_everything(unit: Unit, kind: SampleKind) {
    each(&Chat { unit }, &[kind], |row, expected, sample| {
        let row = row.unwrap_or_else(|reason| panic!("{}: {reason}", sample.id));
        let messages = if sample.kind == SampleKind::Path {
            assert!(row.get("prompt").is_none());
            row["messages"].as_array().unwrap().clone()
        } else {
            assert!(row.get("messages").is_none());
            let mut prompt = row["prompt"].as_array().unwrap().clone();
            for message in &mut prompt {
                assert_eq!(message.get("train"), None);
                message["train"] = json!(false);
            }
            let completion = row["completion"].as_array().unwrap();
            assert!(completion[0]["role"] == "assistant" && completion[0].get("train").is_none());
            prompt.into_iter().chain(completion.iter().cloned()).collect()
        };
        let found: Vec<Value> =
            messages.iter().map(|message| taken_apart(message, &("train", json!(false)))).collect();
        assert_eq!(found, expected, "{}", sample.id);
        assert_eq!(row["metadata"]["sampleId"], sample.id);
    });
}

#[test]
fn axolotl_has_a_mask_for_each_reply() {
    each(&Axolotl, &KINDS, |row, expected, sample| {
        let row = row.unwrap();
        let messages = row["messages"].as_array().unwrap().iter();
        let found: Vec<Value> =
            messages.map(|message| taken_apart(message, &("train", json!(false)))).collect();
        assert_eq!(found, expected, "{}", sample.id);
    });
}

/// What is meant, with the thoughts in the text.
fn with_thoughts_in_text(expected: &[Value]) -> Vec<Value> {
    let mut expected = expected.to_vec();
    for message in &mut expected {
        if let Some(thought) = message["reasoning"].as_str() {
            let text = message["text"].as_str().unwrap();
            message["text"] = format!("<think>\n{thought}\n</think>\n\n{text}").into();
            message["reasoning"] = Value::Null;
        }
    }
    expected
}

#[test]
fn ms_swift_has_messages_of_texts_and_its_own_mask() {
    each(&MsSwift, &KINDS, |row, expected, sample| {
        let row = row.unwrap();
        let mut meant = Vec::new();
        for message in with_users_joined(with_thoughts_in_text(expected)) {
            let is_reply = message["role"] == "assistant";
            let loss = is_reply.then(|| message["trained"].clone());
            let role = if message["role"] == "tool" { "tool_response" } else { role_of(&message) };
            let calls = message["calls"].as_array().unwrap();
            if message["text"] != "" || calls.is_empty() {
                meant.push((role.to_owned(), message["text"].clone(), loss.clone()));
            }
            for call in calls {
                let call = json!({ "name": call["name"], "arguments": call["arguments"] });
                meant.push(("tool_call".to_owned(), call, loss.clone()));
            }
        }
        let messages = row["messages"].as_array().unwrap().iter().map(|message| {
            let text = message["content"].as_str().unwrap();
            let content = match role_of(message) {
                "tool_call" => serde_json::from_str(text).unwrap(),
                _ => json!(text),
            };
            (role_of(message).to_owned(), content, message.get("loss").cloned())
        });
        assert_eq!(messages.collect::<Vec<_>>(), meant, "{}", sample.id);
        assert!(row["tools"].is_string() && row["metadata"].is_string());
    });
}

fn role_of(message: &Value) -> &str {
    message["role"].as_str().unwrap()
}

fn with_users_joined(messages: Vec<Value>) -> Vec<Value> {
    let mut joined: Vec<Value> = Vec::new();
    for message in messages {
        let is_user = |message: &&mut Value| message["role"] == "user";
        match joined.last_mut().filter(is_user).filter(|_| message["role"] == "user") {
            Some(last) => {
                let texts = [&last["text"], &message["text"]].map(|text| text.as_str().unwrap());
                last["text"] = texts.join("\n\n").into();
            }
            None => joined.push(message),
        }
    }
    joined
}

#[test]
fn openai_has_nothing_but_what_the_service_takes() {
    each(&OpenAi, &KINDS, |row, expected, sample| {
        let row = row.unwrap();
        let members: Vec<&String> = row.as_object().unwrap().keys().collect();
        assert!(members.iter().all(|name| ["messages", "tools"].contains(&name.as_str())));
        for (found, expected) in row["messages"].as_array().unwrap().iter().zip(expected) {
            let mut found = found.clone();
            if let Some(parts) = found["content"].as_array() {
                let texts = parts.iter().map(|part| part["text"].as_str().unwrap_or("[image]"));
                found["content"] = texts.collect::<Vec<_>>().join("\n").into();
            }
            for call in expected["calls"].as_array().unwrap() {
                assert!(call["arguments"].is_object());
            }
            let mut expected = expected.clone();
            expected["reasoning"] = Value::Null;
            assert_eq!(taken_apart(&found, &("weight", json!(0))), expected, "{}", sample.id);
        }
        assert_eq!(row["messages"].as_array().unwrap().len(), expected.len());
    });
}

#[test]
fn a_reply_that_was_split_stands_whole_behind_its_request() {
    let is_split = |sample: &&Sample| {
        let reply = sample.messages.last().unwrap();
        reply.reasoning.is_some() && !reply.text().is_empty() && !reply.tool_calls.is_empty()
    };
    let mut sample = samples(200, SampleKind::Path, Texts::Plain)
        .into_iter()
        .map(|mut sample| {
            let is_call = |message: &Arc<ChatMessage>| !message.tool_calls.is_empty();
            let end = sample.messages.iter().position(is_call).map_or(1, |at| at + 1);
            sample.messages.truncate(end);
            sample.trained = vec![false; end];
            sample.trained[end - 1] = true;
            sample
        })
        .find(|sample| is_split(&sample))
        .unwrap();
    let reply = sample.messages.last().unwrap().clone();
    sample.wire = Some(Wire { messages: Vec::new(), tools: None, notes: Vec::new() });
    Reasoning::Split.apply(&mut sample);
    let row: Value = serde_json::from_str(&OpenAi.whole_line(&sample).unwrap()).unwrap();
    assert_eq!(row["messages"][0]["content"], json!(reply.text()));
    let calls = row["messages"][1]["tool_calls"].as_array().unwrap();
    assert_eq!(calls.len(), reply.tool_calls.len());
}

#[test]
fn bodies_of_requests_are_not_offered_for_fine_tuning() {
    let note = |context| {
        let selection = Selection { unit: Unit::Request, context, ..Selection::default() };
        let options = FormatOptions { samples: selection.into(), ..FormatOptions::default() };
        FormatName::OpenAi.prepare(&options).loading("data.jsonl").unwrap()
    };
    assert!(!note(Context::AsSent).contains("fine-tune\""), "{}", note(Context::AsSent));
    assert!(note(Context::Raw).contains("fine-tune\""), "it has weights");
}

#[test]
fn lora_forge_leaves_out_what_teaches_nothing() {
    let mut sample = samples(1, SampleKind::Turn, Texts::Plain).remove(0);
    let form = LoraForge::default();
    assert!(form.whole_line(&sample).is_ok());
    for (message, trained) in sample.messages.iter_mut().zip(&sample.trained) {
        if *trained {
            let message = Arc::make_mut(message);
            message.content.clear();
            message.tool_calls.clear();
            message.reasoning = Some("hm".to_owned());
        }
    }
    assert_eq!(form.whole_line(&sample), Err(DropReason::NoTarget));
}

#[test]
fn openai_prints_a_request_as_it_was_sent() {
    let message = r#"{"role":"assistant","content":null,"reasoning":"r","tool_calls":[]}"#;
    let tool = r#"{"type":"function","function":{"name":"a b","strict":false}}"#;
    for mut sample in samples(20, SampleKind::Request, Texts::Any) {
        let parse = |text: &str| js::parse(text.as_bytes()).unwrap();
        sample.wire = Some(Wire {
            messages: vec![parse(message).into(), parse(message).into()],
            tools: Some(vec![parse(tool)].into()),
            notes: Vec::new(),
        });
        let line = OpenAi.whole_line(&sample).unwrap();
        let start = format!(r#"{{"messages":[{message},{message},{{"role":"assistant","#);
        assert!(line.starts_with(&start), "{line}");
        assert!(line.ends_with(&format!(r#"}}],"tools":[{tool}]}}"#)), "{line}");
        let row: Value = serde_json::from_str(&line).unwrap();
        let meaning = meaning(&sample);
        let reply = learned_part(&meaning).last().unwrap();
        let found = taken_apart(&row["messages"][2], &("weight", json!(0)));
        assert_eq!(found["text"], reply["text"]);
        assert_eq!(found["calls"], reply["calls"]);
    }
}

/// Texts that must be found in this order.
fn assert_in_order(text: &str, parts: &[String]) {
    let mut rest = text;
    for part in parts {
        let at = rest.find(part.as_str()).unwrap_or_else(|| panic!("no {part:?} in {rest:?}"));
        rest = &rest[at + part.len()..];
    }
}

fn has_untrained_reply(expected: &[Value]) -> bool {
    expected.iter().any(|message| message["role"] == "assistant" && message["trained"] == false)
}

/// The texts of a conversation, those of calls as JSON.
fn texts(expected: &[Value]) -> Vec<String> {
    let expected = with_thoughts_in_text(expected);
    let texts = expected.iter().flat_map(|message| {
        let calls = message["calls"].as_array().unwrap();
        let calls = calls.iter().map(|call| call["arguments"].to_string());
        std::iter::once(message["text"].as_str().unwrap().to_owned()).chain(calls)
    });
    texts.collect()
}

#[test]
fn sharegpt_takes_turns_and_drops_nothing() {
    each(&ShareGpt, &KINDS, |row, expected, sample| {
        let Ok(row) = row else {
            assert!(has_untrained_reply(expected) && sample.kind != SampleKind::Request);
            return;
        };
        assert!(!has_untrained_reply(expected) || sample.kind == SampleKind::Request);
        let turns = row["conversations"].as_array().unwrap();
        let has_system = expected[0]["role"] == "system" || sample.tools.is_some();
        for (at, turn) in turns.iter().enumerate() {
            assert_eq!(turn.as_object().unwrap().len(), 2);
            let from = match at.checked_sub(usize::from(has_system)) {
                None => "system",
                Some(at) if at % 2 == 0 => "human",
                Some(_) => "gpt",
            };
            assert_eq!(turn["from"], from, "{}", sample.id);
        }
        assert_eq!(turns.last().unwrap()["from"], "gpt");
        let all: Vec<&str> = turns.iter().map(|turn| turn["value"].as_str().unwrap()).collect();
        assert_in_order(&all.join("\n"), &texts(expected));
    });
}

#[test]
fn llama_factory_takes_turns_and_gets_calls_that_it_can_take_apart() {
    each(&LlamaFactory, &KINDS, |row, expected, sample| {
        let says_mark = |message: &Value| {
            let said = [&message["text"], &message["reasoning"]];
            let calls = message["calls"].as_array().unwrap();
            !calls.is_empty() && said.iter().any(|text| text.to_string().contains("<tool_call>"))
        };
        let masked = has_untrained_reply(expected) && sample.kind != SampleKind::Request;
        let Ok(row) = row else {
            assert!(masked || expected.iter().any(says_mark), "{}", sample.id);
            return;
        };
        assert!(!masked && !expected.iter().any(says_mark), "{}", sample.id);
        let turns = row["conversations"].as_array().unwrap();
        assert!(turns.len() % 2 == 0, "{}", sample.id);
        let mut all = Vec::new();
        for (at, turn) in turns.iter().enumerate() {
            let sides: [&[&str]; 2] = [&["human", "observation"], &["gpt", "function_call"]];
            let from = turn["from"].as_str().unwrap();
            assert!(sides[at % 2].contains(&from), "{}: {from} at {at}", sample.id);
            let value = turn["value"].as_str().unwrap();
            match value.split_once("<tool_call>").filter(|_| from == "function_call") {
                Some((text, calls)) => {
                    let (calls, rest) = calls.split_once("</tool_call>").unwrap();
                    assert_eq!(rest, "");
                    let calls: Vec<Value> = serde_json::from_str(calls).unwrap();
                    all.push(text.to_owned());
                    all.extend(calls.iter().map(|call| call["arguments"].to_string()));
                }
                None => all.push(value.to_owned()),
            }
        }
        let is_system = |message: &&Value| message["role"] == "system";
        let system = expected.first().filter(is_system).map_or("", |m| m["text"].as_str().unwrap());
        assert_eq!(row["system"], system);
        let spoken = &expected[usize::from(!system.is_empty())..];
        assert_in_order(&all.join("\n"), &texts(spoken));
    });
}

#[test]
fn llama_factory_describes_each_file() {
    let files = LlamaFactory.side_files(&["train.jsonl", "validation.jsonl"]);
    let [(name, text)] = files.as_slice() else { panic!("{files:?}") };
    assert_eq!(*name, "dataset_info.json");
    let info: Value = serde_json::from_str(text).unwrap();
    assert_eq!(info["pitree_train"]["file_name"], "train.jsonl");
    assert_eq!(info["pitree_validation"]["formatting"], "sharegpt");
}

#[test]
fn a_sample_without_a_reply_to_learn_is_left_out() {
    for mut sample in samples(3, SampleKind::Path, Texts::Any) {
        sample.trained.fill(false);
        for format in
            [&Chat { unit: Unit::Path } as &dyn Format, &OpenAi, &ShareGpt, &LlamaFactory, &MsSwift]
        {
            assert_eq!(format.whole_line(&sample), Err(DropReason::NoTarget));
        }
    }
}
