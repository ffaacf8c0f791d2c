-- name: closed_of
SELECT facts.* FROM facts
WHERE space_id = :space_id AND valid_to IS NOT NULL
  AND EXISTS (SELECT 1 FROM jsonb_array_elements_text(facts.provenance) AS said (id) WHERE said.id IN_LIST(:ids))
ORDER BY valid_to, id
