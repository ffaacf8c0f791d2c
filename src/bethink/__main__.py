"""`python -m bethink`: the command line, where the installed command is not on the path."""

from bethink.cli import main

main()
