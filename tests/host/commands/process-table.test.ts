import { describe, expect, it } from 'vitest';
import {
  environmentVariable,
  parsePs,
  parseStat,
  processTable,
} from '../../../src/host/commands/process-tree.ts';

const REST = '0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 98765 2048 10';

describe('parseStat', () => {
  it('reads a line of /proc/PID/stat, for any name of the command', () => {
    expect(parseStat(`42 (a ) S 9 (b) S 7 40 39 ${REST}`)).toEqual([
      { pid: 42, ppid: 7, pgid: 40, session: 39, startedAt: '98765' },
    ]);
  });

  it('leaves out what has ended', () => {
    expect(parseStat(`42 (sh) Z 7 40 39 ${REST}`)).toEqual([]);
    expect(parseStat(`42 (sh) X 7 40 39 ${REST}`)).toEqual([]);
  });
});

describe('parsePs', () => {
  it('reads its lines and leaves out what has ended', () => {
    expect(parsePs('    1     0     1 S\n  42     7    40 R+\n  43     7    40 Z+\n')).toEqual([
      { pid: 1, ppid: 0, pgid: 1, session: 0, startedAt: '' },
      { pid: 42, ppid: 7, pgid: 40, session: 0, startedAt: '' },
    ]);
  });
});

describe('processTable', () => {
  it('lists this process', () => {
    expect(processTable()).toContainEqual(expect.objectContaining({ pid: process.pid, ppid: process.ppid }));
  });
});

describe.runIf(process.platform === 'linux')('environmentVariable', () => {
  it('reads a variable of a process, and nothing of a missing process', () => {
    expect(environmentVariable(process.pid, 'PATH')).toEqual(expect.any(String));
    expect(environmentVariable(process.pid, 'NO_SUCH_VARIABLE')).toBeNull();
    expect(environmentVariable(2 ** 22 + 1, 'PATH')).toBeNull();
  });
});
