-- name: insert
INSERT INTO passages
  (id, space_id, document_id, document_name, position, text, repeated, first, last, title, part, page, last_page,
   sheet, observed_at, created_at)
VALUES
  (:id, :space_id, :document_id, :document_name, :position, :text, :repeated, :first, :last, :title, :part, :page,
   :last_page, :sheet, :observed_at, :created_at)

-- name: move
UPDATE passages SET
  document_name = :document_name, position = :position, first = :first, last = :last, part = :part, page = :page,
  last_page = :last_page, sheet = :sheet, observed_at = :observed_at
WHERE space_id = :space_id AND id = :id

-- name: by_ids
SELECT * FROM passages WHERE CHECKED(space_id) = :space_id AND id IN_LIST(:ids)

-- name: of_document
SELECT * FROM passages WHERE document_id = :document_id AND CHECKED(space_id) = :space_id ORDER BY position

-- name: ids_of_documents
SELECT id, document_id FROM passages WHERE document_id IN_LIST(:ids) AND CHECKED(space_id) = :space_id

-- name: delete
DELETE FROM passages WHERE CHECKED(space_id) = :space_id AND id IN_LIST(:ids)
