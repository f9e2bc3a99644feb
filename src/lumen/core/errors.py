"""Every error Lumen raises on purpose. Expected failures inside a turn are data, not errors.

LumenError            what went wrong, and what to try
├── UsageError        the caller asked for something that cannot be (exit code 2)
│   ├── NotABeing     the directory is no being
│   ├── AlreadyABeing the directory holds one, or other files, already
│   ├── BadSetting    lumen.toml or a template does not say what it must
│   ├── Locked        the author's key is under a passphrase that was not given
│   └── Unproved      nothing that counts shows who made a backup; it was not restored
├── ArchiveError      the archive cannot be read or written as it stands
│   ├── Damaged       stored bytes are not what was written
│   ├── Estranged     this host has seen another chain of the same soul: rolled back, or a fork
│   ├── Busy          somebody else held for too long what was waited for; says who
│   └── NoSpace       the disk refused the bytes; nothing was written
├── Refused           the gate said no: grant, origin or base did not allow a change
├── MindError         a model could not be reached or did not answer
│   ├── NoSubstrate   what the role is assigned to is not there
│   │   └── ModelGone the substrate answers but offers that model no more: the role is stale
│   ├── Unreachable   no connection, a server fault, or silence past the timeout; tried again
│   │   └── Limited   too many calls just now; says after how long to try again
│   ├── Denied        the key is missing or was not accepted
│   ├── TooLong       the prompt does not fit into the model's context
│   ├── Unsupported   a setting of the call that this model does not take; asked again without
│   ├── BadAnswer     nothing, or not what the protocol or the wanted type allows
│   ├── Withheld      something private would have left the machine; nothing was sent
│   ├── OverBudget    a cap does not allow the call; nothing was sent
│   └── Cancelled     the call was stopped on request
├── SkillError        a skill broke its contract: crash, timeout, flood or bad JSON
│   └── Unapproved    what a model wrote would run below bubblewrap, and the author has not said yes
└── BadLoop           a loop does not fit together; raised at import, names the step
"""

from __future__ import annotations


def unreadable(error: Exception) -> str:
    """Why a text could not be read, in words: no number of the system's, and no codec."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return "it is not text in UTF-8" if isinstance(error, UnicodeDecodeError) else str(error)


class LumenError(Exception):
    """Says what is wrong and, in `fix`, what to try."""

    exit_code = 1

    def __init__(self, what: str, *, fix: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.fix = fix


class UsageError(LumenError):
    """The request itself cannot be carried out; nothing was changed."""

    exit_code = 2


class NotABeing(UsageError):
    """The directory is not a being."""


class AlreadyABeing(UsageError):
    """The directory already holds something that `init` must not touch."""


class BadSetting(UsageError):
    """A file the author writes does not say what it must."""


class Locked(UsageError):
    """The author's key is needed, and its passphrase was not given or is another."""


class Unproved(UsageError):
    """Nothing that counts shows who made what was to be taken in."""


class ArchiveError(LumenError):
    """The archive cannot be read or written as it stands."""


class Damaged(ArchiveError):
    """Stored bytes are not what was written."""


class Estranged(ArchiveError):
    """This host has seen another chain of the same soul, so nothing may be added to this one."""


class Busy(ArchiveError):
    """Somebody else held for too long what was waited for."""


class NoSpace(ArchiveError):
    """The disk refused the bytes; the archive is as it was."""


class Refused(LumenError):
    """The gate refused a change."""


class MindError(LumenError):
    """A model could not be reached or did not answer.

    `detail` is what the other side said, which nobody vouches for; `worked` is whether the model
    may have worked on the call, so that it may cost what was set aside for it.
    """

    def __init__(self, what: str, *, fix: str = "", detail: str = "", worked: bool = False) -> None:
        super().__init__(what, fix=fix)
        self.detail = detail
        self.worked = worked


class NoSubstrate(MindError):
    """What a role is assigned to is not installed or not known."""


class ModelGone(NoSubstrate):
    """The substrate is there and offers the assigned model no more; nothing takes its place."""


class Unreachable(MindError):
    """No connection, a fault of the server, or silence past the timeout."""


class Limited(Unreachable):
    """The server wants fewer calls; `after` is how many seconds it asks to wait."""

    def __init__(
        self, what: str, *, fix: str = "", detail: str = "", after: float | None = None
    ) -> None:
        super().__init__(what, fix=fix, detail=detail)
        self.after = after


class Denied(MindError):
    """The key is missing or was not accepted."""


class TooLong(MindError):
    """The prompt does not fit into the model's context."""


class Unsupported(MindError):
    """This model does not take a setting of the call; asked again, it is left out."""


class BadAnswer(MindError):
    """An answer that is empty, broken, or not of the type that was asked for."""


class Withheld(MindError):
    """Something private would have left the machine; nothing was sent."""


class OverBudget(MindError):
    """A cap does not allow the call; nothing was sent."""


class Cancelled(MindError):
    """The call was stopped on request."""


class SkillError(LumenError):
    """A skill broke its contract."""


class BadLoop(LumenError):
    """A loop does not fit together; the message names the step."""


class Unapproved(SkillError):
    """What a model wrote would run below bubblewrap, and the author has not said yes to it."""
