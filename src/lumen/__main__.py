"""`python -m lumen` is the same as `lumen`."""

from lumen.body.cli.main import main

main()
