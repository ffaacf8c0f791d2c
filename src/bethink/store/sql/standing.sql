-- name: get
SELECT revision, fact_ids FROM standing WHERE space_id = :space_id

-- name: put
INSERT INTO standing (space_id, revision, fact_ids) VALUES (:space_id, :revision, :fact_ids)
ON CONFLICT (space_id) DO UPDATE SET revision = excluded.revision, fact_ids = excluded.fact_ids
WHERE standing.revision <> excluded.revision

-- name: revision
SELECT COUNT(*) AS versions, COUNT(valid_to) AS closed, COALESCE(MAX(id), '') AS last
FROM facts WHERE space_id = :space_id
