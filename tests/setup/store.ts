import { copyEmptyStores } from '../support/disk.ts';

/** Each test makes a store. The real program, in the projects `process` and `spawn`, makes its tables each time. */
await copyEmptyStores();
