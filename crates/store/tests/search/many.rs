//! Words that stand nearly everywhere: the hits that are shown are those of a search that looks
//! at everything.

use pitree_store::Scope;
use pitree_store::search::{Found, Query, SearchOptions};
use pitree_testkit::Rng;

use crate::search::{NOW, Sessions, user};

fn search(sessions: &Sessions, query: &str, limit: usize) -> Found {
    let query = Query::parse(query, NOW).unwrap();
    let options = SearchOptions { scope: Scope::All, conversation: false, limit };
    sessions.store().search(&query, &options)
}

/// An entry that holds the word some times, in one spelling or another.
fn entry(rng: &mut Rng, number: usize) -> String {
    let (low, high) = rng.weighted(&[(80, (1, 1)), (15, (2, 5)), (5, (6, 30))]);
    let places = rng.between(low, high);
    let word = rng.weighted(&[(70, "common"), (20, "Common"), (5, r"comm\u006fn"), (5, "un")]);
    let text = format!("{} filler/{number}", format!("{word} thing, ").repeat(places));
    match rng.below(10) {
        0..4 => format!(
            r#"{{"type":"message","message":{{"role":"toolResult","toolName":"t","content":"{text}"}}}}"#
        ),
        4..8 => format!(
            r#"{{"type":"message","message":{{"role":"assistant","content":[{{"type":"thinking","thinking":"{text}"}},{{"type":"toolCall","id":"common","name":"t","arguments":{{"a":"{text}"}}}}]}}}}"#
        ),
        8 => format!(
            r#"{{"type":"message","message":{{"role":"assistant","content":[{{"type":"text","text":"{text}"}}]}}}}"#
        ),
        _ => user(&text),
    }
}

#[test]
fn the_best_of_very_many_hits_are_the_best() {
    let sessions = Sessions::new();
    let mut rng = Rng::new(17);
    for file in 0..8 {
        let entries: Vec<String> = (0..900).map(|number| entry(&mut rng, number)).collect();
        let entries: Vec<&str> = entries.iter().map(String::as_str).collect();
        sessions.write(&format!("s{file}"), "/p", &entries);
    }
    // A copy of a whole session: its hits are in two places.
    let copy = fs_err::read_to_string(sessions.path("s3")).unwrap();
    fs_err::write(sessions.path("t"), copy.replacen("\"id\":\"s3\"", "\"id\":\"t\"", 1)).unwrap();
    let ids = |found: &Found| -> Vec<(String, String, usize)> {
        let hit = |hit: &pitree_store::search::Hit| {
            (hit.session.id.clone(), hit.entry_id.clone(), hit.places.len())
        };
        found.hits.iter().map(hit).collect()
    };
    for query in ["common", "common thing", "\"common thing,\"", "re:comm.n", "comm* fill*"] {
        let all = search(&sessions, query, 100_000);
        assert!(all.is_exact && all.total == all.hits.len() && all.total > 6000, "{query}");
        for limit in [1, 7, 40] {
            let best = search(&sessions, query, limit);
            assert_eq!(ids(&best), ids(&all)[..limit], "{query}");
            assert!(!best.is_exact && best.total >= all.total, "{query}: {}", best.total);
        }
        let counted = search(&sessions, query, 0);
        assert!(counted.is_exact && counted.total == all.total && counted.hits.is_empty());
    }
    // What a filter leaves is counted.
    let users = search(&sessions, "common role:user", 5);
    assert!(users.is_exact && (300..1200).contains(&users.total), "{}", users.total);
    assert!(users.hits.iter().all(|hit| hit.role == pitree_store::search::HitRole::User));
    assert!(search(&sessions, "filler/7", 5).is_exact);
}
