-- name: page
SELECT * FROM summaries WHERE space_id = :space_id {where} ORDER BY end_at DESC, id DESC LIMIT :limit

-- name: aging
SELECT * FROM summaries WHERE space_id = :space_id AND summary_tier = :tier AND end_at < :until
ORDER BY start_at, id LIMIT :limit

-- name: count
SELECT COUNT(*) AS total FROM summaries WHERE space_id = :space_id {where}
