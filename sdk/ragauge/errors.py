"""The tree of errors.

    RagaugeError
    ├── ConfigurationError        a setting that cannot be used (exit 2)
    ├── InputError                a file, argument or body that cannot be read (exit 2)
    │   ├── MalformedEventError   an event or a stream entry
    │   │   └── UnknownVersionError   written by a newer release: kept, replayed after an upgrade
    │   ├── JudgmentsError        a judgments file or record
    │   └── MeasureError          a measure's name, cutoff, ranking or scores
    ├── InvariantViolation        a rule of the evaluated system was broken (exit 3)
    └── EnvironmentFault          a port, a store, a data directory (exit 4)

Every message says where, what, and what was wanted.
"""


class RagaugeError(Exception):
    """Any error that ragauge raises on purpose; ``exit_code`` is what the command line ends with."""

    exit_code = 1


class ConfigurationError(RagaugeError):
    """A setting that cannot be used."""

    exit_code = 2


class InputError(RagaugeError):
    """Input that cannot be read."""

    exit_code = 2


class MalformedEventError(InputError):
    """An event or a stream entry that does not have the agreed form."""


class UnknownVersionError(MalformedEventError):
    """A stream entry of a version that this release does not read."""


class JudgmentsError(InputError):
    """Judgments that cannot be read."""


class MeasureError(InputError):
    """A measure's name, cutoff, ranking or scores cannot be used."""


class InvariantViolation(RagaugeError):  # noqa: N818 - the field's own term
    """A hard rule was broken: a forbidden document in the top k, a duplicate, a missing query."""

    exit_code = 3


class EnvironmentFault(RagaugeError):  # noqa: N818 - not the program's error but its surroundings'
    """A port, a store or a data directory is not usable."""

    exit_code = 4
