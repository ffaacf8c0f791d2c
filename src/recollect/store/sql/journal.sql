-- name: insert
INSERT INTO journal (id, space_id, at, actor, action, noun, record_id, reason, before, after)
VALUES (:id, :space_id, :at, :actor, :action, :noun, :record_id, :reason, :before, :after)

-- name: newest
SELECT journal.* FROM journal WHERE space_id = :space_id {where} ORDER BY at DESC, id DESC LIMIT :limit

-- name: by_id
SELECT * FROM journal WHERE space_id = :space_id AND id = :id
