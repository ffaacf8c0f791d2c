#!/usr/bin/env bash
# Find what answers a text: search.sh TEXT [LIMIT]
. "$(dirname "$0")/common.sh"
usage "$#" 1 "search.sh TEXT [LIMIT]"
exec bethink recall "$1" --limit "${2:-8}" "${options[@]}"
