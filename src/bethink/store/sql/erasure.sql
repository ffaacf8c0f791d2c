-- name: entry_ids
SELECT id FROM entries WHERE CHECKED(space_id) = :space_id AND record_id IN_LIST(:record_ids)

-- name: session
DELETE FROM sessions WHERE space_id = :space_id AND id = :id

-- name: journal
DELETE FROM journal WHERE CHECKED(space_id) = :space_id AND id IN_LIST(:ids)

-- name: blank
UPDATE journal SET before = NULL, after = NULL, reason = NULL WHERE space_id = :space_id AND id = :id

-- name: extractions
UPDATE extractions SET reason = NULL WHERE space_id = :space_id AND id = :id

-- name: relink
UPDATE facts SET provenance = :provenance, superseded_by = :superseded_by
WHERE space_id = :space_id AND id = :id

-- name: all
DELETE FROM {table} WHERE space_id = :space_id
