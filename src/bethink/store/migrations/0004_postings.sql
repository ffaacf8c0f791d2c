-- Where each term stands, for ranking by more than FTS5's own function knows.
-- only: sqlite
CREATE VIRTUAL TABLE postings USING fts5vocab (terms, 'instance');
