import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configurationFinder } from '../../src/lint/config/configuration.ts';
import { LINT_RULES } from '../../src/lint/rules/index.ts';
import { lintDocuments } from '../../src/lint/run.ts';
import { findInput } from '../../src/operations/lint/documents.ts';
import type { Demand } from '../../src/proof/demand.ts';
import { loadProofTools } from '../../src/proof/tools.ts';
import { type Verdict, validateSolution } from '../../src/proof/validate.ts';
import type { StepNode } from '../../src/protocol/model.ts';
import {
  commentDefinition,
  mcpDefinition,
  type ProofOfWork,
  shellDefinition,
  userInputDefinition,
} from '../../src/protocol/schema.ts';
import { PROOF_TYPES } from '../../src/protocol/terms.ts';
import { fakeIo } from '../support/cli-io.ts';
import { chainOf, loadShipped, PROTOCOLS, type Shipped } from './shipped.ts';
import { loadWalks, type WalkStep } from './walk-data.ts';

const shipped = await loadShipped();
const walks = loadWalks();

test('ten and more protocols ship, and the two reserved ones', () => {
  expect(shipped.map(({ path }) => path)).toEqual([
    'cut-release.md',
    'hand-over-on-call.md',
    'migrate-database-schema.md',
    'onboard-service.md',
    'practise-an-outage.md',
    'prepare-pull-request.md',
    'release-npm-package.md',
    'reserved/create-a-protocol.md',
    'reserved/refine-a-search.md',
    'respond-to-incident.md',
    'restore-postgresql-backup.md',
    'retire-service.md',
    'review-pull-request.md',
    'rotate-leaked-credential.md',
    'upgrade-dependency.md',
    'verify-fresh-install.md',
    'zertifikat-erneuern.md',
  ]);
  expect(Object.keys(walks).sort()).toEqual(shipped.map(({ name }) => name).sort());
});

describe.each(shipped)('$name', (protocol) => {
  test('parses without any message', () => {
    expect(protocol.messages).toEqual([]);
  });

  test('has a name, a version, tags, a purpose, triggers and an end', () => {
    const chain = chainOf(protocol);
    expect(chain).toMatchObject({ slug: protocol.name, slugSource: 'frontmatter', version: '1.0.0' });
    expect(chain.tags.length).toBeGreaterThanOrEqual(3);
    expect(chain.description.split('\n')).toHaveLength(1);
    const triggers = chain.triggers?.markdown.split('\n') ?? [];
    expect(triggers.filter((line) => !/^- "[^"]+"$/.test(line))).toEqual([]);
    expect(triggers.length).toBeGreaterThanOrEqual(5);
    expect(triggers.length).toBeLessThanOrEqual(10);
    expect(chain.completionRule?.markdown).toMatch(/\S/);
  });

  test('has a handful of steps, each with its own title and a text', () => {
    const { steps } = chainOf(protocol);
    expect(steps.length).toBeGreaterThanOrEqual(4);
    expect(steps.length).toBeLessThanOrEqual(8);
    expect(new Set(steps.map(({ label }) => label)).size).toBe(steps.length);
    expect(steps.filter(({ body }) => body.length < 40)).toEqual([]);
  });

  test('has commands that parse, hide no failure and set a timeout', () => {
    const names = new Set(Object.keys(chainOf(protocol).inputs));
    for (const [step, proof] of proofs(protocol)) {
      const captures = step.block?.value.captures ?? [];
      if (proof.type === 'shell') {
        const { cmd, interpreter } = proof.shell;
        expect(step.block?.raw, step.label).toHaveProperty(['proof_of_work', 'shell', 'timeout_seconds']);
        if (interpreter === undefined) {
          execFileSync('/bin/sh', ['-n', '-c', cmd]);
          expect(cmd, step.label).not.toMatch(/;|[^|]\|[^|]|^\s*[$#>]|<[a-z -]+>|\{\{|\becho\b|\btrue\b/);
          // Parts on lines of their own are joined, so that the first failure ends the command.
          expect(
            cmd
              .split('\n')
              .slice(0, -1)
              .filter((line) => !line.endsWith(' &&')),
            step.label,
          ).toEqual([]);
        }
        for (const [, name] of cmd.matchAll(/\$([A-Z][A-Z0-9_]*)/g)) {
          // Parameters of an allowed proposal come with the permit.
          if (!name!.startsWith('KAIROS_PARAM_')) expect([...names], step.label).toContain(name);
        }
      }
      for (const { name } of captures) names.add(name);
    }
  });

  test('describes each input, and bounds what becomes part of a command', () => {
    for (const [name, input] of Object.entries(chainOf(protocol).inputs)) {
      expect(input.description, name).toMatch(/^.{10,}$/);
      if (name !== 'TEST_COMMAND') expect(input.pattern, name).toBeDefined();
    }
    const walk = walks[protocol.name]!;
    expect(Object.keys(walk.inputs)).toEqual(Object.keys(chainOf(protocol).inputs));
  });

  test('asks a person for the yes before it destroys or publishes', () => {
    let confirmed = false;
    for (const [step, proof] of proofs(protocol)) {
      if (proof.type === 'user_input' && proof.user_input.choices) confirmed = true;
      if (proof.type === 'shell' && CONSEQUENTIAL.test(proof.shell.cmd)) {
        expect({ step: step.label, confirmed }).toEqual({ step: step.label, confirmed: true });
      }
    }
  });

  test('asks specific questions and wants more than a word', () => {
    for (const [step, proof] of proofs(protocol)) {
      if (proof.type === 'user_input') {
        const { prompt, choices, pattern } = proof.user_input;
        expect(prompt, step.label).toMatch(/^.{40,}$/);
        expect(prompt, step.label).toContain('?');
        expect(choices ?? pattern, step.label).toBeDefined();
      }
      if (proof.type === 'comment') {
        expect(proof.comment.min_length, step.label).toBeGreaterThanOrEqual(40);
      }
    }
  });

  test('reaches its end with the recorded answers, and only with those', async () => {
    const walk = walks[protocol.name]!;
    const { steps } = chainOf(protocol);
    const held = Object.entries(walk.steps).map(([index, step]) => `${index} ${Object.keys(step).join()}`);
    expect(held).toEqual(steps.flatMap((step) => answerKind(step, steps.length) ?? []));
    const names = proofs(protocol).flatMap(([, proof]) =>
      proof.type === 'shell' ? (proof.shell.env ?? []) : [],
    );
    expect(Object.keys(walk.env).sort()).toEqual([...new Set(names)].sort());

    let previousComment: string | null = null;
    for (const step of steps) {
      const answer = walk.steps[step.index];
      if (answer === undefined || answer.proposal !== undefined) continue;
      const demand = demandOf(step);
      expect(await judge(step, demand, answer, previousComment), step.label).toMatchObject({ ok: true });
      previousComment = answer.comment ?? previousComment;
    }
    const closing = await judge(steps.at(-1)!, DEFAULT_DEMAND, { comment: walk.closing }, previousComment);
    expect(closing).toMatchObject({ ok: true });
  });
});

describe('between them', () => {
  const all = shipped.flatMap(proofs);

  test('they use every proof type and every field of each', () => {
    const used = all.map(([step]) => (step.block!.raw as { proof_of_work: Raw }).proof_of_work);
    const fields = (type: string) =>
      [...new Set(used.flatMap((proof) => Object.keys((proof[type] ?? {}) as object)))].sort();
    expect([...new Set(used.map(({ type }) => type))].sort()).toEqual([...PROOF_TYPES].sort());
    expect(fields('shell')).toEqual(Object.keys(shellDefinition.shape).sort());
    expect(fields('mcp')).toEqual(Object.keys(mcpDefinition.shape).sort());
    expect(fields('user_input')).toEqual(Object.keys(userInputDefinition.shape).sort());
    expect(fields('comment')).toEqual(Object.keys(commentDefinition.shape).sort());
    expect(used.some(({ required }) => required === false)).toBe(true);
    expect(new Set(used.map(({ assurance }) => assurance))).toEqual(
      new Set([undefined, 'client', 'observed']),
    );
  });

  test('they use shorthand, JSON and YAML, and steps without a block first and last, where nothing is asked for them', () => {
    const chains = shipped.map(chainOf);
    const formats = chains.flatMap(({ steps }) => steps.flatMap(({ block }) => block?.format ?? []));
    expect(new Set(formats)).toEqual(new Set(['json', 'yaml', 'shorthand']));
    const bare = chains.flatMap(({ steps }) =>
      steps.flatMap(({ index, block }) => {
        if (block !== null) return [];
        return index === 1 ? 'first' : index === steps.length ? 'last' : 'middle';
      }),
    );
    expect(new Set(bare)).toEqual(new Set(['first', 'last']));
  });

  test('nothing is found in them, not even advice, in one or over all', async () => {
    const documents = await findInput([PROTOCOLS], undefined, fakeIo().io);
    const { report } = await lintDocuments(documents.documents, {
      rules: LINT_RULES,
      configurations: configurationFinder({ rules: LINT_RULES, overrides: new Map(), file: null }),
      cwd: PROTOCOLS,
      inlineConfig: false,
      fingerprints: false,
      fix: null,
    });
    expect(report.results).toHaveLength(shipped.length);
    expect(
      report.results.flatMap(({ path, messages }) => messages.map(({ ruleId }) => [path, ruleId])),
    ).toEqual([]);
  });
});

test('the table in README.md lists every protocol, and its links lead somewhere', () => {
  const file = join(PROTOCOLS, 'README.md');
  const links = [...readFileSync(file, 'utf8').matchAll(/\]\(([^)#]+)\)/g)].map(([, target]) => target!);
  const local = links.filter((target) => !target.includes('://'));
  expect(local.filter((target) => !existsSync(join(dirname(file), target)))).toEqual([]);
  expect(shipped.map(({ path }) => path).filter((path) => !local.includes(path))).toEqual([]);
});

type Raw = Record<string, unknown>;

/** What a step without a block demands in the middle and at the end. */
const DEFAULT_DEMAND: ProofOfWork = { type: 'comment', comment: { min_length: 10 }, required: true };

const CONSEQUENTIAL =
  /\brm |--clean|\bnpm publish|\bgit push|\bworktree remove|\bnginx -s|\$DATABASE_SERVICE.*--file=migration/;

function proofs(protocol: Shipped): [StepNode, ProofOfWork][] {
  return chainOf(protocol).steps.flatMap((step) => {
    const proof = step.block?.value.proof_of_work;
    return proof === undefined ? [] : [[step, proof] as [StepNode, ProofOfWork]];
  });
}

/** Which entry of walks.json a step needs; a command answers for itself, and without a block only the middle asks. */
function answerKind(step: StepNode, count: number): string | undefined {
  const type = step.block?.value.proof_of_work?.type;
  if (step.block?.value.proposal !== undefined) return `${step.index} proposal`;
  if (type === 'shell') return undefined;
  if (step.block?.value.sampling !== undefined) return `${step.index} sampling`;
  if (type === undefined && (step.index === 1 || step.index === count)) return undefined;
  return `${step.index} ${type ?? 'comment'}`;
}

function demandOf({ block }: StepNode): Demand {
  const { sampling, proof_of_work: proof } = block?.value ?? {};
  return sampling === undefined ? (proof ?? DEFAULT_DEMAND) : { type: 'sampling', sampling, required: true };
}

/** The product's own verdict on an answer of walks.json. */
async function judge(
  step: StepNode,
  demand: Demand,
  { user_input, comment, mcp, sampling }: WalkStep,
  previousComment: string | null,
): Promise<Verdict> {
  const solution = {
    type: demand.type,
    nonce: null,
    proof_hash: null,
    mcp,
    user_input: { confirmation: user_input },
    comment: { text: comment },
    sampling: { result: sampling },
  };
  const facts = { stepText: `${step.label}\n\n${step.body}`, previousComment };
  return validateSolution(demand, solution, facts, await loadProofTools(demand));
}
