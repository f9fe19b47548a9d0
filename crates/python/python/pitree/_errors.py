"""What can go wrong, as exceptions."""

from __future__ import annotations

from typing import Dict, Optional, Type


class PitreeError(Exception):
    """An error of pitree. All others are of this kind.

    `message` says what is wrong, `kind` says it in a word for programs, `path` and `line` where, and
    `hint` what to do next; the last three are `None` where there is none. Hints speak of options as
    the command has them: `--migrate` is `migrate=True`.

    >>> import pitree
    >>> try:
    ...     pitree.open("nothing-like-that")
    ... except pitree.PitreeError as error:
    ...     print(type(error).__name__, error.kind, error.line)
    SessionNotFound session-not-found None
    """

    def __init__(
        self,
        message: str,
        *,
        kind: str = "internal",
        path: Optional[str] = None,
        line: Optional[int] = None,
        hint: Optional[str] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.path = path
        self.line = line
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}\nhint: {self.hint}" if self.hint else self.message

    # So that it gets from one process to another as it is.
    def __reduce__(self):
        about = {"kind": self.kind, "path": self.path, "line": self.line, "hint": self.hint}
        return _restore, (type(self), self.message, about)


class NotFound(PitreeError, LookupError):
    """What was asked for is not there."""


class SessionNotFound(NotFound):
    """No session has the id, or there is no such file."""


class EntryNotFound(NotFound):
    """The session has no such entry."""


class Ambiguous(PitreeError, LookupError):
    """Several sessions or entries begin with what was given."""


class BadData(PitreeError, ValueError):
    """Some data is not what it should be."""


class DamagedSession(BadData):
    """A session file has a line that cannot be decoded."""


class NotASession(DamagedSession):
    """The file is not a session."""


class UsageError(PitreeError, ValueError):
    """An argument is wrong."""


class FileError(PitreeError):
    """The system refused to read or to write."""


class Refused(PitreeError):
    """It was refused, to protect something."""


class SessionLocked(Refused):
    """Another program has locked the session."""


class Canceled(PitreeError):
    """The work was ended from another thread. Where Ctrl+C ends it, that is a `KeyboardInterrupt`."""


_CLASSES: Dict[str, Type[PitreeError]] = {
    "session-not-found": SessionNotFound,
    "entry-not-found": EntryNotFound,
    "not-found": NotFound,
    "ambiguous": Ambiguous,
    "not-a-session": NotASession,
    "damaged": DamagedSession,
    "bad-data": BadData,
    "bad-message": BadData,
    "usage": UsageError,
    "io": FileError,
    "locked": SessionLocked,
    "changed": Refused,
    "needs-migration": Refused,
    "refused": Refused,
    "canceled": Canceled,
    "internal": PitreeError,
}


def error_of(message, *, kind, path=None, line=None, hint=None):
    """The exception for a failure of the engine."""
    error = _CLASSES.get(kind, PitreeError)
    return error(message, kind=kind, path=path, line=line, hint=hint)


def _restore(error, message, about):
    return error(message, **about)


# What users see is the package, not the module in which a class happens to be.
for _class in [PitreeError, *set(_CLASSES.values())]:
    _class.__module__ = "pitree"
