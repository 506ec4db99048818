import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { canonical } from '../../src/base/canonical.ts';
import { entryHash, type LedgerEntry } from '../../src/ledger/entry.ts';
import type { Verification } from '../../src/ledger/verify.ts';
import { loadSqliteDriver } from '../../src/store/sqlite/driver.ts';
import { type CliHome, kairos, kairosJson, makeHome } from '../support/cli.ts';
import { exportedLedger } from '../support/ledger.ts';
import { stepOf } from '../support/protocols.ts';
import { answersFile, protocolFile } from '../support/run.ts';

/** What somebody might do to the exported record of a run, and what `kairos verify FILE` makes of it. */
let home: CliHome;
/** Of a run that failed once, was resumed and sealed; of another run; of one that is still open. */
let lines: string[];
let other: string[];
let open: string[];

const shell = (cmd: string) => ({ proof_of_work: { type: 'shell', shell: { cmd } } });
const CLOSING = 'It went well in the end, at the second try.';

beforeAll(async () => {
  home = makeHome();
  const { path, digest } = await protocolFile(
    home,
    `# Try twice\n\n${stepOf('One', 'Say it.', shell('echo one'))}\n${stepOf('Ask', 'Ask.', { proof_of_work: { type: 'user_input', user_input: { prompt: 'Shall it go on?' } } })}\n${stepOf('Two', 'Look.', shell('test -e ready'))}`,
  );
  const answers = answersFile(home, { Ask: 'Yes, go on.', closing: CLOSING });
  const given = ['--trust', digest, '--answers', answers];
  const run = async (args: string[]) => {
    const { objects } = await kairosJson(home, [...args, ...given]);
    return String(objects.at(-1)?.run_id);
  };
  const first = await run(['run', path]);
  open = (await exportedLedger(home, first)).lines;
  writeFileSync(join(home.work, 'ready'), '');
  await run(['resume', first]);
  const second = await run(['run', path]);
  lines = (await exportedLedger(home, first)).lines;
  other = (await exportedLedger(home, second)).lines;
});
afterAll(() => home.remove());

/** Number of the first entry of a kind. */
const at = (kind: string) => entries().findIndex((entry) => entry.kind === kind);
const entries = () => lines.slice(0, -1).map((line) => JSON.parse(line) as LedgerEntry);
const last = () => lines.length - 2;

/** The lines with one entry changed, its hash left as it was. */
function edited(index: number, change: (data: Record<string, unknown>) => void): string[] {
  const entry = JSON.parse(lines[index]!) as LedgerEntry;
  change(entry.data as Record<string, unknown>);
  return lines.with(index, canonical(entry));
}

/** The same by somebody who also makes every hash anew; the key alone they do not have. */
function forged(changed: string[]): string[] {
  let prev = '';
  const rewritten = changed.slice(0, -1).map((line, seq) => {
    const { hash: _, ...body } = JSON.parse(line) as LedgerEntry;
    const entry = { ...body, seq, prev: seq === 0 ? body.prev : prev };
    prev = entryHash(entry);
    return canonical({ ...entry, hash: prev });
  });
  const { seal } = JSON.parse(changed.at(-1)!) as { seal: object };
  return [...rewritten, canonical({ seal: { ...seal, head: prev, count: rewritten.length } })];
}

/** What is done, and each error that has to be told: its code and the number of the entry. */
const TAMPERING: Record<string, { make: () => string[]; errors: () => [string, number | null][] }> = {
  'an exit code changed': {
    make: () =>
      edited(at('proof.accepted'), ({ shell: result }) => Object.assign(result as object, { exit_code: 1 })),
    errors: () => [['edited', at('proof.accepted')]],
  },
  'an assurance raised': {
    make: () => edited(at('run.sealed') - 1, (data) => Object.assign(data, { assurance: 'client' })),
    errors: () => [['edited', last() - 1]],
  },
  'a rejection made an acceptance': {
    make: () => {
      const entry = JSON.parse(lines[at('proof.rejected')]!) as LedgerEntry;
      return lines.with(at('proof.rejected'), canonical({ ...entry, kind: 'proof.accepted' }));
    },
    errors: () => [['edited', at('proof.rejected')]],
  },
  'two entries changed': {
    make: () => {
      const [begun, sealed] = [at('run.begun'), at('run.sealed')];
      const actor = edited(begun, (data) => Object.assign(data, { actor: 'somebody' }))[begun]!;
      return edited(sealed, (data) => Object.assign(data, { message: 'Nothing to see.' })).with(begun, actor);
    },
    errors: () => [
      ['edited', 0],
      ['edited', last()],
    ],
  },
  'the rejected proof taken out': {
    make: () => lines.toSpliced(at('proof.rejected'), 1),
    errors: () => [['missing', at('proof.rejected')]],
  },
  'three entries taken out, each elsewhere': {
    make: () => lines.filter((_, index) => ![2, 5, 8].includes(index)),
    errors: () => [
      ['missing', 2],
      ['missing', 5],
      ['missing', 8],
    ],
  },
  'the beginning taken away': { make: () => lines.slice(2), errors: () => [['missing', 0]] },
  'two entries exchanged': {
    make: () => lines.with(3, lines[7]!).with(7, lines[3]!),
    errors: () => [
      ['moved', 3],
      ['moved', 7],
    ],
  },
  'an entry written twice': {
    make: () => lines.toSpliced(4, 0, lines[4]!),
    errors: () => [['duplicate', 4]],
  },
  'an entry of another run put in': {
    make: () => lines.toSpliced(4, 0, other[4]!),
    errors: () => [['other-run', null]],
  },
  'the end cut off, the seal kept': {
    make: () => [...lines.slice(0, -3), lines.at(-1)!],
    errors: () => [['truncated', last() - 1]],
  },
  'the seal cut off': { make: () => lines.slice(0, -1), errors: () => [['seal-missing', null]] },
  'the seal of another run': {
    make: () => lines.with(last() + 1, other.at(-1)!),
    errors: () => [['seal-other-run', null]],
  },
  'a line cut in the middle': {
    make: () => lines.with(5, lines[5]!.slice(0, 80)),
    errors: () => [['unreadable', 5]],
  },
  'written otherwise': {
    make: () => lines.with(5, JSON.stringify(JSON.parse(lines[5]!), null, 1).replaceAll('\n', ' ')),
    errors: () => [['not-canonical', 5]],
  },
  'every hash made anew after a change': {
    make: () => forged(edited(at('run.sealed'), (data) => Object.assign(data, { message: 'Fine.' }))),
    errors: () => [['seal-invalid', null]],
  },
  'every hash made anew without the rejected proof': {
    make: () => forged(lines.toSpliced(at('proof.rejected'), 1)),
    errors: () => [['seal-invalid', null]],
  },
};

type Check = Verification & { record: string };

describe('the record of a sealed run', () => {
  it('passes unchanged, and each change is reported at its entry', async () => {
    const names = Object.keys(TAMPERING);
    const file = (name: string) => `${name.replaceAll(/\W+/g, '-')}.jsonl`;
    writeFileSync(join(home.work, 'whole.jsonl'), `${lines.join('\n')}\n`);
    for (const name of names)
      writeFileSync(join(home.work, file(name)), `${TAMPERING[name]!.make().join('\n')}\n`);

    const verified = await kairosJson(home, ['verify', 'whole.jsonl', ...names.map(file)]);
    expect(verified.code).toBe(1);
    const [whole, ...checks] = verified.objects as unknown as Check[];
    expect(whole).toMatchObject({ record: 'whole.jsonl', status: 'whole', entries: last() + 1 });
    expect(await kairos(home, ['verify', 'whole.jsonl'])).toMatchObject({ code: 0, stderr: '' });

    expect(checks).toHaveLength(names.length);
    const told = names.map((name, index) => {
      const { status, findings } = checks[index]!;
      const errors = findings.filter(({ severity }) => severity === 'error');
      return { name, status, errors: errors.map(({ code, entry }) => [code, entry]) };
    });
    expect(told).toEqual(
      names.map((name) => ({ name, status: 'broken', errors: TAMPERING[name]!.errors() })),
    );
  });

  it('ends with 1 for any one of them, and prints the number to people', async () => {
    const { code, stdout } = await kairos(home, ['verify', 'the-rejected-proof-taken-out.jsonl']);
    expect(code).toBe(1);
    expect(stdout).toContain(`error  entry ${at('proof.rejected')}: `);
  });

  it('is unsealed without its tail and seal, which looks like an open run', async () => {
    for (const [name, content] of [
      ['cut.jsonl', lines.slice(0, -3)],
      ['open.jsonl', open],
    ] as const) {
      writeFileSync(join(home.work, name), `${content.join('\n')}\n`);
      const { code, objects } = await kairosJson(home, ['verify', name]);
      expect({ code, objects }).toMatchObject({ code: 1, objects: [{ status: 'unsealed', findings: [] }] });
    }
    expect(await kairos(home, ['verify', 'open.jsonl'])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^unsealed/),
    });
  });
});

describe('a store in which rows of a ledger were written over', () => {
  it('is verified and exported unchanged: each row is named, not only the first', async () => {
    const path = join(home.work, 'damaged.db');
    copyFileSync(join(home.data, 'kairos.db'), path);
    const { run_id } = JSON.parse(lines[0]!) as LedgerEntry;
    const connection = (await loadSqliteDriver()).connect(path, { readOnly: false });
    connection.exec('DROP TRIGGER entry_fix; DROP TRIGGER seal_fix');
    connection.prepare('UPDATE entry SET entry = \'{"v":1,\' WHERE run_id = ? AND seq IN (2, 4)').run(run_id);
    connection.prepare("UPDATE seal SET seal = 'gone' WHERE run_id = ?").run(run_id);
    connection.close();
    const { code, objects } = await kairosJson(home, ['verify', run_id, '--store', path]);
    const [check] = objects as unknown as Check[];
    expect({ code, status: check!.status }).toEqual({ code: 1, status: 'broken' });
    expect(check!.findings.map(({ code: found, entry, line }) => [found, entry, line])).toEqual([
      ['unreadable', 2, 3],
      ['unreadable', 4, 5],
      ['unreadable', last() + 1, last() + 2],
      ['seal-missing', null, null],
    ]);
    const exported = await kairos(home, ['runs', 'export', run_id, '--store', path]);
    expect(exported.stdout.split('\n').toSpliced(-1)).toEqual(
      lines
        .with(2, '{"v":1,')
        .with(4, '{"v":1,')
        .with(lines.length - 1, 'gone'),
    );
  });
});
