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

-- name: reopen
DELETE FROM extractions
WHERE space_id = :space_id AND session_id = :session_id AND last_position >= :position
