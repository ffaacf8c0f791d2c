#!/usr/bin/env bash
# Search the knowledge base, or list its documents: knowledge.sh [TEXT [LIMIT]]
. "$(dirname "$0")/common.sh"
if [ "$#" -eq 0 ]; then exec bethink docs list "${options[@]}"; fi
exec bethink docs search "$1" --limit "${2:-8}" "${options[@]}"
