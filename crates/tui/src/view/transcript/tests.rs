use pitree_format::{Object, Value};
use pitree_session::{Environment, NewSession};
use proptest::prelude::*;

use super::*;

/// So many that reading all of them again for each takes long.
const CALLS: usize = 2_000;

fn session(texts: &[&str]) -> Session {
    let next = std::sync::atomic::AtomicU8::new(1);
    let random = move |bytes: &mut [u8]| {
        for byte in bytes {
            *byte = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    };
    let environment = Environment::new("/home/ana", "/srv", || 1_770_159_126_410, random);
    let mut session = Session::in_memory("/srv", &NewSession::default(), &environment).unwrap();
    for (at, text) in texts.iter().enumerate() {
        append(&mut session, if at % 2 == 0 { "user" } else { "assistant" }, text);
    }
    session
}

fn append(session: &mut Session, role: &str, text: &str) {
    let message: Value = Object::new().with("role", role).with("content", text).into();
    session.append_message(message).unwrap();
}

fn seen(transcript: &mut Transcript, session: &Session, height: usize) -> Vec<String> {
    transcript.rows(session, 40, height).iter().map(Line::text).collect()
}

#[test]
fn the_end_is_seen_and_stays_in_sight() {
    let mut session = session(&["one", "two", "three"]);
    let mut transcript = Transcript::default();
    transcript.sync(&session);
    assert_eq!(seen(&mut transcript, &session, 3), ["two", "", "▌ three"]);
    append(&mut session, "assistant", "four");
    transcript.sync(&session);
    assert_eq!(seen(&mut transcript, &session, 3), ["▌ three", "", "four"]);
    // More room than rows: it begins at the top.
    assert_eq!(seen(&mut transcript, &session, 9).len(), 7);
}

#[test]
fn a_place_stays_when_something_is_appended_and_is_left_for_another_branch() {
    let mut session = session(&["one", "two", "three", "four"]);
    let mut transcript = Transcript::default();
    transcript.sync(&session);
    seen(&mut transcript, &session, 3);
    transcript.scroll(&session, -2);
    assert_eq!(seen(&mut transcript, &session, 3), ["two", "", "▌ three"]);
    append(&mut session, "user", "five");
    transcript.sync(&session);
    assert_eq!(seen(&mut transcript, &session, 3), ["two", "", "▌ three"]);
    assert!(!transcript.is_at_end());
    let second = session.at(1).unwrap().id().to_owned();
    session.branch(&second).unwrap();
    transcript.sync(&session);
    assert_eq!(seen(&mut transcript, &session, 3), ["▌ one", "", "two"]);
}

#[test]
fn the_users_messages_are_found_from_one_to_the_next() {
    let session = session(&["one", "a\n\nb\n\nc", "two", "d\n\ne\n\nf", "three", "g\n\nh"]);
    let mut transcript = Transcript::default();
    transcript.sync(&session);
    seen(&mut transcript, &session, 4);
    let mut tops = Vec::new();
    for down in [false, false, false, true, true] {
        transcript.go_to_user(&session, down);
        tops.push(seen(&mut transcript, &session, 4)[0].clone());
    }
    assert_eq!(tops, ["▌ three", "▌ two", "▌ one", "▌ two", "▌ three"]);
}

#[test]
fn entries_without_rows_are_no_places() {
    let mut session = session(&["one"]);
    let hidden = Object::new().with("role", "custom").with("content", "x").with("display", false);
    for _ in 0..3 {
        session.append_message(hidden.clone()).unwrap();
    }
    append(&mut session, "assistant", "two");
    let mut transcript = Transcript::default();
    transcript.sync(&session);
    assert_eq!(seen(&mut transcript, &session, 2), ["", "two"]);
    transcript.scroll(&session, -1);
    assert_eq!(seen(&mut transcript, &session, 2), ["▌ one", ""]);
    transcript.scroll(&session, 1);
    assert!(transcript.is_at_end());
}

#[test]
fn folding_a_message_keeps_the_rows_of_the_others() {
    let session = session(&["one", "two", "three", "four"]);
    let mut transcript = Transcript::default();
    transcript.sync(&session);
    seen(&mut transcript, &session, 9);
    let first = transcript.laid_out(&session, 0);
    transcript.fold_current(&session);
    assert!(Rc::ptr_eq(&first, &transcript.laid_out(&session, 0)));
    assert_eq!(transcript.folds.len(), 1);
    let kept: usize = transcript.layout.rows.values().map(|rows| rows.len() + 1).sum();
    assert_eq!(transcript.layout.kept, kept);
}

#[test]
fn a_reply_with_very_many_calls_is_laid_out_in_a_moment() {
    let mut session = session(&["one"]);
    let call = |at: usize| -> Value {
        let call = Object::new().with("type", "toolCall").with("id", format!("c{at}"));
        call.with("name", "x").with("arguments", Object::new()).into()
    };
    let calls: Vec<Value> = (0..CALLS).map(call).collect();
    let reply = Object::new().with("role", "assistant").with("content", calls);
    session.append_message(reply).unwrap();
    for at in 0..CALLS {
        let result = Object::new().with("role", "toolResult").with("toolCallId", format!("c{at}"));
        let said: Value = Object::new().with("type", "text").with("text", "done").into();
        let result = result.with("toolName", "x").with("isError", false);
        session.append_message(result.with("content", vec![said])).unwrap();
    }
    let mut transcript = Transcript::default();
    transcript.sync(&session);
    let start = std::time::Instant::now();
    let with_call = |at: &usize| transcript.pairing(&session, *at).call.is_some();
    assert_eq!((0..CALLS + 2).filter(with_call).count(), CALLS);
    assert!(start.elapsed() < std::time::Duration::from_secs(2), "{:?}", start.elapsed());
}

proptest! {
    #![proptest_config(pitree_testkit::properties(256))]

    /// Whatever is scrolled, what is seen is a part of the whole without a gap.
    #[test]
    fn what_is_seen_is_a_window(
        texts in prop::collection::vec("[a-d \n]{1,60}", 1..12),
        moves in prop::collection::vec(-9isize..9, 0..20),
        height in 1usize..12,
    ) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let session = session(&texts);
        let mut transcript = Transcript::default();
        transcript.sync(&session);
        let all = seen(&mut transcript, &session, 1_000);
        let last = all.len().saturating_sub(height);
        let mut top = last;
        prop_assert_eq!(seen(&mut transcript, &session, height), &all[top..]);
        for by in moves {
            transcript.scroll(&session, by);
            top = top.saturating_add_signed(by).min(last);
            let window = &all[top..all.len().min(top + height)];
            prop_assert_eq!(seen(&mut transcript, &session, height), window);
            prop_assert_eq!(transcript.is_at_end(), top == last);
        }
    }
}
