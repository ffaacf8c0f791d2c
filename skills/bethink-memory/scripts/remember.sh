#!/usr/bin/env bash
# Store a memory: remember.sh TEXT [TAG…]
. "$(dirname "$0")/common.sh"
usage "$#" 1 "remember.sh TEXT [TAG…]"
text=$1
shift
for tag in "$@"; do options+=(--tag "$tag"); done
exec bethink remember "$text" "${options[@]}"
