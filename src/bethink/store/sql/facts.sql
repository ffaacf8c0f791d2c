-- name: insert
INSERT INTO facts
  (id, space_id, person_id, category, key, value, source, confidence, source_context, provenance, expires_at,
   last_verified_at, promoted, access_count, last_access_at, valid_from, valid_to, superseded_by, created_at)
VALUES
  (:id, :space_id, :person_id, :category, :key, :value, :source, :confidence, :source_context, :provenance,
   :expires_at, :last_verified_at, :promoted, :access_count, :last_access_at, :valid_from, :valid_to,
   :superseded_by, :created_at)

-- name: current
SELECT * FROM facts
WHERE space_id = :space_id AND COALESCE(person_id, '') = :person_id AND category = :category AND key = :key
  AND valid_to IS NULL

-- name: of_space
SELECT facts.* FROM facts WHERE space_id = :space_id {where}
ORDER BY category, key, id LIMIT :limit

-- name: versions
SELECT * FROM facts
WHERE space_id = :space_id AND COALESCE(person_id, '') = :person_id AND category = :category AND key = :key
ORDER BY valid_from DESC, id DESC

-- name: by_ids
SELECT * FROM facts WHERE CHECKED(space_id) = :space_id AND id IN_LIST(:ids)

-- name: superseded_by
SELECT old.superseded_by, old.value
FROM facts AS new
JOIN facts AS old
  ON old.space_id = new.space_id AND old.category = new.category AND old.key = new.key
  AND old.superseded_by = new.id
WHERE CHECKED(new.space_id) = :space_id AND new.id IN_LIST(:ids)

-- name: close
UPDATE facts SET valid_from = :valid_from, valid_to = :valid_to, superseded_by = :superseded_by
WHERE space_id = :space_id AND id = :id AND valid_to IS NULL

-- name: assess
UPDATE facts SET last_verified_at = :last_verified_at, confidence = :confidence, promoted = :promoted
WHERE space_id = :space_id AND id = :id

-- name: count_access
UPDATE facts SET access_count = access_count + :times, last_access_at = :at
WHERE space_id = :space_id AND id = :id

-- name: promoted
SELECT * FROM facts
WHERE space_id = :space_id AND promoted AND valid_to IS NULL AND (expires_at IS NULL OR expires_at > :now)
ORDER BY confidence DESC, valid_from DESC, id LIMIT :limit

-- name: dropped_at
SELECT * FROM facts
WHERE space_id = :space_id AND person_id = :person_id AND valid_to = :at AND superseded_by IS NULL
ORDER BY id

-- name: expired
SELECT * FROM facts WHERE space_id = :space_id AND valid_to IS NULL AND expires_at <= :now ORDER BY id LIMIT :limit

-- name: count_expired
SELECT COUNT(*) AS total FROM facts WHERE space_id = :space_id AND valid_to IS NULL AND expires_at <= :now
