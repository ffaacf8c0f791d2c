-- name: has_amcheck
SELECT 1 FROM pg_extension WHERE extname = 'amcheck'

-- name: relations
SELECT pg_class.oid::regclass::text, pg_class.relkind::text
FROM pg_class LEFT JOIN pg_am ON pg_am.oid = pg_class.relam
WHERE relnamespace = current_schema()::regnamespace AND (relkind = 'r' OR relkind = 'i' AND amname = 'btree')
ORDER BY 1

-- name: table
SELECT blkno, msg FROM verify_heapam(:relation::text::regclass)

-- name: index
SELECT bt_index_check(:relation::text::regclass, true)
