-- name: last_place
SELECT pg_relation_size('{table}') / current_setting('block_size')::int - 1 AS place

-- name: at_place
SELECT * FROM {table}
WHERE ctid >= format('(%s,0)', :place::bigint)::tid AND ctid < format('(%s,0)', :place::bigint + 1)::tid
  AND space_id = :space_id
