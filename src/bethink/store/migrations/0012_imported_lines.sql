-- Lines of the journal that came with an archive are history only: they are never undone.
ALTER TABLE journal ADD COLUMN imported {bool} NOT NULL DEFAULT FALSE;
