"""What becomes of memory with time: tiers, summaries, promotion, compaction, expiry."""
