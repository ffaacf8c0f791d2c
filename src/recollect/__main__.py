"""`python -m recollect`: the command line, where the installed command is not on the path."""

from recollect.cli import main

main()
