//! The card tells what is in the files.

use pitree_extract::{ExtractOptions, Quality};

use crate::common::{Store, entry_text, options, session_text};

#[test]
fn the_card_adds_up() {
    let store = Store::random(60);
    let quality = Quality { count_tokens: true, validation: Some(0.4), ..Quality::default() };
    let report = store.run(&ExtractOptions { quality, ..options(store.root()) });
    let text = fs_err::read_to_string(store.out().join("card.json")).unwrap();
    let card: serde_json::Value = serde_json::from_str(&text).unwrap();
    let (train, validation) = (store.lines("train.jsonl"), store.lines("validation.jsonl"));
    assert_eq!(card["samples"]["total"], report.samples);
    assert_eq!(card["samples"]["train"], train.len());
    assert_eq!(card["samples"]["validation"], validation.len());
    let of_role = |role: &str| {
        let messages = train.iter().chain(&validation).flat_map(|line| {
            line["messages"].as_array().unwrap().iter().filter(|it| it["role"] == role)
        });
        messages.count()
    };
    for role in ["user", "assistant", "tool"] {
        assert_eq!(card["messages"][role], of_role(role), "{role}");
    }
    assert_eq!(card["sessions"]["used"], report.sessions);
    assert_eq!(card["tokens"]["counted"], "o200k_base");
    for file in card["files"].as_array().unwrap() {
        let bytes = fs_err::read(store.out().join(file["path"].as_str().unwrap())).unwrap();
        assert_eq!(file["bytes"], bytes.len());
        assert_eq!(file["blake3"], blake3::hash(&bytes).to_hex().as_str());
    }
    let page = fs_err::read_to_string(store.out().join("README.md")).unwrap();
    for plot in ["messages-by-role.svg", "samples-by-tokens.svg", "spend-by-model.svg"] {
        assert!(page.contains(plot));
        let svg = fs_err::read_to_string(store.out().join(plot)).unwrap();
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    }
    assert!(page.starts_with("---\nconfigs:\n"));
}

#[test]
fn parts_without_samples_have_a_count_and_half_a_line_is_no_damage() {
    let store = Store::empty();
    let card = || -> serde_json::Value {
        let text = fs_err::read_to_string(store.out().join("card.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    };
    let asked = session_text("s1", &[("a1", "user", "hello")]);
    let half = entry_text("a2", "\"a1\"", "assistant", "hi");
    let half = &half[..half.len() / 2];
    for (text, damaged) in [
        (format!("{asked}{half}"), 0),
        (format!("{asked}{half}\n"), 1),
        (format!("{asked}no JSON\n{half}"), 1),
        (format!("{asked}{half}\n{half}\n"), 2),
    ] {
        store.write("s.jsonl", text.as_bytes());
        store.run(&options(store.root()));
        assert_eq!(card()["sessions"]["damagedLines"], damaged, "{text}");
        assert_eq!(card()["samples"], serde_json::json!({"total": 0, "data": 0}));
    }
    let quality = Quality { validation: Some(0.4), ..Quality::default() };
    store.run(&ExtractOptions { quality, ..options(store.root()) });
    let none = serde_json::json!({"total": 0, "train": 0, "validation": 0});
    assert_eq!(card()["samples"], none);
}
