-- Something newer was said, and surely took the place of what this unit says: not only something like it.
ALTER TABLE units ADD COLUMN replaced {bool} NOT NULL DEFAULT FALSE;
