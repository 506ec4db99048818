import { chmod, cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { loadTools } from '../../src/proof/tools.ts';
import { validateSolution } from '../../src/proof/validate.ts';
import { takeCaptures } from '../../src/run/decide/judge.ts';
import { runShell, type ShellDemand, type ShellOutcome, shellSteps } from './run-step.ts';
import { chainOf, loadShipped, type Shipped } from './shipped.ts';
import { FAKES, FAKES_PATH, loadWalks, prepareDirectory, type Walk } from './walk-data.ts';

const shipped = await loadShipped();
const walks = loadWalks();
const tools = await loadTools({ patterns: true, schemas: false });
const fakes = await readdir(FAKES);
/** Programs that the commands use as they are on every machine. */
const REAL = ['node', 'find', 'cmp', 'cp', 'rm', 'sh', 'grep'];
const directories: string[] = [];
afterAll(() => Promise.all(directories.map((path) => rm(path, { recursive: true, force: true }))));

describe('with the fakes, in an otherwise empty directory', () => {
  test.each(withShell(shipped))('every command of $name is accepted', async (protocol) => {
    const walk = walkOf(protocol);
    const directory = await fresh(walk);
    for (const { label, demand } of shellSteps(protocol)) {
      const outcome = await runShell(demand, directory, walk, FAKES_PATH);
      expect({ label, ...outcome, accepted: accepted(demand, outcome) }).toMatchObject({ accepted: true });
    }
  });

  test.each(withShell(shipped))('no command of $name is accepted when a program fails', async (protocol) => {
    const walk = walkOf(protocol);
    const directory = await fresh(walk);
    for (const { label, demand } of shellSteps(protocol)) {
      const { cmd, interpreter } = demand.shell;
      const programs = interpreter === undefined ? programsOf(cmd) : [interpreter];
      expect(programs, label).not.toEqual([]);
      for (const program of programs) {
        const path = [await failing(program), FAKES_PATH].join(delimiter);
        const outcome = await runShell(demand, await copyOf(directory), walk, path);
        expect({ label, program, ...outcome, accepted: accepted(demand, outcome) }).toMatchObject({
          accepted: false,
        });
      }
      await runShell(demand, directory, walk, FAKES_PATH);
    }
  });

  test.each(withShell(shipped))(
    'captures of $name are the values that later commands get',
    async (protocol) => {
      const walk = walkOf(protocol);
      const directory = await fresh(walk);
      const taken: Record<string, string> = {};
      for (const step of chainOf(protocol).steps) {
        const { proof_of_work: proof, captures = [] } = step.block?.value ?? {};
        const answer = walk.steps[step.index];
        const packet =
          proof?.type === 'shell'
            ? await runShell(proof, directory, walk, FAKES_PATH)
            : { confirmation: answer?.user_input, text: answer?.comment };
        const solution = { type: 'shell', nonce: null, proof_hash: null, shell: packet };
        const found = takeCaptures(
          captures,
          solution,
          { ...packet } as Record<string, string>,
          tools.patterns,
        );
        if (!found.ok) throw new Error(`${step.label}: ${found.message}`);
        Object.assign(taken, found.values);
      }
      expect(taken).toEqual(walk.captures);
    },
  );

  test.each(withShell(shipped))(
    'no command of $name is accepted when its files are missing',
    async (protocol) => {
      const walk = walkOf(protocol);
      for (const { label, demand } of shellSteps(protocol)) {
        // Git compares with what it has recorded, which the fake only claims.
        if (programsOf(demand.shell.cmd).join() === 'git') continue;
        const named = Object.keys(walk.files).filter((path) => demand.shell.cmd.includes(path));
        for (const missing of named) {
          const directory = await fresh(walk);
          await rm(join(directory, missing));
          const outcome = await runShell(demand, directory, walk, FAKES_PATH);
          expect({ label, missing, accepted: accepted(demand, outcome) }).toMatchObject({ accepted: false });
        }
      }
    },
  );
});

test('verify-fresh-install passes on this machine without any fake', async () => {
  const protocol = shipped.find(({ name }) => name === 'verify-fresh-install')!;
  const directory = await fresh(walkOf(protocol));
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  for (const { label, demand } of shellSteps(protocol)) {
    const outcome = await runShell(demand, directory, walkOf(protocol), path);
    expect({ label, ...outcome, accepted: accepted(demand, outcome) }).toMatchObject({ accepted: true });
  }
  expect(await readdir(directory)).toEqual([]);
});

function walkOf(protocol: Shipped): Walk {
  const walk = walks[protocol.name];
  if (walk === undefined) throw new Error(`tests/fixtures/walks.json has no ${protocol.name}`);
  return walk;
}

function withShell(protocols: Shipped[]): Shipped[] {
  return protocols.filter((protocol) => shellSteps(protocol).length > 0);
}

/** Programs in command position: at the beginning, after an operator, or in a substitution. */
function programsOf(cmd: string): string[] {
  return [...fakes, ...REAL].filter((name) => new RegExp(`(?:^|&&\\s|\\|\\| |\\$\\()${name} `).test(cmd));
}

/** The product's own verdict on what a command gave. */
function accepted(demand: ShellDemand, outcome: ShellOutcome): boolean {
  const solution = { type: 'shell', nonce: null, proof_hash: null, shell: outcome };
  return validateSolution(demand, solution, { stepText: '', previousComment: null }, tools).ok;
}

async function fresh(walk: Walk): Promise<string> {
  const directory = await prepareDirectory(walk);
  directories.push(directory);
  return directory;
}

async function copyOf(directory: string): Promise<string> {
  const copy = await temporary();
  await cp(directory, copy, { recursive: true, preserveTimestamps: true });
  return copy;
}

/** A folder with one program, which fails. */
async function failing(program: string): Promise<string> {
  const folder = await temporary();
  await writeFile(join(folder, program), '#!/bin/sh\nexit 70\n');
  await chmod(join(folder, program), 0o755);
  return folder;
}

async function temporary(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'kairos-walk-'));
  directories.push(directory);
  return directory;
}
