-- name: newest
SELECT said.content, entries.signature
FROM (SELECT id, SUBSTR(content, 1, 500) AS content FROM messages ORDER BY id DESC LIMIT :limit) AS said
LEFT JOIN entries ON entries.record_id = said.id AND entries.layer = 'message'
UNION ALL
SELECT kept.content, entries.signature
FROM (SELECT id, SUBSTR(content, 1, 500) AS content FROM memories ORDER BY id DESC LIMIT :limit) AS kept
LEFT JOIN entries ON entries.record_id = kept.id AND entries.layer = 'memory'
