-- When an index elsewhere was last emptied and filled anew, in each space.
ALTER TABLE change_readers ADD COLUMN filled_at {int};
