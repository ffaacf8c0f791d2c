-- name: delete
DELETE FROM units WHERE CHECKED(space_id) = :space_id AND message_id IN_LIST(:message_ids)

-- name: state
SELECT message_id, number, first, last, memory_id, until, until_message, withdrawn, replaced FROM units
WHERE CHECKED(space_id) = :space_id AND message_id IN_LIST(:message_ids)

-- name: revived
SELECT message_id, number FROM units WHERE CHECKED(space_id) = :space_id AND until_message IN_LIST(:message_ids)

-- name: revive
UPDATE units SET until = NULL, until_message = NULL, replaced = FALSE
WHERE CHECKED(space_id) = :space_id AND until_message IN_LIST(:message_ids)

-- name: without_memories
DELETE FROM units WHERE CHECKED(space_id) = :space_id AND memory_id IN_LIST(:memory_ids)

-- name: insert
INSERT INTO units
  (space_id, message_id, number, first, last, sent_at, worth, label, harm, kind, slot, sure, other, replaces,
   topic, memory_id, until, until_message, withdrawn, replaced)
VALUES
  (:space_id, :message_id, :number, :first, :last, :sent_at, :worth, :label, :harm, :kind, :slot, :sure, :other,
   :replaces, :topic, :memory_id, :until, :until_message, :withdrawn, :replaced)

-- name: of_messages
SELECT units.*, messages.content, messages.person_id, messages.name
FROM units JOIN messages ON messages.id = units.message_id
WHERE CHECKED(units.space_id) = :space_id AND units.message_id IN_LIST(:message_ids)
ORDER BY units.message_id, units.number

-- name: of_memories
SELECT units.*, messages.content, messages.person_id, messages.name
FROM units JOIN messages ON messages.id = units.message_id
WHERE CHECKED(units.space_id) = :space_id AND units.memory_id IN_LIST(:memory_ids)
ORDER BY units.sent_at, units.message_id, units.number

-- name: newest
SELECT units.*, messages.person_id, messages.name FROM units JOIN messages ON messages.id = units.message_id
WHERE units.space_id = :space_id AND units.worth >= :worth AND NOT units.withdrawn
ORDER BY units.sent_at DESC, units.message_id, units.number LIMIT :limit

-- name: recent
SELECT units.*, messages.content, messages.person_id, messages.name
FROM units JOIN messages ON messages.id = units.message_id
WHERE units.space_id = :space_id AND units.worth >= :worth AND units.sent_at <= :until
ORDER BY units.sent_at DESC, units.message_id, units.number LIMIT :limit

-- name: withdrawn
SELECT DISTINCT message_id FROM units
WHERE CHECKED(space_id) = :space_id AND message_id IN_LIST(:message_ids) AND withdrawn

-- name: standing
SELECT units.*, messages.content, messages.person_id, messages.name, memories.source_ref
FROM units
JOIN messages ON messages.id = units.message_id
LEFT JOIN memories ON memories.id = units.memory_id
WHERE units.space_id = :space_id AND NOT units.withdrawn AND units.worth >= :worth AND units.harm < :harm
  AND (units.memory_id IS NULL OR (memories.id IS NOT NULL AND memories.expires_at IS NULL))
ORDER BY units.sent_at DESC, units.message_id, units.number LIMIT :limit

-- name: vital
SELECT units.*, messages.content, messages.person_id, messages.name, memories.source_ref
FROM units
JOIN messages ON messages.id = units.message_id
LEFT JOIN memories ON memories.id = units.memory_id
WHERE units.space_id = :space_id AND units.slot IN_LIST(:slots) AND units.sure >= :sure AND NOT units.withdrawn
  AND units.worth >= :worth AND units.harm < :harm
  AND (units.memory_id IS NULL OR (memories.id IS NOT NULL AND memories.expires_at IS NULL))
ORDER BY units.until IS NOT NULL, units.sent_at DESC, units.message_id, units.number LIMIT :limit

-- name: end
UPDATE units SET until = :until, until_message = :by, replaced = :replaced
WHERE space_id = :space_id AND message_id = :message_id AND number = :number AND NOT replaced

-- name: withdraw
UPDATE units SET withdrawn = :withdrawn
WHERE space_id = :space_id AND message_id = :message_id AND number = :number
