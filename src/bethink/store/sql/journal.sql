-- name: insert
INSERT INTO journal (id, space_id, at, actor, action, noun, record_id, reason, before, after, imported)
VALUES (:id, :space_id, :at, :actor, :action, :noun, :record_id, :reason, :before, :after, :imported)

-- name: newest
SELECT journal.* FROM journal WHERE space_id = :space_id {where} ORDER BY at DESC, id DESC LIMIT :limit

-- name: by_id
SELECT * FROM journal WHERE space_id = :space_id AND id = :id

-- name: forgotten
SELECT * FROM journal
WHERE space_id = :space_id AND action = 'forgotten' AND noun IN ('memory', 'fact') AND at > :since
ORDER BY CHECKED(at) DESC, id DESC

-- name: by_hand
SELECT * FROM journal
WHERE space_id = :space_id AND record_id IN_LIST(:ids) AND CHECKED(at) > :since
  AND SUBSTR(actor, 1, LENGTH(:extractor)) <> :extractor

-- name: edited_at
SELECT record_id, MAX(at) AS at FROM journal
WHERE space_id = :space_id AND record_id IN_LIST(:ids) AND action = 'edited' GROUP BY record_id
