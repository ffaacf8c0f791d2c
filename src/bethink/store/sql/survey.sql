-- name: rows
SELECT {columns} FROM {table} WHERE {scope} = :space_id

-- name: all_rows
SELECT {columns} FROM {table}
