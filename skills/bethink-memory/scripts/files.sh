#!/usr/bin/env bash
# Search the local memory files, whatever the case: files.sh TEXT
. "$(dirname "$0")/common.sh"
usage "$#" 1 "files.sh TEXT"
folder=${BETHINK_FILES:-${BETHINK_HOME:-${XDG_DATA_HOME:-$HOME/.local/share}/bethink}/spaces}
if [ ! -d "$folder" ]; then echo "error: there are no memory files in $folder; set BETHINK_FILES" >&2; exit 2; fi
exec grep --recursive --ignore-case --line-number --fixed-strings --include='*.md' --include='*.json' -- "$1" "$folder"
