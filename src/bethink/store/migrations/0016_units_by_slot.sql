-- What is dangerous to miss is looked for by its slot, however long ago it was said.
CREATE INDEX units_by_slot ON units (space_id, slot);
