-- What was forgotten is looked for whenever an older conversation is read.
CREATE INDEX journal_forgotten ON journal (space_id, at) WHERE action = 'forgotten';
