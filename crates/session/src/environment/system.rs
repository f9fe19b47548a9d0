//! The real environment of this process. No other file of the library reads it: `cargo xtask
//! layers` looks.

use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use time::{OffsetDateTime, UtcOffset};

use super::Environment;

impl Environment {
    /// The home folder, working directory, variables, clock, random source and time zone of this
    /// process, as they are now; only the clock, the random source and the zone are asked again
    /// later. Needs the feature `system`, which is on by default.
    ///
    /// Everything else takes an environment, so a test can pass [`Environment::new`] instead. All
    /// variables are in it, since the user's configuration may name any of them as the place of a
    /// key.
    ///
    /// ```no_run
    /// use pitree_session::location::Location;
    /// use pitree_session::{Environment, Session};
    ///
    /// # fn main() -> Result<(), pitree_session::SessionError> {
    /// let environment = Environment::system();
    /// let location = Location::usual(&environment);
    /// let session = Session::continue_recent(environment.cwd(), &location, &environment)?;
    /// println!("{} entries", session.len());
    /// # Ok(())
    /// # }
    /// ```
    pub fn system() -> Self {
        let home = std::env::home_dir().unwrap_or_else(|| PathBuf::from("/"));
        let cwd = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
        let mut environment = Self::new(home, cwd, now_ms, fill_random).with_zone(zone_minutes);
        for (name, value) in std::env::vars_os() {
            if let (Some(name), Some(value)) = (name.to_str(), value.to_str()) {
                environment = environment.with_var(name, value);
            }
        }
        environment
    }
}

fn now_ms() -> i64 {
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => i64::try_from(since.as_millis()).unwrap_or(i64::MAX),
        Err(before) => -i64::try_from(before.duration().as_millis()).unwrap_or(i64::MAX),
    }
}

/// How far the user's clock is ahead of UTC at a time; nothing if the system does not know.
fn zone_minutes(time_ms: i64) -> i32 {
    let time = OffsetDateTime::from_unix_timestamp(time_ms.div_euclid(1000));
    let offset = time.ok().and_then(|time| UtcOffset::local_offset_at(time).ok());
    offset.map_or(0, |offset| offset.whole_minutes().into())
}

fn fill_random(buffer: &mut [u8]) {
    if getrandom::fill(buffer).is_err() {
        // Without a random source an id only has to be new: the clock and a counter do.
        use std::hash::{BuildHasher, RandomState};
        for chunk in buffer.chunks_mut(8) {
            let bytes = RandomState::new().hash_one(now_ms()).to_le_bytes();
            chunk.copy_from_slice(&bytes[..chunk.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_has_a_clock_and_chance() {
        let environment = Environment::system();
        assert!(environment.now_ms() > 1_700_000_000_000);
        let ids: Vec<String> = (0..2).map(|_| environment.entry_id(|_| false)).collect();
        assert_ne!(ids[0], ids[1]);
        assert!(environment.cwd().is_absolute());
    }
}
