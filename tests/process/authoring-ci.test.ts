import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type CliHome, makeHome } from '../support/cli.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (name: string) => parse(readFileSync(join(ROOT, name), 'utf8'));

let home: CliHome;
beforeEach(() => {
  home = makeHome();
});
afterEach(() => home.remove());

const put = (name: string, text: string) => {
  mkdirSync(dirname(join(home.work, name)), { recursive: true });
  writeFileSync(join(home.work, name), text);
};
const GOOD = `---
slug: ship
---
# Ship

## Natural Language Triggers

- "ship it"

## Test

Run them.

\`\`\`json
{
  "proof_of_work": {
    "type": "shell",
    "shell": {
      "cmd": "make check",
      "timeout_seconds": 60
    }
  }
}
\`\`\`

## Completion Rule

The tests are green.
`;
const LOOSE = GOOD.replace('{\n  "proof_of_work"', '{"proof_of_work"');
const BROKEN = GOOD.replace('"shell"', '"shel"');
const README = 'Badges come first.\n\n# A project\n\n## Use\n\nSee there.\n';

/** As pre-commit does it: the hook runs when files of its types are staged, with its arguments and without file names. */
describe('.pre-commit-hooks.yaml', () => {
  interface Hook {
    id: string;
    entry: string;
    args: string[];
    language: string;
    types: string[];
    pass_filenames: boolean;
  }
  const hooks: Hook[] = read('.pre-commit-hooks.yaml');
  const run = (id: string, args?: string[]) => {
    const hook = hooks.find((each) => each.id === id)!;
    execFileSync('git', ['init', '--quiet'], { cwd: home.work, env: home.env });
    const [program, ...rest] = hook.entry.split(' ');
    return spawnSync(program!, [...rest, ...(args ?? hook.args)], {
      cwd: home.work,
      env: home.env,
      encoding: 'utf8',
    });
  };

  it('has hooks that pre-commit can read', () => {
    expect(
      hooks.map(({ id, language, types, pass_filenames }) => ({ id, language, types, pass_filenames })),
    ).toEqual(
      ['kairos-lint', 'kairos-fmt'].map((id) => ({
        id,
        language: 'node',
        types: ['markdown'],
        pass_filenames: false,
      })),
    );
  });

  it('is green on good protocols and on prose, red on broken ones', () => {
    put('README.md', README);
    put('runbooks/ship.md', GOOD);
    expect([run('kairos-lint').status, run('kairos-fmt').status]).toEqual([0, 0]);
    put('runbooks/ship.md', BROKEN);
    expect([run('kairos-lint').status, run('kairos-fmt').status]).toEqual([1, 2]);
  });

  it('rewrites what pre-commit then finds changed, or only reports it', () => {
    put('ship.md', LOOSE);
    expect(run('kairos-fmt', ['--check', '.']).status).toBe(1);
    expect(run('kairos-fmt').status).toBe(0);
    expect(readFileSync(join(home.work, 'ship.md'), 'utf8')).toBe(GOOD);
  });
});

/** The action's own shell steps, in the shell and with the variables that a runner gives them. */
describe('action.yml', () => {
  interface Step {
    name?: string;
    if?: string;
    shell?: string;
    uses?: string;
    env?: Record<string, string>;
    run?: string;
  }
  const action: { inputs: Record<string, { default: string }>; runs: { using: string; steps: Step[] } } =
    read('action.yml');
  const summary = () => join(home.root, 'summary.md');

  const runStep = (name: string, given: Record<string, string> = {}) => {
    const step = action.runs.steps.find((each) => each.name === name)!;
    const inputs = Object.fromEntries(
      Object.entries(action.inputs).map(([key, input]) => [key, input.default]),
    );
    const values: Record<string, string> = { ...inputs, ...given };
    const env = Object.fromEntries(
      Object.entries(step.env ?? {}).map(([key, value]) => [
        key,
        value.replace(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_all, input: string) => values[input]!),
      ]),
    );
    const script = join(home.root, 'step.sh');
    writeFileSync(script, step.run!);
    writeFileSync(summary(), '');
    const own = join(home.root, 'temp', 'kairos-node', 'node_modules', 'node', 'bin');
    mkdirSync(own, { recursive: true });
    if (!existsSync(join(own, 'node'))) symlinkSync(process.execPath, join(own, 'node'));
    return spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', script], {
      cwd: home.work,
      env: {
        ...home.env,
        ...env,
        GITHUB_ACTION_PATH: ROOT.replace(/\/$/, ''),
        GITHUB_STEP_SUMMARY: summary(),
        RUNNER_TEMP: join(home.root, 'temp'),
      },
      encoding: 'utf8',
    });
  };

  it("leaves the job's own Node alone", () => {
    expect(action.runs.steps.flatMap(({ uses }) => uses ?? [])).toEqual([]);
    for (const step of action.runs.steps) expect(step.run ?? '').not.toContain('GITHUB_PATH');
  });

  it('pastes no input into a script', () => {
    expect(action.runs.using).toBe('composite');
    for (const step of action.runs.steps) expect(step.run ?? '').not.toContain('${{');
  });

  it('marks findings at their places, writes a summary, and fails the job', () => {
    put('runbooks/ship.md', BROKEN);
    const { status, stdout } = runStep('Lint');
    expect(status).toBe(1);
    expect(stdout).toMatch(/^::error file=runbooks\/ship\.md,line=\d+,/m);
    expect(readFileSync(summary(), 'utf8')).toContain('ship.md');
  });

  it('accepts several paths, odd names among them, a fail level, and a file for SARIF', () => {
    put('a b/$(touch ran).md', GOOD);
    put('c/ship.md', GOOD.replace('slug: ship', 'slug: ship-more').replace('ship it', 'ship more'));
    const { status, stderr } = runStep('Lint', {
      paths: 'a b\n\nc/*.md\n',
      'fail-on': 'warning',
      'max-warnings': '0',
      sarif: 'out.sarif',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringContaining('2 protocols checked') });
    expect(JSON.parse(readFileSync(join(home.work, 'out.sarif'), 'utf8'))).toMatchObject({
      version: '2.1.0',
    });
  });

  it('never becomes green by looking at nothing', () => {
    put('README.md', README);
    expect(runStep('Lint', { paths: 'no-such-folder' }).status).toBe(2);
    expect(runStep('Lint', { 'fail-on': 'eror' }).status).toBe(2);
  });

  it('checks the format when asked to', () => {
    put('ship.md', LOOSE);
    expect(runStep('Check the format').status).toBe(1);
    put('ship.md', GOOD);
    expect(runStep('Check the format').status).toBe(0);
  });
});

describe('the GitLab job of docs/ci.md', () => {
  const page = readFileSync(join(ROOT, 'docs/ci.md'), 'utf8');
  const text = /```yaml\n(protocols:[\s\S]*?)```/.exec(page)![1]!;
  const { protocols } = parse(text) as {
    protocols: { script: string[]; artifacts: { when: string; reports: { codequality: string } } };
  };
  const runJob = () =>
    spawnSync('bash', ['-eo', 'pipefail', '-c', protocols.script.join('\n')], {
      cwd: home.work,
      env: { ...home.env, CI_PROJECT_DIR: home.work },
      encoding: 'utf8',
    });

  it('fails with a report at the place of the fault, and succeeds without one', () => {
    execFileSync('git', ['init', '--quiet'], { cwd: home.work, env: home.env });
    put('runbooks/ship.md', BROKEN);
    expect(runJob().status).toBe(1);
    expect(protocols.artifacts.when).toBe('always');
    const report = join(home.work, protocols.artifacts.reports.codequality);
    expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject([
      { severity: 'major', location: { path: 'runbooks/ship.md' } },
    ]);
    put('runbooks/ship.md', GOOD);
    expect(runJob().status).toBe(0);
    expect(JSON.parse(readFileSync(report, 'utf8'))).toEqual([]);
  });
});
