# What the scripts share: the server and the space they speak to.
set -euo pipefail

command -v bethink >/dev/null || { echo "error: there is no 'bethink' command; run: pip install bethink" >&2; exit 127; }
options=(--json --server "${BETHINK_SERVER:-http://127.0.0.1:8420}")
if [ -n "${BETHINK_SPACE:-}" ]; then options+=(--space "$BETHINK_SPACE"); fi

# Refuse a call without what the script needs: usage "$#" 1 'search.sh TEXT [LIMIT]'
usage() {
  if [ "$1" -lt "$2" ]; then echo "usage: $3" >&2; exit 2; fi
}
