-- Which memories were given other words is looked for whenever an older conversation is read.
CREATE INDEX journal_rewritten ON journal (space_id, at) WHERE action = 'updated';
