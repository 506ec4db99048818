import { passOverDisk } from '../support/disk.ts';

/** No test outlives the machine, so none waits for the disk. The project `process` does: its program is the real one. */
await passOverDisk();
