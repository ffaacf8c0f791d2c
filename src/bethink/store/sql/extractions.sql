-- name: insert
INSERT INTO extractions
  (id, space_id, session_id, extractor, first_position, last_position, status, reason, attempts, model, counts, at)
VALUES
  (:id, :space_id, :session_id, :extractor, :first_position, :last_position, :status, :reason, :attempts, :model,
   :counts, :at)

-- name: mark
UPDATE extractions
SET status = :status, reason = :reason, attempts = :attempts, model = :model, counts = :counts, at = :at
WHERE space_id = :space_id AND id = :id

-- name: by_id
SELECT * FROM extractions WHERE space_id = :space_id AND id = :id

-- name: newest
SELECT * FROM extractions WHERE space_id = :space_id {where} ORDER BY at DESC, id DESC LIMIT :limit

-- name: failed
SELECT * FROM extractions WHERE space_id = :space_id AND status = 'failed' AND at <= :until
ORDER BY at, id LIMIT :limit

-- name: reached
SELECT MAX(last_position) AS position FROM extractions
WHERE space_id = :space_id AND session_id = :session_id AND extractor = :extractor

-- name: last
SELECT * FROM extractions
WHERE space_id = :space_id AND session_id = :session_id AND extractor = :extractor
ORDER BY last_position DESC LIMIT 1

-- name: extend
UPDATE extractions SET last_position = :last_position, counts = :counts, at = :at
WHERE space_id = :space_id AND id = :id

-- name: shorten
UPDATE extractions SET last_position = :position - 1
WHERE space_id = :space_id AND session_id = :session_id
  AND model IS NULL AND first_position < :position AND last_position >= :position

-- name: reopen
DELETE FROM extractions
WHERE space_id = :space_id AND session_id = :session_id AND last_position >= :position

-- name: behind
SELECT s.id FROM sessions s
WHERE s.space_id = :space_id AND COALESCE((
  SELECT MAX(m.position) FROM messages m WHERE m.space_id = s.space_id AND m.session_id = s.id
), 0) > COALESCE((
  SELECT MAX(e.last_position) FROM extractions e
  WHERE e.space_id = s.space_id AND e.session_id = s.id AND e.extractor = :extractor
), 0)
ORDER BY s.last_message_at, s.id LIMIT :limit
