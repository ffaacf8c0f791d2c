-- name: insert
INSERT INTO entries
  (id, space_id, layer, record_id, person_id, session_id, position, observed_at, expires_at, mentioned_at, fingerprint,
   signature, late, length, terms)
VALUES
  (:low + nextval('entry_numbers'), :space_id, :layer, :record_id, :person_id, :session_id, :position,
   :observed_at, :expires_at, :mentioned_at, :fingerprint, '', '', :length, :terms::tsvector)

-- name: update
UPDATE entries SET
  person_id = :person_id, session_id = :session_id, observed_at = :observed_at, expires_at = :expires_at,
  mentioned_at = :mentioned_at, fingerprint = :fingerprint, signature = CASE WHEN fingerprint = :fingerprint THEN signature ELSE '' END,
  late = CASE WHEN fingerprint = :fingerprint THEN late ELSE '' END,
  length = :length, terms = :terms::tsvector
WHERE id = :id
