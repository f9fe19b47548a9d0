//! The protocol over a Unix socket, for several clients at once.
//!
//! The socket belongs to the user alone. It is made in a folder that nobody else can enter and
//! then moved to its name, so there is no moment in which others could connect.

use std::io::{self, BufReader, BufWriter, ErrorKind};
use std::net::Shutdown;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use pitree_session::{cause, without_temporary_name};
use tempfile::TempDir;
use thiserror::Error;

use crate::client::Client;
use crate::outbox::LONGEST_STALL;
use crate::server::{Server, ServerError};

/// As many clients at a time.
const MOST_CLIENTS: usize = 64;
const BUFFER_BYTES: usize = 64 << 10;
/// How long to wait before the next connection is taken when one could not be.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_millis(50);

/// Why nobody can connect.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ListenError {
    /// The operating system said no.
    #[error("Cannot listen at {}: {}", path.display(), cause(source))]
    Io {
        /// The socket's path.
        path: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
    /// Somebody listens there already.
    #[error("Another program listens at {}", path.display())]
    InUse {
        /// The socket's path.
        path: PathBuf,
    },
    /// Something that is no socket has that name.
    #[error("{} already exists and is not a socket", path.display())]
    NotASocket {
        /// The path.
        path: PathBuf,
    },
    /// The session cannot be started.
    #[error(transparent)]
    Server(#[from] ServerError),
}

/// A socket that clients can connect to. Its file goes with the value.
#[derive(Debug)]
pub struct Socket {
    listener: UnixListener,
    file: SocketFile,
}

/// The file of a socket, for whoever ends the process without ending the value.
#[derive(Clone, Debug)]
pub struct SocketFile {
    path: PathBuf,
    /// Its device and number: another program may have taken the name.
    number: (u64, u64),
}

impl SocketFile {
    /// Removes the file, unless another one has its name by now.
    pub fn remove(&self) {
        let there = fs_err::symlink_metadata(&self.path).ok();
        if there.is_some_and(|there| (there.dev(), there.ino()) == self.number) {
            // A file that is gone already is no harm.
            let _ = fs_err::remove_file(&self.path);
        }
    }
}

impl Socket {
    /// Makes a socket, mode 0600. One that nobody listens at any more is replaced.
    pub fn bind(path: &Path) -> Result<Self, ListenError> {
        let failed = |source| ListenError::Io {
            path: path.to_owned(),
            source: without_temporary_name(source),
        };
        clear_the_way(path)?;
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let folder = hidden_folder(parent.unwrap_or(Path::new("."))).map_err(failed)?;
        let hidden = folder.path().join("s");
        let listener = UnixListener::bind(&hidden).map_err(failed)?;
        let mode = std::fs::Permissions::from_mode(0o600);
        fs_err::set_permissions(&hidden, mode).map_err(failed)?;
        // A link fails if somebody else was faster, where a rename would not.
        fs_err::hard_link(&hidden, path).map_err(failed)?;
        let there = fs_err::symlink_metadata(&hidden).map_err(failed)?;
        let file = SocketFile { path: path.to_owned(), number: (there.dev(), there.ino()) };
        Ok(Self { listener, file })
    }

    /// Its file.
    pub fn file(&self) -> SocketFile {
        self.file.clone()
    }
}

/// A folder that only the user can enter, from its beginning.
fn hidden_folder(parent: &Path) -> io::Result<TempDir> {
    let mode = std::fs::Permissions::from_mode(0o700);
    tempfile::Builder::new().prefix(".p").rand_bytes(4).permissions(mode).tempdir_in(parent)
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.file.remove();
    }
}

/// A place among the clients; free again when the value goes.
struct Seat(Arc<AtomicUsize>);

impl Seat {
    fn take(taken: &Arc<AtomicUsize>) -> Option<Self> {
        let seat = Self(Arc::clone(taken));
        (taken.fetch_add(1, Ordering::SeqCst) < MOST_CLIENTS).then_some(seat)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Whether it passes: the one who connected has gone, or too many files are open for now. A server
/// does not end for that, since all its clients would lose their session.
fn is_passing(error: &io::Error) -> bool {
    // ECONNABORTED, EMFILE, ENFILE, ENOBUFS, ENOMEM.
    error.kind() == ErrorKind::Interrupted
        || matches!(error.raw_os_error(), Some(103 | 24 | 23 | 105 | 12))
}

fn clear_the_way(path: &Path) -> Result<(), ListenError> {
    let failed = |source| ListenError::Io { path: path.to_owned(), source };
    let metadata = match fs_err::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        other => other.map_err(failed)?,
    };
    if !metadata.file_type().is_socket() {
        return Err(ListenError::NotASocket { path: path.to_owned() });
    }
    match UnixStream::connect(path) {
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
            fs_err::remove_file(path).map_err(failed)
        }
        _ => Err(ListenError::InUse { path: path.to_owned() }),
    }
}

impl Server {
    /// Answers all who connect, until the process ends. `ready` is called once they can.
    pub fn listen(
        self: &Arc<Self>,
        socket: &Socket,
        ready: impl FnOnce(),
    ) -> Result<(), ListenError> {
        self.start()?;
        let _worker = self.start_changes();
        ready();
        let taken = Arc::new(AtomicUsize::new(0));
        for stream in socket.listener.incoming() {
            match stream {
                Ok(stream) => {
                    // Too many: the connection is closed.
                    let Some(seat) = Seat::take(&taken) else { continue };
                    let server = Arc::clone(self);
                    thread::spawn(move || {
                        server.attend(&stream);
                        drop((stream, seat));
                    });
                }
                Err(error) if is_passing(&error) => thread::sleep(PAUSE_AFTER_FAILURE),
                Err(source) => {
                    return Err(ListenError::Io { path: socket.file.path.clone(), source });
                }
            }
        }
        Ok(())
    }

    fn attend(self: &Arc<Self>, stream: &UnixStream) {
        let connect = || -> io::Result<_> {
            stream.set_write_timeout(Some(LONGEST_STALL))?;
            let output = BufWriter::with_capacity(BUFFER_BYTES, stream.try_clone()?);
            let (input, both) = (stream.try_clone()?, stream.try_clone()?);
            // A stream that is closed already is no harm.
            let on_gone = move || drop(input.shutdown(Shutdown::Read));
            let hang_up = move || drop(both.shutdown(Shutdown::Both));
            Ok(Client::connect(output, on_gone, hang_up))
        };
        let Ok(client) = connect() else { return };
        self.clients.add(&client);
        let input = BufReader::with_capacity(BUFFER_BYTES, stream);
        // A connection that breaks is one that ends.
        let _ = self.serve(input, &client, || ());
        client.drain(LONGEST_STALL);
        client.leave();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_a_new_socket_is_closed_to_others_when_it_appears() {
        let parent = tempfile::tempdir().unwrap();
        let folder = hidden_folder(parent.path()).unwrap();
        let mode = fs_err::metadata(folder.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }

    #[test]
    fn a_socket_removes_its_own_file_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let first = Socket::bind(&path).unwrap();
        let file = first.file();
        fs_err::remove_file(&path).unwrap();
        let second = Socket::bind(&path).unwrap();
        file.remove();
        drop(first);
        assert!(UnixStream::connect(&path).is_ok(), "the other one's was removed");
        drop(second);
        assert!(!path.exists());
    }

    #[test]
    fn there_are_so_many_seats_and_no_more() {
        let taken = Arc::new(AtomicUsize::new(0));
        let seats: Vec<Seat> = (0..MOST_CLIENTS).filter_map(|_| Seat::take(&taken)).collect();
        assert_eq!(seats.len(), MOST_CLIENTS);
        assert!(Seat::take(&taken).is_none() && Seat::take(&taken).is_none());
        drop(seats);
        assert!(Seat::take(&taken).is_some());
    }
}
