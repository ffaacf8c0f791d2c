#!/usr/bin/env bash
# Tell what happened: digest.sh [DAYS]
. "$(dirname "$0")/common.sh"
exec bethink digest --days "${1:-7}" "${options[@]}"
