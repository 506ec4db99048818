import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadPolicy, loadRecordedPolicy } from '../../src/host/settings/policy-file.ts';

let root: string;
let config: string;
let work: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'kairos-policy-'));
  config = join(root, 'config');
  work = join(root, 'work');
  for (const folder of [config, work]) mkdirSync(folder, { mode: 0o700 });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const TEXT = `version: 1
rules:
  - match: {action_types: [read]}
    evidence_optional: true
`;
const load = (
  over: { chosen?: string; filled?: string[]; roots?: string[]; cwd?: string; configIsMoved?: boolean } = {},
) => {
  const { configIsMoved = false, ...rest } = over;
  return loadPolicy({ folders: { config, configIsMoved }, cwd: work, ...rest });
};
const own = () => join(config, 'kairos.policy.yaml');
function write(path: string, text = TEXT, mode = 0o600): string {
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

describe('the policy file', () => {
  it('is read from the configuration folder, with its defaults and a digest that depends on its content alone', async () => {
    expect(await load()).toBeNull();
    write(own());
    const loaded = await load();
    expect(loaded).toEqual({
      origin: expect.stringMatching(/kairos\.policy\.yaml$/),
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      policy: {
        version: 1,
        approvers: [],
        approvals: { ttl_ms: 3_600_000, terminal: false, hardware_keys: false },
        rules: [
          {
            name: 'rules.0',
            match: { action_types: ['read'] },
            approval_class: 'none',
            forbidden_effects: [],
            evidence_optional: true,
          },
        ],
        tools: [],
        constraints: {},
      },
    });
    write(own(), `# a comment\n${TEXT}\n`);
    expect((await load())?.digest).toBe(loaded?.digest);
    write(own(), TEXT.replace('read', 'write'));
    expect((await load())?.digest).not.toBe(loaded?.digest);
  });

  it.each([0o620, 0o602, 0o666])('is refused with mode %o', async (mode) => {
    write(own(), TEXT, mode);
    const hint = `Run: chmod go-w ${own()}`;
    await expect(load()).rejects.toMatchObject({ code: 'POLICY_UNUSABLE', hint });
  });

  it('is examined wherever it lies, but not when others can write to it', async () => {
    const chosen = write(join(work, 'team.yaml'));
    const examine = () =>
      loadPolicy({ folders: { config, configIsMoved: false }, cwd: '/', chosen, anywhere: true });
    expect(await examine()).toMatchObject({ origin: chosen });
    chmodSync(chosen, 0o666);
    await expect(examine()).rejects.toMatchObject({ hint: `Run: chmod go-w ${chosen}` });
  });

  it.runIf(process.getuid?.() !== 0)(
    'of another account is replaced by an own one with the same content only',
    async () => {
      const closed = join(root, 'closed');
      mkdirSync(closed);
      const origin = write(join(closed, 'p.yaml'));
      const source = { folders: { config, configIsMoved: false }, cwd: work };
      const { digest } = (await loadRecordedPolicy(source, { origin, digest: null }))!;
      const again = () => loadRecordedPolicy(source, { origin, digest });
      chmodSync(closed, 0o000);
      const refused = { code: 'POLICY_UNUSABLE', message: expect.stringContaining('you may not read it') };
      await expect(again()).rejects.toMatchObject(refused);
      write(own(), TEXT.replace('read', 'write'));
      await expect(again()).rejects.toMatchObject(refused);
      write(own());
      expect(await again()).toMatchObject({ digest, origin: own() });
      chmodSync(closed, 0o700);
    },
  );

  it('of a run is replaced by an own one with the same content when its file was removed', async () => {
    const origin = join(root, 'p.yaml');
    const source = { folders: { config, configIsMoved: false }, cwd: work };
    write(own());
    const { digest } = (await load())!;
    expect(await loadRecordedPolicy(source, { origin, digest })).toMatchObject({ origin: own() });
    expect(await loadRecordedPolicy(source, { origin, digest: 'f'.repeat(64) })).toBeNull();
  });

  it('is refused in a folder that others can write to, and as a link', async () => {
    write(own());
    chmodSync(config, 0o770);
    await expect(load()).rejects.toMatchObject({ code: 'POLICY_UNUSABLE' });
    chmodSync(config, 0o700);
    rmSync(own());
    symlinkSync(write(join(root, 'elsewhere.yaml')), own());
    await expect(load()).rejects.toMatchObject({ code: 'POLICY_UNUSABLE' });
  });

  it('is refused below a folder that all users can write to, unless it is sticky', async () => {
    const open = join(root, 'open');
    const mine = join(open, 'mine');
    for (const folder of [open, mine]) mkdirSync(folder, { mode: 0o700 });
    const chosen = write(join(mine, 'p.yaml'));
    chmodSync(open, 0o777);
    await expect(load({ chosen })).rejects.toMatchObject({
      code: 'POLICY_UNUSABLE',
      message: expect.stringContaining('others can write to'),
    });
    chmodSync(open, 0o1777);
    expect(await load({ chosen })).not.toBeNull();
  });

  it('is refused when it is nested too deeply, in words', async () => {
    write(own(), '['.repeat(100_000));
    await expect(load()).rejects.toMatchObject({
      message: expect.stringContaining('nested too deeply'),
      hint: 'Correct the file. kairos schema policy prints what a policy may contain.',
    });
  });

  it('is never read from the working directory, a root, or the project around it', async () => {
    const chosen = write(join(work, 'kairos.policy.yaml'));
    expect(await load()).toBeNull();
    await expect(load({ chosen })).rejects.toMatchObject({ code: 'POLICY_UNUSABLE' });
    const outside = join(root, 'outside');
    mkdirSync(outside, { mode: 0o700 });
    const other = write(join(outside, 'p.yaml'));
    expect(await load({ chosen: other })).not.toBeNull();
    await expect(load({ chosen: other, roots: [outside] })).rejects.toMatchObject({
      code: 'POLICY_UNUSABLE',
    });
    write(own());
    mkdirSync(join(root, '.git'));
    await expect(load()).rejects.toMatchObject({ code: 'POLICY_UNUSABLE' });
  });

  it('is not read from a configuration folder inside a workspace', async () => {
    write(own());
    const moved = { configIsMoved: true };
    expect(await load(moved)).not.toBeNull();
    const below = {
      code: 'POLICY_UNUSABLE',
      message: expect.stringContaining('a project could have put it'),
    };
    for (const cwd of [config, root]) await expect(load({ ...moved, cwd })).rejects.toMatchObject(below);
    await expect(load({ ...moved, filled: [root] })).rejects.toMatchObject(below);
    symlinkSync(root, join(work, 'link'));
    await expect(load({ ...moved, cwd: join(work, 'link') })).rejects.toMatchObject(below);
    // The usual place is the user's own, wherever one stands; a name that merely begins alike is another folder.
    for (const cwd of [config, root]) expect(await load({ cwd })).not.toBeNull();
    const alike = `${root}/con`;
    mkdirSync(alike);
    expect(await load({ ...moved, cwd: alike })).not.toBeNull();
  });

  it('may be named .yml, and is refused where both names are there', async () => {
    write(join(config, 'kairos.policy.yml'));
    expect(await load()).not.toBeNull();
    write(own());
    await expect(load()).rejects.toMatchObject({
      message: expect.stringContaining('kairos.policy.yml also exists there'),
      hint: 'Keep only one of the two.',
    });
  });

  it('is refused when it is not UTF-8', async () => {
    write(own(), TEXT);
    writeFileSync(own(), Buffer.concat([Buffer.from(TEXT), Buffer.from([0x23, 0xff, 0xfe, 0x0a])]));
    await expect(load()).rejects.toMatchObject({ message: expect.stringContaining('not UTF-8') });
  });

  it('is refused when the named file is missing', async () => {
    await expect(load({ chosen: join(root, 'no.yaml') })).rejects.toMatchObject({ code: 'POLICY_UNUSABLE' });
  });

  const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA== x';
  it.each([
    ['version: 2', 'version'],
    ['version: 1\nextra: 1', 'extra'],
    ['version: 1\nversion: 1', 'unique'],
    ['version: 1\nrules: [{match: &a {}}, {match: *a}]', 'alias'],
    ['version: 1\nrules: [{match: {}, approval_class: threshold}]', 'threshold'],
    ['version: 1\nrules: [{match: {}, threshold: {n: 2, of: [ada, bob]}}]', 'not an approver'],
    [
      'version: 1\napprovers: [{name: ada}]\nrules: [{match: {}, threshold: {n: 2, of: [ada]}}]',
      'can approve',
    ],
    ['version: 1\nrules: [{match: {}, threshold: {n: 1, of: [ada]}}]', 'rules.0.threshold'],
    [`version: 1\napprovers: [{name: ada, keys: [{key: "${KEY}"}]}]`, "can't be used"],
    ['version: 1\napprovers: [{name: ada}, {name: ada}]', 'twice'],
    ['version: 1\napprovers: [{name: ada, actors: [x]}, {name: bob, actors: [x]}]', 'twice'],
    [
      `version: 1\napprovers: [{name: ada, keys: [{key: "${KEY}", valid_from: "2026-01-02T00:00:00Z", valid_until: "2026-01-01T00:00:00Z"}]}]`,
      'valid_from',
    ],
    ['version: 1\napprovers: [{name: ada, keys: [{key: "not a key"}]}]', 'key'],
    ['version: 1\nconstraints: {allowed_fields: {}}', 'already'],
    ['version: 1\napprovals: {ttl_ms: 0}', 'ttl_ms'],
    ['version: 1\nrules: [{match: {domian: x}}]', 'domian'],
    ['[]', 'policy'],
    ['', 'policy'],
  ])("is refused when it contains what a policy can't contain: %s", async (text, word) => {
    write(own(), text);
    const error = await load().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'POLICY_UNUSABLE' });
    expect((error as Error).message).toContain(word);
  });
});
