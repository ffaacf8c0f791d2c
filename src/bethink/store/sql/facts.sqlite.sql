-- name: closed_of
SELECT facts.* FROM facts
WHERE space_id = :space_id AND valid_to IS NOT NULL
  AND EXISTS (SELECT 1 FROM json_each(
    CASE WHEN json_valid(facts.provenance) THEN facts.provenance ELSE '[]' END
  ) AS said WHERE said.value IN_LIST(:ids))
ORDER BY valid_to, id
