-- name: by_entries
SELECT entries.id, entries.layer, entries.record_id,
  COALESCE(messages.content, memories.content, facts.category || ' / ' || facts.key || ': ' || facts.value),
  entries.observed_at, COALESCE(messages.pinned, memories.pinned), entries.person_id,
  messages.name, messages.session_id, messages.position
FROM entries
LEFT JOIN messages ON entries.layer = 'message' AND messages.id = entries.record_id
LEFT JOIN memories ON entries.layer = 'memory' AND memories.id = entries.record_id
LEFT JOIN facts ON entries.layer = 'fact' AND facts.id = entries.record_id
WHERE CHECKED(entries.space_id) = :space_id AND entries.id IN_LIST(:ids)
  AND (entries.expires_at IS NULL OR entries.expires_at > :now)
  AND COALESCE(messages.id, memories.id, facts.id) IS NOT NULL
