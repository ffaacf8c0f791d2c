-- name: find
SELECT uid_validity, last_uid, since FROM mailboxes
WHERE space_id = :space_id AND account = :account AND folder = :folder

-- name: put
INSERT INTO mailboxes (space_id, account, folder, uid_validity, last_uid, since)
VALUES (:space_id, :account, :folder, :uid_validity, :last_uid, :since)
ON CONFLICT (space_id, account, folder)
DO UPDATE SET uid_validity = excluded.uid_validity, last_uid = excluded.last_uid
