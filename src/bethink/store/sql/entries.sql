-- name: by_records
SELECT id, layer, record_id, fingerprint FROM entries
WHERE CHECKED(space_id) = :space_id AND record_id IN_LIST(:record_ids)

-- name: of_record
SELECT id, fingerprint, signature, embedded_at FROM entries
WHERE CHECKED(space_id) = :space_id AND record_id = :record_id AND layer = :layer

-- name: by_fingerprints
SELECT record_id, fingerprint FROM entries
WHERE space_id = :space_id AND layer = :layer AND fingerprint IN_LIST(:fingerprints)

-- name: insert
INSERT INTO entries
  (id, space_id, layer, record_id, person_id, session_id, position, observed_at, expires_at, mentioned_at, fingerprint,
   signature, late)
VALUES
  (:id, :space_id, :layer, :record_id, :person_id, :session_id, :position, :observed_at, :expires_at,
   :mentioned_at, :fingerprint, '', '')

-- name: update
UPDATE entries SET
  person_id = :person_id, session_id = :session_id, observed_at = :observed_at, expires_at = :expires_at,
  mentioned_at = :mentioned_at, fingerprint = :fingerprint, signature = CASE WHEN fingerprint = :fingerprint THEN signature ELSE '' END,
  late = CASE WHEN fingerprint = :fingerprint THEN late ELSE '' END
WHERE id = :id

-- name: expire
UPDATE entries SET expires_at = :at
WHERE space_id = :space_id AND record_id = :record_id AND layer = :layer

-- name: delete
DELETE FROM entries WHERE id IN_LIST(:ids)

-- name: by_ids
SELECT id, layer, record_id, person_id, observed_at, expires_at FROM entries
WHERE CHECKED(space_id) = :space_id AND id IN_LIST(:ids)

-- name: allowed
SELECT id FROM entries WHERE space_id = :space_id {where}

-- name: expired
SELECT id FROM entries WHERE space_id = :space_id AND expires_at <= :now

-- name: newest
SELECT id FROM entries
WHERE space_id = :space_id AND (expires_at IS NULL OR expires_at > :now) {where}
ORDER BY observed_at DESC, id DESC LIMIT :limit

-- name: stale
SELECT id, layer, record_id, fingerprint FROM (
  SELECT id, layer, record_id, fingerprint FROM entries WHERE space_id = :space_id AND {mark} < :signature
  UNION ALL
  SELECT id, layer, record_id, fingerprint FROM entries WHERE space_id = :space_id AND {mark} > :signature
) AS old WHERE record_id NOT LIKE 'probe:%' AND NOT id IN_LIST(:besides) LIMIT :limit

-- name: following
SELECT id, layer, record_id FROM entries WHERE id > :after AND id <= :high ORDER BY id LIMIT :limit

-- name: probes
SELECT id, record_id FROM entries
WHERE space_id = :space_id AND expires_at IS NOT NULL AND record_id LIKE 'probe:%' {where}

-- name: by_day
SELECT layer, observed_at / 86400000000 AS day, COUNT(*) AS records FROM entries
WHERE space_id = :space_id AND observed_at >= :since AND record_id NOT LIKE 'probe:%'
GROUP BY 1, 2 ORDER BY 2, 1

-- name: count
SELECT layer, COUNT(*) AS total, SUM(CASE WHEN {mark} = :signature THEN 1 ELSE 0 END) AS embedded
FROM entries WHERE space_id = :space_id AND record_id NOT LIKE 'probe:%' {where} GROUP BY layer

-- name: unembed
UPDATE entries SET signature = '', late = '' WHERE space_id = :space_id AND (signature <> '' OR late <> '')

-- name: last_id
SELECT COALESCE(MAX(id), :low) AS id FROM entries WHERE id BETWEEN :low AND :high
