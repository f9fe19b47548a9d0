//! What the engine may know about the machine. Callers pass it in; the library never reads the
//! environment, the clock or a random source on its own, except in [`Environment::system`], where
//! a caller asks for just that.

#[cfg(feature = "system")]
mod system;

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use pitree_format::js::date::format_iso;

type Clock = dyn Fn() -> i64 + Send + Sync;
type Random = dyn Fn(&mut [u8]) + Send + Sync;
type Zone = dyn Fn(i64) -> i32 + Send + Sync;

const MINUTE_MS: i64 = 60_000;

/// The home directory, the working directory, variables, the time and random bytes.
#[derive(Clone)]
pub struct Environment {
    home: PathBuf,
    cwd: PathBuf,
    vars: HashMap<String, String>,
    clock: Arc<Clock>,
    random: Arc<Random>,
    zone: Arc<Zone>,
    uuid: Arc<Mutex<UuidState>>,
    pool: Arc<Mutex<RandomPool>>,
}

/// Random bytes fetched in advance: an entry id needs four, and asking the system costs more than
/// all else about an id.
struct RandomPool {
    bytes: [u8; 256],
    used: usize,
}

impl Default for RandomPool {
    fn default() -> Self {
        Self { bytes: [0; 256], used: 256 }
    }
}

/// What keeps the ids of one process in order.
#[derive(Default)]
struct UuidState {
    last_ms: i64,
    counter: Option<u64>,
}

impl Environment {
    /// An environment for these directories, with a clock (Unix milliseconds) and a source of
    /// random bytes.
    pub fn new(
        home: impl Into<PathBuf>,
        cwd: impl Into<PathBuf>,
        clock: impl Fn() -> i64 + Send + Sync + 'static,
        random: impl Fn(&mut [u8]) + Send + Sync + 'static,
    ) -> Self {
        Self {
            home: home.into(),
            cwd: cwd.into(),
            vars: HashMap::new(),
            clock: Arc::new(clock),
            random: Arc::new(random),
            zone: Arc::new(|_| 0),
            uuid: Arc::default(),
            pool: Arc::default(),
        }
    }

    /// The same with a variable set.
    #[must_use]
    pub fn with_var(mut self, name: &str, value: &str) -> Self {
        self.vars.insert(name.to_owned(), value.to_owned());
        self
    }

    /// The same with another home directory.
    #[must_use]
    pub fn with_home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = home.into();
        self
    }

    /// The same with the user's time zone: how many minutes his clock is ahead of UTC at a time
    /// (Unix milliseconds). Without it times are shown in UTC.
    #[must_use]
    pub fn with_zone(mut self, zone: impl Fn(i64) -> i32 + Send + Sync + 'static) -> Self {
        self.zone = Arc::new(zone);
        self
    }

    /// The home directory.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The working directory of the process.
    pub fn cwd(&self) -> &Path {
        &self.cwd
    }

    /// A variable; an empty one counts as unset, as in Pi.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.vars.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Unix milliseconds.
    pub fn now_ms(&self) -> i64 {
        (self.clock)()
    }

    /// A time (Unix milliseconds) as the user's clock shows it. Only to be shown: it counts from
    /// the beginning of 1970 in the user's zone.
    pub fn local_ms(&self, time_ms: i64) -> i64 {
        time_ms.saturating_add(i64::from((self.zone)(time_ms)) * MINUTE_MS)
    }

    /// Now, as Pi writes it.
    pub fn now_iso(&self) -> String {
        format_iso(self.now_ms())
    }

    /// Fills a buffer with random bytes.
    pub fn fill_random(&self, buffer: &mut [u8]) {
        (self.random)(buffer);
    }

    fn random_word(&self) -> [u8; 4] {
        let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        if pool.used + 4 > pool.bytes.len() {
            self.fill_random(&mut pool.bytes);
            pool.used = 0;
        }
        let start = pool.used;
        pool.used += 4;
        let mut word = [0; 4];
        word.copy_from_slice(&pool.bytes[start..start + 4]);
        word
    }

    /// The first eight digits of a random UUID: Pi's entry id. `taken` is asked up to a hundred
    /// times; then a whole UUID is used, and if even that is taken, as with a poor random source,
    /// the next one that is not.
    pub fn entry_id(&self, mut taken: impl FnMut(&str) -> bool) -> String {
        for _ in 0..100 {
            let bytes = self.random_word();
            let id = format!("{:08x}", u32::from_be_bytes(bytes));
            if !taken(&id) {
                return id;
            }
        }
        let mut bytes = [0; 16];
        self.fill_random(&mut bytes);
        let mut number = u128::from_be_bytes(bytes);
        loop {
            let mut bytes = number.to_be_bytes();
            bytes[6] = 0x40 | (bytes[6] & 0x0F);
            bytes[8] = 0x80 | (bytes[8] & 0x3F);
            let id = hyphenated(&bytes);
            if !taken(&id) {
                return id;
            }
            number = number.wrapping_add(1);
        }
    }

    /// A new session id: a version 7 UUID. Ids made by one process sort in the order in which
    /// they were made, because 41 bits behind the time are a counter, as in Pi.
    pub fn session_id(&self) -> String {
        let mut bytes = [0; 16];
        self.fill_random(&mut bytes);
        let (ms, counter) = {
            let mut state = self.uuid.lock().unwrap_or_else(PoisonError::into_inner);
            state.last_ms = state.last_ms.max(self.now_ms());
            let next = match state.counter {
                Some(counter) => counter.wrapping_add(1) & 0x1FF_FFFF_FFFF,
                None => {
                    u64::from_be_bytes([0, 0, 0, bytes[6], bytes[7], bytes[8], bytes[9], bytes[10]])
                }
            };
            state.counter = Some(next);
            (state.last_ms, next)
        };
        bytes[..6].copy_from_slice(&ms.to_be_bytes()[2..]);
        // 12 bits in bytes 6 and 7, 6 in byte 8, 8 each in 9 and 10, 7 in byte 11.
        bytes[6] = 0x70 | (counter >> 37) as u8;
        bytes[7] = (counter >> 29) as u8;
        bytes[8] = 0x80 | ((counter >> 23) & 0x3F) as u8;
        bytes[9] = (counter >> 15) as u8;
        bytes[10] = (counter >> 7) as u8;
        bytes[11] = ((counter << 1) as u8) | (bytes[11] & 1);
        hyphenated(&bytes)
    }
}

fn hyphenated(bytes: &[u8; 16]) -> String {
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Variables may hold secrets, so only their names are shown.
        f.debug_struct("Environment")
            .field("home", &self.home)
            .field("cwd", &self.cwd)
            .field("vars", &self.vars.keys().collect::<Vec<_>>())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment() -> Environment {
        Environment::new("/home/u", "/home/u/p", || 1_770_159_126_410, |bytes| bytes.fill(0xAB))
    }

    #[test]
    fn session_ids_sort_in_the_order_they_were_made() {
        let environment = environment();
        let ids: Vec<_> = (0..1000).map(|_| environment.session_id()).collect();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "{:?}", &ids[..3]);
        assert_eq!(&ids[0][14..15], "7");
        assert!(matches!(&ids[0][19..20], "8" | "9" | "a" | "b"));
    }

    #[test]
    fn a_crowded_file_gets_a_whole_uuid() {
        let id = environment().entry_id(|id| id.len() == 8);
        assert_eq!(id, "abababab-abab-4bab-abab-abababababab");
    }

    #[test]
    fn ids_differ_whatever_the_random_source_gives() {
        for fill in [0, 0x7F, 0xAB, 0xFF] {
            let environment = Environment::new("/", "/", || 0, move |bytes| bytes.fill(fill));
            let mut ids = std::collections::HashSet::new();
            for _ in 0..300 {
                let id = environment.entry_id(|id| ids.contains(id));
                assert!(ids.insert(id.clone()), "{id} twice");
            }
        }
    }
}
