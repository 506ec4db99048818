import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  answerWithKey,
  guardedDocument,
  makeApprovers,
  resumeGuarded,
  runGuarded,
  timesRun,
  writePolicy,
} from '../gate/support/cli.ts';
import { type CliHome, kairos, kairosJson, makeHome } from '../support/cli.ts';
import { protocolFile } from '../support/run.ts';

const EXAMPLES = join(import.meta.dirname, '../../docs/examples/policies');
const NAMES = ['change-board', 'solo', 'team'];

let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

interface Tested {
  passed: number;
  failed: number;
  files: { untested_rules: string[]; cases: { name: string; passed: boolean; problems: string[] }[] }[];
}

async function tested(...args: string[]) {
  const { code, objects, stderr } = await kairosJson(home, ['policy', 'test', ...args]);
  return { code, stderr, ...(objects[0] as unknown as Tested) };
}

/** A policy and its cases in the work folder. */
function write(policy: object, cases: object): string {
  writeFileSync(join(home.work, 'kairos.policy.yaml'), JSON.stringify({ version: 1, ...policy }));
  const path = join(home.work, 'cases.json');
  writeFileSync(path, JSON.stringify(cases));
  return path;
}

describe('the example policies', () => {
  it('are these, each with its cases', () => {
    const files = NAMES.flatMap((name) => [`${name}.cases.yaml`, `${name}.policy.yaml`]);
    expect(readdirSync(EXAMPLES).sort()).toEqual(files);
  });

  it.each(NAMES)('%s: every case passes and every rule has one', async (name) => {
    const result = await tested(join(EXAMPLES, `${name}.cases.yaml`));
    expect(result).toMatchObject({ code: 0, failed: 0, files: [{ untested_rules: [] }] });
    expect(result.passed).toBeGreaterThan(10);
  });

  it.each(NAMES)('%s: can be used where a policy belongs', async (name) => {
    const path = join(home.config, 'kairos.policy.yaml');
    mkdirSync(home.config, { recursive: true });
    copyFileSync(join(EXAMPLES, `${name}.policy.yaml`), path);
    chmodSync(path, 0o600);
    expect(await kairos(home, ['policy', 'check'])).toMatchObject({ code: 0 });
  });

  it.each(NAMES)('%s: its cases fail without any one of its rules', async (name) => {
    const text = readFileSync(join(EXAMPLES, `${name}.policy.yaml`), 'utf8');
    const { parse } = await import('yaml');
    const policy = parse(text);
    for (const [at, { name: rule }] of policy.rules.entries()) {
      const path = join(home.work, 'without.yaml');
      writeFileSync(path, JSON.stringify({ ...policy, rules: policy.rules.toSpliced(at, 1) }));
      const { code } = await tested(join(EXAMPLES, `${name}.cases.yaml`), '--policy', path);
      expect([rule, code]).toEqual([rule, 1]);
    }
  });
});

describe('kairos policy test', () => {
  const rules = [{ name: 'all', match: { action_types: ['write'] }, evidence_optional: true }];
  const proposal = {
    action_type: 'write',
    target: { resource_type: 'switch', resource_id: 'main', domain: 'house.example' },
  };

  it('prints what differs, for each failed case, and ends with 1', async () => {
    const path = write(
      { rules: [...rules, { name: 'other', match: { action_types: ['read'] } }] },
      {
        defaults: { proposal },
        cases: [
          { name: 'right', expect: { decision: 'ALLOW', needed: 0, codes: [], rules: ['all'] } },
          { name: 'wrong', expect: { decision: 'HOLD', needed: 1 } },
          { name: 'denied', proposal: { action_type: 'delete' }, expect: { decision: 'ALLOW', codes: [] } },
          { name: 'stranger', approvals: [{ approver: 'eve' }], expect: { decision: 'ALLOW' } },
        ],
      },
    );
    const result = await tested(path);
    expect(result).toMatchObject({ code: 1, passed: 1, failed: 3, files: [{ untested_rules: ['other'] }] });
    expect(result.files[0]!.cases.map(({ name, problems }) => [name, problems])).toEqual([
      ['right', []],
      ['wrong', ['decision: expected HOLD, got ALLOW', 'needed: expected 1, got 0']],
      ['denied', ['decision: expected ALLOW, got DENY', 'codes: expected none, got K-PROP-131, K-PROP-134']],
      ['stranger', ['approvals: "eve" is not an approver of the policy']],
    ]);
    const { stdout, stderr } = await kairos(home, ['policy', 'test', path]);
    expect(stdout).toContain('FAIL  wrong');
    expect(stdout).toContain('4 cases: 1 passed, 3 failed.');
    expect(stderr).toContain('No case is covered by rule other.');
  });

  it('judges a proposal file unchanged, and tries the cases on another policy with --policy', async () => {
    const path = write(
      { rules },
      { cases: [{ name: 'file', proposal: 'p.json', expect: { decision: 'DENY', codes: ['K-PROP-101'] } }] },
    );
    writeFileSync(join(home.work, 'p.json'), '{"actor": "a", "actor": "b"}');
    expect(await tested(path)).toMatchObject({ code: 0 });
    const lenient = write(
      { rules: [] },
      { defaults: { proposal }, cases: [{ name: 'x', expect: { decision: 'ALLOW' } }] },
    );
    expect((await tested(lenient)).code).toBe(1);
    const other = join(home.work, 'other.yaml');
    writeFileSync(other, JSON.stringify({ version: 1, rules }));
    expect((await tested(lenient, '--policy', other)).code).toBe(0);
  });

  it.each([
    [
      'a misspelt key',
      { cases: [{ name: 'x', expcet: {}, expect: { decision: 'ALLOW' } }] },
      'Did you mean expect?',
    ],
    ['no cases', { cases: [] }, 'cases: Expected something that is not empty'],
    [
      'a name twice',
      { cases: ['x', 'x'].map((name) => ({ name, expect: { decision: 'ALLOW' } })) },
      'Another case is named "x"',
    ],
    [
      'no policy',
      { policy: 'gone.yaml', cases: [{ name: 'x', expect: { decision: 'ALLOW' } }] },
      'gone.yaml does not exist',
    ],
  ])('ends with 2 for a file with %s', async (_, cases, said) => {
    const { code, stderr } = await kairos(home, ['policy', 'test', write({ rules }, cases)]);
    expect(code).toBe(2);
    expect(stderr).toContain(said);
  });

  it('ends with 2 for a policy that means nothing', async () => {
    const path = write(
      { rules: [{ match: {}, approval_class: 'dual' }] },
      { cases: [{ name: 'x', expect: { decision: 'ALLOW' } }] },
    );
    expect(await kairos(home, ['policy', 'test', path])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('2 of the approvers are required, and 0 can approve'),
    });
  });
});

describe('kairos policy check', () => {
  const name = 'team.policy.yaml';
  const rules = [{ name: 'all', match: { action_types: ['write'] }, evidence_optional: true }];
  const check = async (policy: object) => {
    writeFileSync(join(home.work, name), JSON.stringify({ version: 1, ...policy }), { mode: 0o600 });
    return kairos(home, ['policy', 'check', name]);
  };

  it('checks a file in the folder where a team keeps it, and reports that no run could use it from there', async () => {
    expect(await check({ rules })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/not usable here +.* lies where a project could have put it/),
    });
    const [object] = (await kairosJson(home, ['policy', 'check', name])).objects;
    expect(object).toMatchObject({ refused_here: expect.stringContaining('could have put it') });
    expect(await check({ rules: [{ match: { domian: 'x' } }] })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/no key "domian" here[\s\S]*Correct the file\. kairos schema policy/),
    });
  });

  it('refuses a quorum whose keys have expired', async () => {
    const [mira, tom] = makeApprovers(home, ['mira', 'tom']);
    const expiring = (valid_until: string) => ({
      approvers: [{ ...mira!, keys: mira!.keys!.map((key) => ({ ...(key as object), valid_until })) }, tom],
      rules: [{ match: {}, approval_class: 'dual' }],
    });
    expect(await check(expiring('2020-01-01T00:00:00Z'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'rules.0: 2 of the approvers are required, and 1 can approve with a key that is usable now.',
      ),
    });
    expect((await check(expiring('2199-01-01T00:00:00Z'))).code).toBe(0);
  });

  it('is refused wherever it is loaded once its quorum has expired', async () => {
    const [mira, tom] = makeApprovers(home, ['mira', 'tom']);
    const until = (valid_until: string) => ({
      approvers: [{ ...mira!, keys: mira!.keys.map((key) => ({ ...key, valid_until })) }, tom],
      rules: [{ match: {}, approval_class: 'dual' }],
    });
    writePolicy(home, until('2199-01-01T00:00:00Z'));
    const { code, runId, trust } = await runGuarded(home, guardedDocument());
    expect(code).toBe(3);
    await answerWithKey(home, 'approve', runId, 'mira');
    await answerWithKey(home, 'approve', runId, 'tom');
    writePolicy(home, until('2020-01-01T00:00:00Z'));
    const said = /rules\.0: 2 of the approvers are required, and 1 can approve with a key that is usable now/;
    const refused = { code: 1, stderr: expect.stringMatching(said) };
    expect(await resumeGuarded(home, runId, trust)).toMatchObject(refused);
    expect(await kairos(home, ['proposal', 'submit', runId])).toMatchObject(refused);
    const { path } = await protocolFile(home, guardedDocument());
    const words = ['run', path, '--trust', trust, '--answers', join(home.work, 'answers.yaml')];
    expect(await kairos(home, words)).toMatchObject(refused);
    expect((await kairos(home, ['doctor'])).stdout).toMatch(said);
    expect(timesRun(home)).toBe(0);
  });
});

describe('kairos policy explain', () => {
  it('names the rule that decides on the proposal of a run, before and after an approval', async () => {
    writePolicy(home, {
      approvers: makeApprovers(home, ['mira']),
      rules: [
        { name: 'look', match: { action_types: ['read'] } },
        { name: 'switches', match: { resource_type: 'switch' }, approval_class: 'single' },
      ],
    });
    const { runId } = await runGuarded(home, guardedDocument());
    const explained = async () => (await kairosJson(home, ['policy', 'explain', runId])).objects[0];
    expect(await explained()).toMatchObject({
      decision: 'HOLD',
      because: 'Rule switches asks for approvals: 0 of 1 count.',
      rules: [
        { name: 'look', not_covered: 'action write is not read' },
        { name: 'switches', not_covered: null, asks: 'single', refuses: [] },
      ],
      asked_by: ['switches'],
      could_approve: ['mira'],
    });
    await answerWithKey(home, 'approve', runId, 'mira');
    expect(await explained()).toMatchObject({
      decision: 'ALLOW',
      because: 'Rule switches covers it, and enough people have approved.',
    });
  });

  it('judges an action without a run', async () => {
    writePolicy(home, {
      rules: [
        {
          name: 'mails',
          match: { action_types: ['communicate'] },
          forbidden_effects: ['mass'],
          actors: ['agent'],
        },
      ],
    });
    const explain = async (...more: string[]) => {
      const action = [
        '--action',
        'communicate',
        '--resource-type',
        'list',
        '--resource-id',
        '1',
        '--domain',
        'x.example',
      ];
      return (await kairosJson(home, ['policy', 'explain', ...action, ...more])).objects[0];
    };
    expect(await explain('--actor', 'agent')).toMatchObject({
      decision: 'ALLOW',
      because: 'Rule mails covers it and asks for no approval.',
    });
    expect(await explain('--actor', 'eve')).toMatchObject({
      decision: 'DENY',
      because: 'Rule mails refuses it.',
    });
    expect(await explain('--actor', 'agent', '--effect', 'mass')).toMatchObject({
      decision: 'DENY',
      rules: [{ refuses: ['K-PROP-133 Rule mails does not permit the effect "mass".'] }],
    });
    expect(await kairos(home, ['policy', 'explain', '--action', 'read'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--resource-type, --resource-id, --domain missing'),
    });
  });
});
