#!/usr/bin/env bash
# Find the lines of the server's notes that hold a text, or list the notes: notes.sh [TEXT [FOLDER]]
. "$(dirname "$0")/common.sh"
if [ "$#" -eq 0 ]; then exec bethink notes list "${options[@]}"; fi
if [ "$#" -gt 1 ]; then options+=(--in "$2"); fi
exec bethink notes search "$1" "${options[@]}"
