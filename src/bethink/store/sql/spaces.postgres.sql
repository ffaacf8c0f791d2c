-- name: hold
SELECT id FROM spaces WHERE id = :id FOR SHARE
