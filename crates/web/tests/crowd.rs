//! Programs of this machine that take places and give nothing: many at once, and slow ones.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use pitree_testkit::is_full;

use crate::attack::{ID, editable, is_alive, own, served, statuses};
use crate::common::{Served, stamps};

/// So many connections the server has at a time.
const PLACES: usize = 256;

/// More than there are places, and fewer than the system lets wait before it refuses any.
const FIRST: usize = 300;

/// What one of a crowd does.
type Attack<'a> = &'a dyn Fn(&mut TcpStream);

/// Whether the other side still has the connection.
fn is_held(stream: &TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let read = (&mut &*stream).read(&mut [0; 16]);
    stream.set_nonblocking(false).unwrap();
    read.is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
}

/// Tries so many connections of one kind, one after the other.
fn crowd(served: &Served, attempts: usize, patience: Duration, each: Attack<'_>) -> Crowd {
    let mut crowd = Crowd { streams: Vec::new(), came: 0, refused: 0 };
    for _ in 0..attempts {
        match TcpStream::connect_timeout(&served.address, patience) {
            Ok(mut stream) => {
                crowd.came += 1;
                stream.set_write_timeout(Some(Duration::from_millis(200))).unwrap();
                each(&mut stream);
                // This process may not have too many files.
                if crowd.streams.len() < FIRST {
                    crowd.streams.push(stream);
                }
            }
            Err(_) => crowd.refused += 1,
        }
    }
    crowd
}

/// Those who came.
struct Crowd {
    streams: Vec<TcpStream>,
    came: usize,
    refused: usize,
}

/// Silent ones, ones that never end their request, ones that are gone: all are sent away after a
/// while, and whoever waited is answered.
#[test]
fn a_crowd_keeps_nobody_waiting_for_long() {
    let served = served();
    let attempts = if is_full() { 10_000 } else { 2000 };
    let kinds: [(&str, bool, Attack<'_>); 3] = [
        ("silent", true, &|_| {}),
        ("half a head", true, &|stream| {
            drop(stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\nX: "));
        }),
        ("gone", false, &|stream| {
            drop(stream.write_all(b"GET / HT"));
            drop(stream.shutdown(Shutdown::Both));
        }),
    ];
    for (kind, stays, each) in kinds {
        let first = crowd(&served, FIRST, Duration::from_secs(5), each);
        assert_eq!((first.came, first.refused), (FIRST, 0), "{kind}");
        let held = first.streams.iter().filter(|stream| is_held(stream)).count();
        assert!(!stays || held >= PLACES, "{kind}: {held} of {FIRST} are held");
        // Of many more the system turns away those that do not fit.
        let more = crowd(&served, attempts, Duration::from_millis(2), each);
        assert_eq!(more.came + more.refused, attempts, "{kind}");
        assert!(!stays || more.refused > 0, "{kind}: all of {attempts} came");
        let begun = Instant::now();
        let mut stream = served.connect();
        // Those before it are sent away within five seconds, and so are those of the queue.
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let own = own(&served);
        let head = format!("GET /api/sessions HTTP/1.1\r\n{own}Connection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        let read = stream.read_to_string(&mut answer);
        assert!(read.is_ok(), "{kind}: {read:?} after {:?}", begun.elapsed());
        assert_eq!(statuses(&answer), [200], "{kind}");
        assert!(begun.elapsed() < Duration::from_secs(40), "{kind}: {:?}", begun.elapsed());
        drop((first, more));
    }
    is_alive(&served);
}

/// A byte now and then does not make a request that goes on forever.
#[test]
fn a_trickle_is_cut_off() {
    let served = served();
    let mut stream = served.connect();
    stream.write_all(b"GET / HTTP/1.1\r\nX: ").unwrap();
    assert!(is_cut_off(&mut stream), "it still listens");
}

/// Whether a connection to which bytes trickle is closed.
fn is_cut_off(stream: &mut TcpStream) -> bool {
    let begun = Instant::now();
    while stream.write_all(b"a").is_ok() {
        if begun.elapsed() > Duration::from_secs(12) {
            return false;
        }
        std::thread::sleep(Duration::from_millis(300));
    }
    true
}

/// Nor does one that was let in have a change that never arrives.
#[test]
fn a_trickle_of_a_change_is_cut_off() {
    let served = editable();
    let (own, key) = (own(&served), served.key(ID));
    let before = stamps(served.folder.path());
    let mut stream = served.connect();
    let head = format!("POST /api/sessions/{key}/name HTTP/1.1\r\n{own}X-Pitree: 1\r\n");
    stream.write_all(format!("{head}Content-Length: 1000\r\n\r\n").as_bytes()).unwrap();
    let mut reader = stream.try_clone().unwrap();
    assert!(is_cut_off(&mut stream), "it still listens");
    let mut answer = Vec::new();
    let _ = reader.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer);
    assert!(statuses(&answer).iter().all(|status| *status == 408), "{answer}");
    assert!(stamps(served.folder.path()) == before, "something was written");
    is_alive(&served);
}

/// Who asks and never reads gives up the place.
#[test]
fn answers_that_nobody_reads_are_given_up() {
    let served = served();
    let asked = 200;
    let request = format!("GET /assets/app.js HTTP/1.1\r\n{}\r\n", own(&served));
    let mut stream = served.connect();
    stream.write_all(request.repeat(asked).as_bytes()).unwrap();
    std::thread::sleep(Duration::from_secs(13));
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answered = statuses(&String::from_utf8_lossy(&answer)).len();
    assert!(answered > 0 && answered < asked, "{answered} answers");
}
