"""`python -m pitree` is the command."""

from ._command import main

main()
