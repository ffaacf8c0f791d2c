#!/usr/bin/env bash
# List facts, or those near to a text: facts.sh [TEXT]
. "$(dirname "$0")/common.sh"
if [ "$#" -gt 0 ]; then options+=(--query "$1"); fi
exec bethink facts list "${options[@]}"
