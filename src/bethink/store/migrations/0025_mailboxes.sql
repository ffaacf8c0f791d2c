-- How far each folder of a mail account was read. UIDs count up within a `uid_validity`, and begin anew with another.
CREATE TABLE mailboxes (
  space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
  account TEXT NOT NULL,
  folder TEXT NOT NULL,
  uid_validity {int} NOT NULL,
  last_uid {int} NOT NULL,
  since {int} NOT NULL,
  PRIMARY KEY (space_id, account, folder)
){strict};
