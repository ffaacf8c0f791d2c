-- name: frequencies
SELECT term, (SELECT COUNT(*) FROM (SELECT 1 FROM entries WHERE terms @@ tsquery LIMIT :most) AS part) AS doc
FROM unnest(:terms::text[], :queries::tsquery[]) AS wanted (term, tsquery)

-- name: space_size
SELECT COUNT(*) AS total FROM entries WHERE space_id = :space_id

-- name: best
-- terms || '' unpacks a long tsvector once instead of for every term that is counted in it.
WITH usual AS MATERIALIZED (
  SELECT GREATEST(AVG(length), 1) AS average
  FROM (SELECT length FROM entries WHERE space_id = :space_id LIMIT :sample) AS part
)
SELECT id, {score} AS score FROM (
  SELECT id, length, terms || '' AS terms FROM entries
  WHERE terms @@ :any::tsquery AND space_id = :space_id AND (expires_at IS NULL OR expires_at > :now) {where}
  LIMIT :most
) AS held, LATERAL (
  SELECT :saturation * (1 - :norm + :norm * length / (SELECT average FROM usual)) AS room
) AS its
ORDER BY score DESC, id LIMIT :limit
