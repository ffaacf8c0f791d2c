-- name: rows
SELECT {columns} FROM {table} WHERE {scope} = :space_id

-- name: all_rows
SELECT {columns} FROM {table}

-- name: strays
SELECT id FROM {table} WHERE CHECKED(space_id) NOT IN (SELECT id FROM spaces)
