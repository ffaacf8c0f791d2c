-- New entries go into the index of terms at once: those that wait to be taken in are read by every search.
-- only: postgres
ALTER INDEX entries_by_terms SET (fastupdate = off);
SELECT gin_clean_pending_list('entries_by_terms');
