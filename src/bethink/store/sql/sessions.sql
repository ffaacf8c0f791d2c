-- name: insert
INSERT INTO sessions
  (space_id, id, title, platform, metadata, last_message_at, context_ids, created_at)
VALUES
  (:space_id, :id, :title, :platform, :metadata, :last_message_at, :context_ids, :created_at)

-- name: by_id
SELECT * FROM sessions WHERE space_id = :space_id AND id = :id

-- name: newest
SELECT * FROM sessions WHERE space_id = :space_id
ORDER BY COALESCE(last_message_at, created_at) DESC, id LIMIT :limit

-- name: touch
UPDATE sessions SET last_message_at = :at
WHERE space_id = :space_id AND id = :id AND (last_message_at IS NULL OR last_message_at < :at)

-- name: update
UPDATE sessions SET title = :title, platform = :platform, metadata = :metadata, context_ids = :context_ids
WHERE space_id = :space_id AND id = :id

-- name: with_contexts
SELECT * FROM sessions WHERE space_id = :space_id AND context_ids <> '[]' ORDER BY created_at, id
