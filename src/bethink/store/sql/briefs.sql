-- name: facts
SELECT entries.id, facts.id, facts.category || ' / ' || facts.key || ': ' || facts.value,
  entries.observed_at, FALSE, entries.mentioned_at, facts.person_id, NULL, NULL, NULL,
  CASE WHEN facts.provenance <> '[]' THEN facts.provenance END
FROM entries JOIN facts ON facts.id = entries.record_id
WHERE CHECKED(entries.space_id) = :space_id AND entries.id IN_LIST(:ids)
  AND (entries.expires_at IS NULL OR entries.expires_at > :now)

-- name: memories
SELECT entries.id, memories.id, memories.content, entries.observed_at, memories.pinned, entries.mentioned_at,
  memories.person_id, NULL, NULL, NULL, CASE WHEN memories.source_ref <> '{}' THEN memories.source_ref END
FROM entries JOIN memories ON memories.id = entries.record_id
WHERE CHECKED(entries.space_id) = :space_id AND entries.id IN_LIST(:ids)
  AND (entries.expires_at IS NULL OR entries.expires_at > :now)

-- name: messages
SELECT entries.id, messages.id, messages.content, entries.observed_at, messages.pinned, entries.mentioned_at,
  messages.person_id, messages.name, messages.session_id, messages.position
FROM entries JOIN messages ON messages.id = entries.record_id
WHERE CHECKED(entries.space_id) = :space_id AND entries.id IN_LIST(:ids)
  AND (entries.expires_at IS NULL OR entries.expires_at > :now)

-- name: passages
SELECT entries.id, passages.id, passages.text, entries.observed_at, FALSE, entries.mentioned_at
FROM entries JOIN passages ON passages.id = entries.record_id
WHERE CHECKED(entries.space_id) = :space_id AND entries.id IN_LIST(:ids)
  AND (entries.expires_at IS NULL OR entries.expires_at > :now)

-- name: summaries
SELECT entries.id, summaries.id, summaries.summary_text, entries.observed_at, FALSE, entries.mentioned_at,
  summaries.person_id
FROM entries JOIN summaries ON summaries.id = entries.record_id
WHERE CHECKED(entries.space_id) = :space_id AND entries.id IN_LIST(:ids)
  AND (entries.expires_at IS NULL OR entries.expires_at > :now)

-- name: insights
SELECT entries.id, insights.id,
  CASE WHEN insights.description IN ('', insights.title) THEN insights.title
    ELSE insights.title || ': ' || insights.description END,
  entries.observed_at, FALSE, entries.mentioned_at, NULL, NULL, NULL, NULL, insights.provenance
FROM entries JOIN insights ON insights.id = entries.record_id
WHERE CHECKED(entries.space_id) = :space_id AND entries.id IN_LIST(:ids)
  AND (entries.expires_at IS NULL OR entries.expires_at > :now)
