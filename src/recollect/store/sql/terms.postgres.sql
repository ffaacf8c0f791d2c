-- name: frequency
SELECT COUNT(*) AS doc FROM entries WHERE terms @@ :term::tsquery

-- name: space_size
SELECT COUNT(*) AS total FROM entries WHERE space_id = :space_id

-- name: average_length
SELECT AVG(length) AS length FROM (SELECT length FROM entries WHERE space_id = :space_id LIMIT :limit) AS sample

-- name: best
SELECT id, {score} AS score FROM entries,
  LATERAL (SELECT :saturation * (1 - :norm + :norm * length / :average) AS room) AS its
WHERE terms @@ :any::tsquery AND space_id = :space_id AND (expires_at IS NULL OR expires_at > :now) {where}
ORDER BY score DESC, id LIMIT :limit
