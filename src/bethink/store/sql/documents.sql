-- name: insert
INSERT INTO documents
  (id, space_id, name, kind, size_bytes, content_hash, status, problem, metadata, passages, characters, original, path,
   created_at, updated_at)
VALUES
  (:id, :space_id, :name, :kind, :size_bytes, :content_hash, :status, :problem, :metadata, :passages, :characters,
   :original, :path, :created_at, :updated_at)

-- name: update
UPDATE documents SET
  name = :name, kind = :kind, size_bytes = :size_bytes, content_hash = :content_hash, status = :status,
  problem = :problem, metadata = :metadata, passages = :passages, characters = :characters, original = :original,
  path = :path, updated_at = :updated_at
WHERE space_id = :space_id AND id = :id

-- name: by_ids
SELECT * FROM documents WHERE CHECKED(space_id) = :space_id AND id IN_LIST(:ids)

-- name: by_hash
SELECT * FROM documents WHERE space_id = :space_id AND content_hash = :content_hash

-- name: by_path
SELECT * FROM documents WHERE space_id = :space_id AND path = :path ORDER BY created_at, id LIMIT 1

-- name: below_path
SELECT * FROM documents WHERE space_id = :space_id AND path LIKE :pattern ORDER BY path, id

-- name: page
SELECT * FROM documents WHERE space_id = :space_id {where}
ORDER BY created_at DESC, id DESC LIMIT :limit OFFSET :offset

-- name: count
SELECT COUNT(*) AS total FROM documents WHERE space_id = :space_id {where}

-- name: kept_originals
SELECT content_hash FROM documents WHERE space_id = :space_id AND original

-- name: in_states
SELECT * FROM documents WHERE space_id = :space_id AND status IN_LIST(:states) ORDER BY CHECKED(created_at), id

-- name: delete
DELETE FROM documents WHERE CHECKED(space_id) = :space_id AND id IN_LIST(:ids)

-- name: ready_by_words
UPDATE documents SET status = 'ready', updated_at = :now WHERE space_id = :space_id AND status = 'embedding'

-- name: ready
UPDATE documents SET status = 'ready', updated_at = :now
WHERE space_id = :space_id AND status = 'embedding' AND NOT EXISTS (
  SELECT 1 FROM passages JOIN entries ON entries.record_id = passages.id AND entries.layer = 'passage'
  WHERE passages.document_id = documents.id AND entries.space_id = :space_id AND entries.signature <> :signature
)

-- name: awaiting
SELECT COUNT(*) AS total
FROM passages JOIN entries ON entries.record_id = passages.id AND entries.layer = 'passage'
WHERE passages.document_id = :document_id AND entries.space_id = :space_id AND entries.signature <> :signature

-- name: recount
UPDATE documents SET
  original = FALSE,
  passages = (SELECT COUNT(*) FROM passages WHERE passages.document_id = documents.id)
WHERE CHECKED(space_id) = :space_id AND id IN_LIST(:ids)
