-- name: entry_ids
SELECT id FROM entries WHERE CHECKED(space_id) = :space_id AND record_id IN_LIST(:record_ids)

-- name: session
DELETE FROM sessions WHERE space_id = :space_id AND id = :id

-- name: move_session
UPDATE {table} SET {column} = :new WHERE space_id = :space_id AND {column} = :old

-- name: copy_session
INSERT INTO sessions (space_id, id, title, platform, metadata, last_message_at, context_ids, created_at)
SELECT space_id, :new, title, platform, metadata, last_message_at, context_ids, created_at
FROM sessions WHERE space_id = :space_id AND id = :old

-- name: rename_journalled_session
UPDATE journal SET record_id = :new WHERE space_id = :space_id AND noun = 'session' AND record_id = :old

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
