import { describe, expect, it } from 'vitest';
import {
  type AgentCall,
  type HoldOrigin,
  judgeHolds,
  matchHolds,
  type SessionRun,
} from '../../src/gate/holds.ts';
import { readHoldList } from '../../src/protocol/holds.ts';
import type { Hold } from '../../src/protocol/schema.ts';

const hold = (over: object): Hold => {
  const reading = readHoldList({ holds: [{ match: { command: 'git push' }, protocol: 'release', ...over }] });
  if (!reading.ok) throw new Error(reading.problems.join());
  return reading.holds[0]!;
};
const command = (text: string, folder = '/p'): AgentCall => ({
  kind: 'command',
  command: text,
  folder,
  scripts: [],
});
const run = (over: Partial<SessionRun> = {}): SessionRun => ({
  runId: 'r',
  slug: 'release',
  outcome: null,
  step: 2,
  demand: { kind: 'command', command: 'git push', folder: '/p' },
  permitted: true,
  accepted: true,
  ...over,
});
const judge = (over: object, runs: SessionRun[], call = command('git push'), origin: HoldOrigin = 'user') => {
  const verdict = judgeHolds(matchHolds([{ hold: hold(over), origin, source: 'x' }], call), runs, call);
  return verdict.outcome === 'allow' ? 'allow' : `${verdict.outcome}: ${verdict.reason}`;
};

describe('a hold list', () => {
  it('reports each problem with its path', () => {
    const list = {
      holds: [
        { match: { command: 'a; b' }, protocol: 'release' },
        { match: { command: 'a', tool: 'b' }, protocol: 'Not a slug' },
        { match: { tool: 'b' }, protocol: 'x', allow: 'open' },
      ],
    };
    const reading = readHoldList(list);
    expect(reading.ok ? [] : reading.problems.map((text) => text.split(':')[0])).toEqual([
      'holds.0.match.command',
      'holds.1.match',
      'holds.1.protocol',
      'holds.2.allow',
    ]);
    expect(readHoldList(null)).toEqual({ ok: true, holds: [] });
  });

  it.each(['git\u00a0push', 'g\u200bit push', 'ｇｉｔ push'])(
    'has no letters that only look right: %j',
    (text) => {
      for (const match of [{ command: text }, { tool: text }])
        expect(readHoldList({ holds: [{ match, protocol: 'x' }] }).ok).toBe(false);
    },
  );

  it.each<[pattern: string, commands: string[], free: string[]]>([
    [
      'sh deploy.sh',
      ['bash deploy.sh', './deploy.sh', '. ./deploy.sh', 'zsh -x /p/deploy.sh a'],
      ['sh other.sh'],
    ],
    ['bash bin/ship prod', ['./bin/ship prod', 'sh bin/ship prod'], ['bin/ship test']],
    ['npm run deploy', ['npm run-script deploy', 'npm rum deploy', 'npm -s run deploy'], ['npm run build']],
    ['rm -rf', ['rm -fr x', 'rm -r -f x', 'rm -rvf x'], ['rm -r x', 'rm x']],
    [
      'git push --force',
      ['git push --forc', 'git push origin --force main'],
      ['git push', 'git push --follow-tags'],
    ],
    [
      'npm publish --tag latest',
      ['npm --tag latest publish', 'npm publish --tag=latest', 'npm publish latest --tag'],
      ['npm publish --tag next', 'npm --tag next publish'],
    ],
  ])('covers the other spellings of %s', (pattern, commands, free) => {
    const isHeld = (text: string) => judge({ match: { command: pattern } }, [], command(text)) !== 'allow';
    expect(commands.filter((each) => !isHeld(each))).toEqual([]);
    expect(free.filter(isHeld)).toEqual([]);
  });
});

describe('a held call', () => {
  it.each<[string, object, SessionRun[], string]>([
    ['without a run', {}, [], 'deny: no-run'],
    ['with a run of another protocol', {}, [run({ slug: 'other' })], 'deny: no-run'],
    ['that the pending step demands', {}, [run()], 'allow'],
    ['in a run of content that is not trusted', {}, [run({ accepted: false })], 'deny: not-trusted'],
    ['that the step does not demand', {}, [run({ demand: null })], 'deny: not-demanded'],
    ['without the permit of its step', {}, [run({ permitted: false })], 'deny: no-permit'],
    ['at another step', { step: 3 }, [run()], 'deny: other-step'],
    ['while a run is open', { allow_when: 'open' }, [run({ demand: null })], 'allow'],
    ['after the run', { allow_when: 'open' }, [run({ outcome: 'success', step: null })], 'deny: no-run'],
    ['after a success', { allow_when: 'attested' }, [run({ outcome: 'success' })], 'allow'],
    ['after a failure', { allow_when: 'attested' }, [run({ outcome: 'failure' })], 'deny: no-run'],
    ['before the end', { allow_when: 'attested' }, [run()], 'deny: not-attested'],
    ['that is asked for', { else: 'ask' }, [], 'ask: no-run'],
  ])('%s', (_title, over, runs, expected) => {
    expect(judge(over, runs)).toBe(expected);
  });

  it('is demanded only unchanged, in the folder of the run', () => {
    const tries = ['git push', 'cd /p && git  push', 'cd ../p && git push', 'git push -f', 'git push && ls'];
    expect(tries.map((text) => judge({}, [run()], command(text)))).toEqual([
      'allow',
      'allow',
      'allow',
      'deny: not-demanded',
      'deny: not-demanded',
    ]);
    expect(judge({}, [run()], command('git push', '/q'))).toBe('deny: not-demanded');
    expect(judge({}, [run()], command('cd /p && git push', '/q'))).toBe('allow');
  });

  it('is demanded only with the values of its run', () => {
    const deploy = 'deploy "$TARGET"';
    const demand = {
      kind: 'command',
      command: deploy,
      folder: '/p',
      values: { TARGET: "a'b", OTHER: 'x' },
    } as const;
    const asked = (text: string, folder?: string) =>
      judge({ match: { command: 'deploy' } }, [run({ demand })], command(text, folder));
    const allowed = [
      `export TARGET='a'\\''b'; ${deploy}`,
      `export TARGET="a'b" OTHER=x && ${deploy}`,
      `cd ../p && export TARGET="a'b" && ${deploy}`,
      `export OTHER=x; export TARGET="a'b"\n${deploy}`,
    ];
    expect(allowed.map((text) => asked(text))).toEqual(allowed.map(() => 'allow'));
    const refused = [
      deploy,
      `export TARGET=b; ${deploy}`,
      `export TARGET="a'b" OTHER=y; ${deploy}`,
      `export TARGET="a'b" PATH=/x; ${deploy}`,
      `export TARGET="a'b"; export TARGET=b; ${deploy}`,
      `export TARGET="a'b" & ${deploy}`,
      `export TARGET="$X"; ${deploy}`,
      `TARGET="a'b" ${deploy}`,
      'export TARGET="a\'b"; deploy b',
    ];
    expect(refused.map((text) => asked(text))).toEqual(refused.map(() => 'deny: not-demanded'));
    expect(asked(`cd sub && export TARGET="a'b" && ${deploy}`)).toBe('deny: not-demanded');
  });

  it('needs the values that its scripts use', () => {
    const demand = { kind: 'command', command: './x.sh', folder: '/p', values: { TARGET: 'a' } } as const;
    const scripts = [{ path: 'x.sh', text: 'git push "$TARGET"' }];
    const asked = (text: string) =>
      judge({}, [run({ demand })], { kind: 'command', command: text, folder: '/p', scripts });
    expect(asked('./x.sh')).toBe('deny: not-demanded');
    expect(asked('export TARGET=a; ./x.sh')).toBe('allow');
  });

  it('needs one hold of each origin, so that a proposal never loosens the list of the user', () => {
    const strict = { hold: hold({}), origin: 'user' as const, source: 'x' };
    const other = { hold: hold({ protocol: 'hotfix' }), origin: 'user' as const, source: 'x' };
    const loose = { hold: hold({ allow_when: 'open' }), origin: 'protocol' as const, source: 'y' };
    const call = command('git push');
    const outcome = (holds: Parameters<typeof matchHolds>[0], runs: SessionRun[]) =>
      judgeHolds(matchHolds(holds, call), runs, call).outcome;
    expect(outcome([strict, loose], [run({ demand: null })])).toBe('deny');
    expect(outcome([strict, other], [run({ slug: 'hotfix' })])).toBe('allow');
    expect(outcome([strict, loose], [run()])).toBe('allow');
  });

  it('is found in the files that it runs', () => {
    const call: AgentCall = {
      ...command('./deploy.sh'),
      scripts: [{ path: 'deploy.sh', text: 'git push\n' }],
    } as never;
    expect(matchHolds([{ hold: hold({}), origin: 'user', source: 'x' }], call)).toMatchObject([
      { certainty: 'same', text: 'git push (in deploy.sh)' },
    ]);
  });
});

describe('a held tool', () => {
  const tool = (name: string, server: string | null, args: unknown): AgentCall => ({
    kind: 'tool',
    tool: name,
    server,
    arguments: args,
  });
  const covers = (match: object, call: AgentCall) =>
    matchHolds([{ hold: hold({ match }), origin: 'user', source: 'x' }], call).length > 0;

  it.each<[pattern: string, tool: string, server: string | null, isHeld: boolean]>([
    ['delete_repo', 'x-delete_repo', null, true],
    ['delete_repo', 'github_delete_repo', null, true],
    ['delete_repo', 'undelete_repo', null, false],
    ['github/delete_repo', 'github-delete_repo', null, true],
    ['github/delete_repo', 'gitlab-delete_repo', null, false],
    ['github/delete_repo', 'delete_repo', 'GitHub', true],
    ['github/delete_repo', 'delete_repo', 'plugin_x_github', true],
    ['github/delete_repo', 'delete_repo', 'claude_ai_GitHub', true],
    ['github/delete_repo', 'delete_repo', 'mygithub', false],
    ['delete_repo', 'delete_repo ', 'github', true],
    ['delete_repo', 'ｄelete_repo', null, true],
    ['github/delete_repo', 'github__delete_repo', 'x', true],
    ['delete_repo', 'github__delete_repo', 'x', true],
    ['delete_repo', 'undelete_repo', 'x', false],
  ])('%s as clients write it: %s of %s', (pattern, name, server, isHeld) => {
    expect(covers({ tool: pattern }, tool(name, server, {}))).toBe(isHeld);
  });

  it.each<[wanted: object, given: object, isHeld: boolean]>([
    [{ repo: 'acme/*' }, { repo: 'Acme/x' }, true],
    [{ number: 7 }, { number: '7' }, true],
    [{ number: 7 }, { number: 8 }, false],
    [{ force: true }, { force: 'true' }, true],
    [{ force: true }, {}, false],
    [{ to: ['a'] }, { to: ['a'] }, true],
    [{ to: ['a'] }, { to: ['b'] }, false],
  ])('compares arguments as servers read them: %j and %j', (wanted, given, isHeld) => {
    expect(covers({ tool: 'merge', arguments: wanted }, tool('merge', 'github', given))).toBe(isHeld);
  });

  it('is found by name, server and arguments', () => {
    const merge = tool('merge_pull_request', 'github', {
      repo: 'a/b',
      base: 'main',
      options: { squash: true },
    });
    expect(covers({ tool: 'merge_pull_request' }, merge)).toBe(true);
    expect(covers({ tool: 'github/merge*' }, merge)).toBe(true);
    expect(covers({ tool: 'gitlab/merge*' }, merge)).toBe(false);
    expect(covers({ tool: 'merge*', arguments: { repo: 'a/*', options: { squash: true } } }, merge)).toBe(
      true,
    );
    expect(covers({ tool: 'merge*', arguments: { base: 'dev' } }, merge)).toBe(false);
  });

  it('is not in a patch of files, which no shell reads', () => {
    const patch = { command: '*** Begin Patch\n+run git push now\n*** End Patch' };
    const covered = (server: string | null) =>
      matchHolds([{ hold: hold({}), origin: 'user', source: 'x' }], {
        kind: 'tool',
        tool: 'apply_patch',
        server,
        arguments: patch,
      }).length;
    expect([covered(null), covered('shell')]).toEqual([0, 1]);
  });

  it('is demanded with its arguments, whole', () => {
    const demand = { kind: 'tool', tool: 'merge', server: 'github', arguments: { n: 1 } } as const;
    const match = { tool: 'merge' };
    expect(judge({ match }, [run({ demand })], tool('merge', 'github', { n: 1 }))).toBe('allow');
    const unnamed = { ...demand, server: null };
    expect(judge({ match }, [run({ demand: unnamed })], tool('github-merge', null, { n: 1 }))).toBe('allow');
    expect(judge({ match }, [run({ demand })], tool('merge', 'github', { n: 2 }))).toBe('deny: not-demanded');
    expect(judge({ match }, [run({ demand })], tool('merge', 'other', { n: 1 }))).toBe('deny: not-demanded');
  });
});
