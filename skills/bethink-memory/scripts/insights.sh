#!/usr/bin/env bash
# List open insights, of one kind or of all: insights.sh [KIND]
. "$(dirname "$0")/common.sh"
if [ "$#" -gt 0 ]; then options+=(--kind "$1"); fi
exec bethink insights list --open "${options[@]}"
