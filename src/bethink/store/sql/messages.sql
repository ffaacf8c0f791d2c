-- name: insert
INSERT INTO messages
  (id, space_id, session_id, position, external_id, role, name, platform, channel, contact, bot_id, person_id,
   sent_at, sent_offset, content, attachments, metadata, tier, importance, pinned, access_count, last_access_at,
   archived_at, summary_id, created_at)
VALUES
  (:id, :space_id, :session_id, :position, :external_id, :role, :name, :platform, :channel, :contact, :bot_id,
   :person_id, :sent_at, :sent_offset, :content, :attachments, :metadata, :tier, :importance, :pinned,
   :access_count, :last_access_at, :archived_at, :summary_id, :created_at)

-- name: replace_content
UPDATE messages SET content = :content, attachments = :attachments, metadata = :metadata
WHERE space_id = :space_id AND id = :id

-- name: last_position
SELECT COALESCE(MAX(position), 0) AS position FROM messages
WHERE space_id = :space_id AND session_id = :session_id

-- name: by_external_ids
SELECT * FROM messages
WHERE space_id = :space_id AND platform = :platform AND external_id IN_LIST(:external_ids)

-- name: sessions_by_external_ids
SELECT external_id, session_id FROM messages
WHERE space_id = :space_id AND platform = :platform AND external_id IN_LIST(:external_ids)

-- name: by_ids
SELECT * FROM messages WHERE CHECKED(space_id) = :space_id AND id IN_LIST(:ids)

-- name: window
SELECT * FROM messages
WHERE space_id = :space_id AND session_id = :session_id AND position BETWEEN :first AND :last
ORDER BY position

-- name: newest_of_role
SELECT * FROM messages
WHERE space_id = :space_id AND session_id = :session_id AND role = :role
ORDER BY position DESC LIMIT :limit

-- name: positions_of
SELECT position FROM messages
WHERE space_id = :space_id AND session_id = :session_id AND role = :role AND content = :content
ORDER BY position LIMIT 100

-- name: following
SELECT follower.* FROM messages JOIN messages AS follower
  ON follower.space_id = messages.space_id AND follower.session_id = messages.session_id
  AND follower.position = messages.position + 1
WHERE CHECKED(messages.space_id) = :space_id AND messages.id IN_LIST(:ids) AND follower.archived_at IS NULL

-- name: of_session
SELECT * FROM messages WHERE space_id = :space_id AND session_id = :session_id AND position > :after
ORDER BY position LIMIT :limit

-- name: newest
SELECT * FROM messages WHERE space_id = :space_id ORDER BY sent_at DESC, id DESC LIMIT :limit

-- name: page
SELECT * FROM messages WHERE space_id = :space_id {where} ORDER BY sent_at DESC, id DESC LIMIT :limit

-- name: count
SELECT COUNT(*) AS total FROM messages WHERE space_id = :space_id {where}

-- name: aging
SELECT * FROM messages
WHERE space_id = :space_id AND tier = :tier AND sent_at < :until AND (sent_at, id) > (:after_at, :after_id)
  AND archived_at IS NULL
ORDER BY sent_at, id LIMIT :limit

-- name: count_aging
SELECT COUNT(*) AS total FROM messages
WHERE space_id = :space_id AND tier = :tier AND sent_at < :until AND archived_at IS NULL

-- name: purgeable
SELECT id FROM messages WHERE space_id = :space_id {where} ORDER BY archived_at, id LIMIT :limit

-- name: mark
UPDATE messages SET
  person_id = :person_id, name = :name, tier = :tier, importance = :importance, pinned = :pinned,
  archived_at = :archived_at, summary_id = :summary_id
WHERE space_id = :space_id AND id = :id

-- name: speakers
WITH RECURSIVE speaker (name) AS (
  SELECT MIN(name) FROM messages WHERE space_id = :space_id
  UNION ALL
  SELECT (SELECT MIN(m.name) FROM messages m WHERE m.space_id = :space_id AND m.name > speaker.name)
  FROM speaker WHERE speaker.name IS NOT NULL
)
SELECT name FROM speaker WHERE name IS NOT NULL LIMIT :limit

-- name: delete
DELETE FROM messages WHERE space_id = :space_id AND id = :id

-- name: count_access
UPDATE messages SET access_count = access_count + :times, last_access_at = :at
WHERE space_id = :space_id AND id = :id
