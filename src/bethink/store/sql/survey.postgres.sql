-- name: columns
SELECT table_name, column_name FROM information_schema.columns JOIN information_schema.tables
  USING (table_schema, table_name)
WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND data_type IN ('text', 'jsonb')
ORDER BY table_name, ordinal_position
