"""The command `pitree`, which the package brings along."""

import signal
import sys

from . import _native


def main() -> None:
    """Runs the command as its own program would run."""
    # Python would turn Ctrl+C into an exception, but nothing of Python runs here.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    sys.exit(_native.run_command(["pitree", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
