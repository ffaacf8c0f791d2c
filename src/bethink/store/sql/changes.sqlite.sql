-- name: note
INSERT INTO changes (space_number, entry_id) VALUES (:space_number, :entry_id)
