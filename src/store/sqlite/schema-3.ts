/**
 * Version 3: notes next to sealed runs, and tombstones of pruned ones. Entries and the seal of a run may only be removed once
 * it has a tombstone.
 */
export const VERSION_3 = `
ALTER TABLE run ADD COLUMN tombstone TEXT;
CREATE TRIGGER tombstone_fix BEFORE UPDATE OF tombstone ON run WHEN old.tombstone IS NOT NULL
  BEGIN SELECT RAISE(ABORT, 'tombstones are never changed'); END;
DROP TRIGGER entry_keep;
CREATE TRIGGER entry_keep BEFORE DELETE ON entry
  WHEN NOT EXISTS (SELECT 1 FROM run WHERE run_id = old.run_id AND tombstone IS NOT NULL)
  BEGIN SELECT RAISE(ABORT, 'ledger entries are never removed'); END;
DROP TRIGGER seal_keep;
CREATE TRIGGER seal_keep BEFORE DELETE ON seal
  WHEN NOT EXISTS (SELECT 1 FROM run WHERE run_id = old.run_id AND tombstone IS NOT NULL)
  BEGIN SELECT RAISE(ABORT, 'seals are never removed'); END;
CREATE TRIGGER entry_pruned BEFORE INSERT ON entry
  WHEN EXISTS (SELECT 1 FROM run WHERE run_id = new.run_id AND tombstone IS NOT NULL)
  BEGIN SELECT RAISE(ABORT, 'the run was pruned'); END;

CREATE TABLE note (
  id INTEGER PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES run (run_id),
  note TEXT NOT NULL
) STRICT;
CREATE INDEX note_by_run ON note (run_id, id);
CREATE TRIGGER note_keep BEFORE DELETE ON note
  BEGIN SELECT RAISE(ABORT, 'notes are never removed'); END;
CREATE TRIGGER note_fix BEFORE UPDATE ON note
  BEGIN SELECT RAISE(ABORT, 'notes are never changed'); END;
`;
