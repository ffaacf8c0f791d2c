-- name: quick
PRAGMA quick_check(20)

-- name: deep
PRAGMA integrity_check(20)
