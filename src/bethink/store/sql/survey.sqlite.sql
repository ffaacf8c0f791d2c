-- name: columns
SELECT tables.name AS table_name, columns.name AS column_name
FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS columns
WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite%' AND tables.name NOT LIKE 'terms%'
  AND tables.name NOT IN ('vocabulary', 'postings') AND (columns.type = 'TEXT' OR columns.name = 'space_id')
ORDER BY tables.name, columns.cid
