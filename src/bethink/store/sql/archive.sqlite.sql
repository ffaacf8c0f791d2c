-- name: last_place
SELECT MAX(rowid) AS place FROM {table}

-- name: at_place
SELECT * FROM {table} WHERE rowid = :place AND +space_id = :space_id
