import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signTombstone } from '../../src/ledger/beside.ts';
import { loadSqliteDriver } from '../../src/store/sqlite/driver.ts';
import { type CliHome, firstObject, kairos, kairosJson, makeHome } from '../support/cli.ts';

/** Old runs leave the store, and nothing is lost with them. */
let home: CliHome;
/** Oldest first; the last one stays open. */
let ids: string[];
beforeAll(async () => {
  home = makeHome();
  writeFileSync(join(home.work, 'walk.md'), '# Walk about\n\n## Look\n\nLook around.\n');
  await kairos(home, ['mint', 'walk.md'], { prepares: true });
  ids = [];
  for (let count = 0; count < 4; count += 1) {
    const [begun] = (await kairosJson(home, ['begin', 'walk-about'])).objects;
    ids.push(String(begun?.run_id));
    if (count === 3) break;
    const uri = String((begun!.current_step as { uri: string }).uri);
    await kairos(home, ['attest', uri, 'success', 'Walked about and saw it all.', '--run', ids[count]!], {
      prepares: true,
    });
  }
});
afterAll(() => home.remove());

const show = async (id: string) => (await kairosJson(home, ['runs', 'show', id])).objects[0]!;
const verify = async (...args: string[]) => {
  const { code, objects } = await kairosJson(home, ['verify', ...args]);
  const { status, findings } = objects[0] as { status: string; findings: { code: string }[] };
  return { code, status, codes: findings.map((found) => found.code) };
};

/** Writes to the store as another program could. */
async function tamper(sql: string, ...values: string[]): Promise<void> {
  const connection = (await loadSqliteDriver()).connect(join(home.data, 'kairos.db'), { readOnly: false });
  connection.exec('DROP TRIGGER IF EXISTS tombstone_fix; DROP TRIGGER IF EXISTS note_fix');
  connection.prepare(sql).run(...values);
  connection.close();
}

const OLD = ['runs', 'prune', '--older-than', '0m'];

describe('runs prune', () => {
  const prune = (...flags: string[]) =>
    kairosJson(home, ['runs', 'prune', '--older-than', '2999-01-01', ...flags]);

  it('accepts no age that lies in the future', async () => {
    expect(await prune()).toMatchObject({ code: 2, stderr: expect.stringContaining('future') });
  });

  it('states what would go, and changes nothing', async () => {
    const { objects } = await kairosJson(home, ['runs', 'prune', '--older-than', '0m', '--dry-run']);
    expect(objects).toMatchObject([
      { dry_run: true, pruned: ids.slice(0, 3).map((run_id) => ({ run_id })), kept: [] },
    ]);
    expect(existsSync(join(home.data, 'archive'))).toBe(false);
    expect(await verify(ids[0]!)).toMatchObject({ status: 'whole' });
  });

  it.each([
    ['--archive', 'old', '--no-archive'],
    ['--no-archive', '--archive', 'old'],
  ])('rejects two answers about the archive: %s %s %s', async (...flags) => {
    const { code, stderr } = await prune(...flags);
    expect(code).toBe(2);
    expect(stderr).toContain('--archive and --no-archive exclude each other');
  });

  it('rejects an archive that is a file, and removes nothing', async () => {
    writeFileSync(join(home.work, 'file'), '');
    const { code, stderr } = await kairos(home, [...OLD, '--archive', 'file']);
    expect(code).toBe(2);
    expect(stderr).toContain(`the archive ${join(home.work, 'file')} cannot be a folder`);
    expect(await verify(ids[0]!)).toMatchObject({ status: 'whole' });
  });

  it('prunes the other runs when one cannot be archived', async () => {
    const there = makeHome();
    await kairos(home, ['store', 'export', 'copy.jsonl']);
    await kairos(there, ['store', 'import', join(home.work, 'copy.jsonl')]);
    mkdirSync(join(there.work, 'old'));
    const foreign = join(there.work, 'old', `${ids[1]}.jsonl`);
    writeFileSync(foreign, 'mine\n');
    const left = (id: string) => `.${id}.jsonl.0123456789ab.tmp`;
    for (const id of [ids[0]!, ids[3]!]) writeFileSync(join(there.work, 'old', left(id)), '');
    const reason = `${foreign} is not the record of this run`;
    const call = [...OLD, '--archive', 'old'];
    const dry = await kairosJson(there, [...call, '--dry-run']);
    expect(dry).toMatchObject({ code: 1, objects: [{ kept: [{ run_id: ids[1], reason }] }] });
    const { code, stdout, stderr } = await kairos(there, call);
    expect(code).toBe(1);
    expect(stdout).toContain(`stays: ${reason}`);
    expect(stderr).toMatch(
      /^2 runs sealed before \d{4}-\d\d-\d\d \d\d:\d\d pruned to .*\. 1 run could not be pruned\.$/m,
    );
    expect(readFileSync(foreign, 'utf8')).toBe('mine\n');
    // The draft of a run that has no archive may be another process's.
    expect(readdirSync(join(there.work, 'old')).sort()).toEqual(
      [left(ids[3]!), ...ids.slice(0, 3).map((id) => `${id}.jsonl`)].sort(),
    );
    there.remove();
  });

  it('archives old sealed runs, keeps the newest and the open ones', async () => {
    const exported = (await kairos(home, ['runs', 'export', ids[0]!])).stdout;
    const { code, objects } = await kairosJson(home, [
      'runs',
      'prune',
      '--older-than',
      '0m',
      '--keep-last',
      '1',
      '--archive',
      'old',
    ]);
    expect(code).toBe(0);
    expect(objects[0]).toMatchObject({
      pruned: [{ run_id: ids[0] }, { run_id: ids[1] }],
      kept: [{ run_id: ids[2], reason: 'one of the newest 1 of its protocol' }],
    });
    expect(readdirSync(join(home.work, 'old')).sort()).toEqual([`${ids[0]}.jsonl`, `${ids[1]}.jsonl`].sort());
    expect(readFileSync(join(home.work, 'old', `${ids[0]}.jsonl`), 'utf8')).toBe(exported);
    expect(await verify(ids[3]!)).toMatchObject({ status: 'unsealed' });
    expect(await verify(ids[2]!)).toMatchObject({ status: 'whole' });
  });

  it('leaves a run that is still listed, shown, counted and verified', async () => {
    const { objects } = await kairosJson(home, ['runs']);
    expect(objects[0]).toMatchObject({
      total: 4,
      runs: [
        { pruned: false },
        { pruned: false },
        { outcome: 'success', pruned: true },
        { pruned: true, progress: { passed: 1, steps: 1 }, host: hostname() },
      ],
    });
    expect(firstObject(await kairosJson(home, ['runs', '--host', hostname()]))).toMatchObject({ total: 4 });
    expect((await kairos(home, ['runs'])).stdout).toContain('success, pruned');
    expect(await show(ids[0]!)).toMatchObject({
      run: { run_id: ids[0], outcome: 'success', pruned: true },
      tombstone: { archive: join(home.work, 'old', `${ids[0]}.jsonl`), seal: { run_id: ids[0] } },
    });
    expect((await kairosJson(home, ['runs', 'stats'])).objects[0]).toMatchObject({
      protocols: [{ runs: 4, successes: 3, open: 1 }],
      damaged: 0,
    });
    expect(await verify(ids[0]!)).toEqual({ code: 0, status: 'pruned', codes: [] });
    expect((await kairos(home, ['verify', '--all'])).stdout).toContain('1 unsealed, 1 intact, 2 pruned');
  });

  it.each(['export', 'report', 'attestation'])('states where the record is: %s', async (verb) => {
    const call = verb === 'export' ? ['runs', verb, ids[0]!] : [verb, ids[0]!];
    const { code, stderr } = await kairos(home, call);
    expect(code).toBe(1);
    expect(stderr).toContain(`run ${ids[0]} was pruned`);
    expect(stderr).toContain(`old/${ids[0]}.jsonl`);
  });

  it('verifies an archive against the store, and finds a changed one', async () => {
    const file = join(home.work, 'old', `${ids[0]}.jsonl`);
    expect(await verify(file, '--against-store')).toEqual({ code: 0, status: 'whole', codes: [] });
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace('saw it all', 'saw nothing'));
    expect(await verify(ids[0]!)).toMatchObject({
      code: 1,
      status: 'broken',
      codes: ['edited', 'archive-differs'],
    });
    // Another run of the same key is whole, and not the one that was pruned.
    writeFileSync(file, readFileSync(join(home.work, 'old', `${ids[1]}.jsonl`)));
    expect(await verify(ids[0]!)).toMatchObject({ code: 1, status: 'broken' });
    expect((await verify(file, '--against-store')).status).toBe('whole');
    writeFileSync(file, text);
    expect(await verify(ids[0]!)).toMatchObject({ code: 0 });
    const elsewhere = makeHome();
    const stranger = await kairosJson(elsewhere, ['verify', file, '--against-store']);
    expect(stranger).toMatchObject({ code: 1, objects: [{ findings: [{}, { code: 'not-in-store' }] }] });
    elsewhere.remove();
  });

  it('ends with 1 for a missing archive, and finds it in another folder', async () => {
    const [from, to] = [join(home.work, 'old'), join(home.work, 'cold')];
    renameSync(from, to);
    const missing = { code: 1, status: 'pruned', codes: ['archive-missing'] };
    expect(await verify(ids[0]!)).toEqual(missing);
    const all = await kairos(home, ['verify', '--all']);
    expect(all.code).toBe(1);
    expect(all.stdout).toContain(`The archive of this run is not at ${join(from, `${ids[1]}.jsonl`)}.`);
    expect(all.stdout).toContain('4 runs: 1 unsealed, 1 intact, 2 pruned without an archive');
    expect(await verify(ids[0]!, '--archive', 'elsewhere')).toEqual(missing);
    expect(await verify(ids[0]!, '--archive', 'cold')).toEqual({ code: 0, status: 'pruned', codes: [] });
    expect(await verify(ids[0]!, '--no-archive')).toEqual({ code: 0, status: 'pruned', codes: [] });
    expect(await kairos(home, ['verify', '--all', '--archive', 'cold'])).toMatchObject({ code: 0 });
    renameSync(to, from);
  });

  it('lists open runs with --all, and ends with 0', async () => {
    const { code, stdout } = await kairos(home, ['verify', '--all']);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^unsealed +${ids[3]} `, 'm'));
    expect(stdout).not.toContain(ids[2]!);
  });

  it('finds a tombstone that was changed, or made with another key', async () => {
    const [row] = (await kairosJson(home, ['runs', 'show', ids[1]!])).objects;
    const tombstone = row?.tombstone as Parameters<typeof signTombstone>[0] & { signature: string };
    const write = (text: string) => tamper('UPDATE run SET tombstone = ? WHERE run_id = ?', text, ids[1]!);
    const sorted = (value: object) =>
      JSON.stringify(Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))));
    await write(sorted({ ...tombstone, outcome: 'failure' }));
    expect(await verify(ids[1]!)).toMatchObject({ code: 1, codes: ['tombstone-invalid'] });
    expect((await kairos(home, ['runs', 'show', ids[1]!])).stdout).toContain('not to be trusted');
    const { public_key: _key, signature: _signature, ...body } = tombstone as never as Record<string, never>;
    await write(await signTombstone(body as never, generateKeyPairSync('ed25519')));
    expect(await verify(ids[1]!)).toMatchObject({ code: 1, codes: ['tombstone-key-unknown'] });
    await write(sorted(tombstone));
    expect(await verify(ids[1]!)).toMatchObject({ code: 0 });
    await tamper("UPDATE run SET title = 'Walk away' WHERE run_id = ?", ids[1]!);
    expect(await verify(ids[1]!)).toMatchObject({ code: 1, codes: ['index-differs'] });
    await tamper("UPDATE run SET title = 'Walk about' WHERE run_id = ?", ids[1]!);
  });

  it('moves with the store', async () => {
    await kairos(home, ['store', 'export', 'all.jsonl']);
    const there = makeHome();
    const imported = await kairosJson(there, ['store', 'import', join(home.work, 'all.jsonl')]);
    expect(imported).toMatchObject({ code: 0 });
    const [seen] = (await kairosJson(there, ['verify', ids[0]!])).objects;
    expect(seen).toMatchObject({ findings: [{}, { code: 'tombstone-key-unknown' }] });
    const named = await kairosJson(there, ['verify', ids[0]!, '--key', String(seen?.sealed_by)]);
    expect(named).toMatchObject({ code: 0, objects: [{ status: 'pruned', entries: 5 }] });
    // The same again changes nothing, and a pruned run does not come back.
    const again = await kairosJson(there, ['store', 'import', join(home.work, 'all.jsonl')]);
    expect(again).toMatchObject({ code: 0 });
    there.remove();
  });

  it('keeps a damaged record as evidence', async () => {
    const connection = (await loadSqliteDriver()).connect(join(home.data, 'kairos.db'), { readOnly: false });
    connection.exec('DROP TRIGGER entry_fix');
    connection
      .prepare("UPDATE entry SET entry = replace(entry, 'saw it all', 'saw nothing') WHERE run_id = ?")
      .run(ids[2]!);
    connection.close();
    const { code, objects } = await kairosJson(home, ['runs', 'prune', '--older-than', '0m']);
    expect(code).toBe(1);
    expect(objects[0]).toMatchObject({
      pruned: [],
      kept: [{ run_id: ids[2], reason: 'its record is damaged' }],
    });
  });
});

describe('runs note', () => {
  it('keeps a signed note next to a sealed run, whose seal stays', async () => {
    const before = await verify(ids[0]!);
    expect((await kairosJson(home, ['runs', 'note', ids[0]!, 'It rained.'])).objects).toMatchObject([
      { run_id: ids[0], noted: true, where: 'beside' },
    ]);
    expect((await show(ids[0]!)).notes).toMatchObject([{ text: 'It rained.' }]);
    expect(await verify(ids[0]!)).toEqual(before);
    expect((await kairos(home, ['runs', 'show', ids[0]!])).stdout).toContain('It rained.');
  });

  it('writes into the record of an open run', async () => {
    expect((await kairosJson(home, ['runs', 'note', ids[3]!, 'Half way.'])).objects).toMatchObject([
      { where: 'record' },
    ]);
    expect((await kairos(home, ['runs', 'show', ids[3]!])).stdout).toMatch(
      /note \S+ \S+ [+-]\d\d:\d\d by \S+\n {2}Half way\./,
    );
    expect((await kairos(home, ['report', ids[3]!, '--format', 'md'])).stdout).toContain('> Half way.');
  });

  it('redacts secrets of the run that another process was given', async () => {
    writeFileSync(
      join(home.work, 'door.md'),
      '---\ninputs:\n  PW: { description: Password, secret: true }\n---\n# Open the door\n\n## Look\n\nLook.\n',
    );
    await kairos(home, ['mint', 'door.md'], { prepares: true });
    const [begun] = (await kairosJson(home, ['begin', 'open-the-door', '--input', 'PW=a*b hunter2-XYZ']))
      .objects;
    const id = String(begun?.run_id);
    await kairos(home, ['runs', 'note', id, 'Open: (a*b hunter2-XYZ).']);
    await kairos(home, ['runs', 'close', id, '--reason', 'The door was painted shut.']);
    await kairos(home, ['runs', 'note', id, 'Sealed: a*b hunter2-XYZ, again.']);
    const { stdout } = await kairos(home, ['runs', 'show', id]);
    expect(stdout).toContain('Open: ([redacted:PW]).');
    expect(stdout).toContain('Sealed: [redacted:PW], again.');
  });

  it('finds a note that was changed', async () => {
    await tamper("UPDATE note SET note = replace(note, 'rained', 'shone') WHERE run_id = ?", ids[0]!);
    expect(await verify(ids[0]!)).toMatchObject({ code: 1, codes: ['note-invalid'] });
    expect((await kairos(home, ['runs', 'show', ids[0]!])).stdout).toContain('note that was changed');
  });
});
