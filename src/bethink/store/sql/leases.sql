-- name: take
INSERT INTO leases (name, token, expires_at) VALUES (:name, :token, :until)
ON CONFLICT (name) DO UPDATE SET token = excluded.token, expires_at = excluded.expires_at
WHERE leases.expires_at <= :now OR leases.token = :token

-- name: release
DELETE FROM leases WHERE name = :name AND token = :token
