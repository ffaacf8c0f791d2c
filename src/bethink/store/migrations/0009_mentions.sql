-- The times that an entry's text speaks of, as JSON: [[start, end, first day, last day], …]; null for none.
ALTER TABLE entries ADD COLUMN mentioned_at TEXT;
