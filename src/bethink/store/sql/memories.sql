-- name: insert
INSERT INTO memories
  (id, space_id, content, type, key, category, title, tags, metadata, person_id, session_id, source, source_ref,
   observed_at, expires_at, confidence, pinned, promoted, access_count, last_access_at, archived_at,
   archived_into, created_at, updated_at)
VALUES
  (:id, :space_id, :content, :type, :key, :category, :title, :tags, :metadata, :person_id, :session_id, :source,
   :source_ref, :observed_at, :expires_at, :confidence, :pinned, :promoted, :access_count, :last_access_at,
   :archived_at, :archived_into, :created_at, :updated_at)

-- name: update
UPDATE memories SET
  content = :content, type = :type, key = :key, category = :category, title = :title, tags = :tags,
  metadata = :metadata, person_id = :person_id, session_id = :session_id, source = :source,
  source_ref = :source_ref, observed_at = :observed_at, expires_at = :expires_at, confidence = :confidence,
  pinned = :pinned, promoted = :promoted, archived_at = :archived_at, archived_into = :archived_into,
  updated_at = :updated_at
WHERE space_id = :space_id AND id = :id

-- name: by_ids
SELECT * FROM memories WHERE CHECKED(space_id) = :space_id AND id IN_LIST(:ids)

-- name: by_keys
SELECT * FROM memories WHERE space_id = :space_id AND key IN_LIST(:keys)

-- name: page
SELECT memories.* FROM memories WHERE space_id = :space_id {where}
ORDER BY created_at DESC, id DESC LIMIT :limit OFFSET :offset

-- name: count
SELECT COUNT(*) AS total FROM memories WHERE space_id = :space_id {where}

-- name: totals
SELECT COUNT(*) AS total, COALESCE(SUM((OCTET_LENGTH(content) + 3) / 4), 0) AS tokens
FROM memories WHERE space_id = :space_id {where}

-- name: delete
DELETE FROM memories WHERE CHECKED(space_id) = :space_id AND id IN_LIST(:ids)

-- name: count_access
UPDATE memories SET access_count = access_count + :times, last_access_at = :at
WHERE space_id = :space_id AND id = :id

-- name: of_session
SELECT * FROM memories WHERE space_id = :space_id AND session_id = :session_id ORDER BY CHECKED(created_at), id

-- name: archived_into
SELECT * FROM memories WHERE CHECKED(space_id) = :space_id AND archived_into IN_LIST(:ids)

-- name: aging
SELECT memories.* FROM memories
WHERE space_id = :space_id AND archived_at IS NULL AND (observed_at, id) > (:after_at, :after_id) {where}
ORDER BY observed_at, id LIMIT :limit
