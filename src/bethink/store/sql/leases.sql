-- name: take
INSERT INTO leases (name, token, expires_at) VALUES (:name, :token, :until)
ON CONFLICT (name) DO UPDATE SET token = excluded.token, expires_at = excluded.expires_at
WHERE leases.expires_at <= :now OR leases.expires_at > :unbelievable OR leases.token = :token

-- name: release
DELETE FROM leases WHERE name = :name AND token = :token

-- name: ends_at
SELECT expires_at FROM leases WHERE name = :name

-- name: abandoned
SELECT name FROM leases WHERE expires_at <= :now OR expires_at > :unbelievable ORDER BY name

-- name: clear
DELETE FROM leases WHERE name IN_LIST(:names) AND (expires_at <= :now OR expires_at > :unbelievable)
