-- name: chosen
SELECT * FROM insights WHERE space_id = :space_id {where} ORDER BY observed_at DESC, id LIMIT :limit

-- name: by_key
SELECT * FROM insights WHERE space_id = :space_id AND bot_id = :bot_id AND dedupe_key = :dedupe_key

-- name: events
SELECT * FROM insight_events
WHERE CHECKED(space_id) = :space_id AND insight_id IN_LIST(:ids) AND COALESCE(person_id, '') = :person_id
ORDER BY at, id

-- name: move_events
UPDATE insight_events SET insight_id = :into
WHERE CHECKED(space_id) = :space_id AND insight_id IN_LIST(:ids)
  AND EXISTS (SELECT 1 FROM insights WHERE id = :into AND space_id = :space_id)

-- name: unread
SELECT COUNT(*) AS total FROM messages
LEFT JOIN insight_reads AS r ON r.space_id = messages.space_id AND r.session_id = messages.session_id
WHERE messages.space_id = :space_id AND messages.channel IS NOT NULL
  AND messages.position > COALESCE(r.position, 0)

-- name: next_session
SELECT messages.session_id FROM messages
LEFT JOIN insight_reads AS r ON r.space_id = messages.space_id AND r.session_id = messages.session_id
WHERE messages.space_id = :space_id AND messages.channel IS NOT NULL
  AND messages.position > COALESCE(r.position, 0)
ORDER BY messages.sent_at, messages.id LIMIT 1

-- name: unread_of
SELECT messages.* FROM messages
LEFT JOIN insight_reads AS r ON r.space_id = messages.space_id AND r.session_id = messages.session_id
WHERE messages.space_id = :space_id AND messages.session_id = :session_id AND messages.channel IS NOT NULL
  AND messages.position > COALESCE(r.position, 0)
ORDER BY messages.position LIMIT :limit

-- name: mark_read
INSERT INTO insight_reads (space_id, session_id, position) VALUES (:space_id, :session_id, :position)
ON CONFLICT (space_id, session_id) DO UPDATE SET position = excluded.position

-- name: count_access
INSERT INTO insight_events (id, space_id, insight_id, person_id, kind, value, at)
SELECT 'recall:' || CAST(:at AS TEXT) || ':' || id, space_id, id, NULL, 'viewed', 1.0, :at
FROM insights WHERE id = :id AND space_id = :space_id AND :times > 0
ON CONFLICT (id) DO NOTHING

-- name: prune_views
DELETE FROM insight_events
WHERE CHECKED(space_id) = :space_id AND kind = 'viewed' AND at < :before
  AND EXISTS (
    SELECT 1 FROM insight_events AS newer
    WHERE newer.space_id = :space_id AND newer.insight_id = insight_events.insight_id
      AND COALESCE(newer.person_id, '') = COALESCE(insight_events.person_id, '')
      AND newer.kind = 'viewed' AND newer.at > insight_events.at
  )
