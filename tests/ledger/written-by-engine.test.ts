import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { LedgerEntry } from '../../src/ledger/entry.ts';
import { makeSeal } from '../../src/ledger/seal.ts';
import { verifyEntries } from '../../src/ledger/verify.ts';
import { loadTools } from '../../src/proof/tools.ts';
import { digest } from '../../src/protocol/identity.ts';
import type { ChainContent } from '../../src/protocol/model.ts';
import { type StepBlock, stepBlockSchema } from '../../src/protocol/schema.ts';
import { decideAttest, decideBegin, decideResume, decideSkip } from '../../src/run/decide/attest.ts';
import { type Decision, DecisionBuilder } from '../../src/run/decide/draft.ts';
import { decideNext } from '../../src/run/decide/solve.ts';
import { replay } from '../../src/run/evolve.ts';
import { pendingStation } from '../../src/run/state.ts';
import { KEY, RUN_ID, TRUSTED } from './support.ts';

const tools = await loadTools({ patterns: true, schemas: true });

const BLOCKS: (StepBlock | null)[] = [
  null,
  ...[
    { proof_of_work: { type: 'shell', shell: { cmd: 'true' } } },
    { proof_of_work: { type: 'user_input', user_input: { prompt: 'Go on?' } } },
    { proof_of_work: { type: 'comment', comment: { min_length: 10 }, required: false } },
    { proof_of_work: { type: 'mcp', mcp: { tool_name: 'ping' } } },
  ].map((block) => stepBlockSchema.parse(block)),
];
const GOOD: Record<string, object> = {
  shell: { exit_code: 0, stdout: 'fine', duration_seconds: 0.25 },
  user_input: { confirmation: 'Yes, go on' },
  comment: { text: 'Looked at the three reports and filed a bug.\x7f' },
  mcp: { tool_name: 'ping', result: { at: 1.5, name: 'a\x7fb' }, success: true },
};
const BAD: Record<string, object> = {
  shell: { exit_code: 1 },
  user_input: { confirmation: 'rejected' },
  comment: { text: 'ok ok ok ok ok' },
  mcp: { tool_name: 'pong', result: null, success: true },
};

type Move = 'good' | 'bad' | 'unbound' | 'nothing' | 'skip' | 'resume' | 'attest';
const move = fc.constantFrom<Move>(
  'good',
  'good',
  'good',
  'bad',
  'unbound',
  'nothing',
  'skip',
  'resume',
  'attest',
);
const assurance = fc.constantFrom('claimed' as const, 'client' as const, 'observed' as const);

test('the ledger of any run has no fault, open or sealed', () => {
  const blocks = fc.array(fc.constantFrom(...BLOCKS), { minLength: 1, maxLength: 4 });
  const moves = fc.array(fc.tuple(move, assurance), { maxLength: 14 });
  fc.assert(
    fc.property(blocks, moves, fc.boolean(), (steps, path, success) => {
      const content = chainOf(steps);
      const walk = begin(content);
      for (const [kind, worth] of path) step(walk, content, kind, worth);
      expect(verifyEntries(walk.entries, null, TRUSTED)).toMatchObject({
        status: walk.sealed ? 'broken' : 'unsealed',
        findings: walk.sealed ? [{ code: 'seal-missing' }] : [],
      });
      if (!walk.sealed) step(walk, content, 'attest', 'claimed', success ? 'success' : 'failure');
      if (!walk.sealed) step(walk, content, 'attest', 'claimed', 'failure');
      const seal = makeSeal(RUN_ID, walk.entries.at(-1)?.hash ?? '', walk.entries.length, KEY);
      expect(verifyEntries(walk.entries, seal, TRUSTED)).toMatchObject({ status: 'whole', findings: [] });
    }),
    { numRuns: 300 },
  );
});

interface Walk {
  entries: LedgerEntry[];
  last: Decision;
  sealed: boolean;
  time: number;
}

function begin(content: ChainContent): Walk {
  const begun = {
    chain_id: '00000000-0000-5000-8000-000000000001',
    slug: content.slug,
    title: content.title,
    digest: digest(content),
    space: 'personal',
    step_count: content.steps.length,
    actor: 'ada',
    face: 'cli',
    session: null,
    tool_version: '0',
    policy_digest: null,
    policy_origin: null,
    host: null,
    workdir: null,
    roots: [],
    store: null,
    trusted: true,
    store_seq: 1,
    previous_head: null,
  };
  const last = decideBegin(RUN_ID, content, begun, envAt(0));
  return { entries: [...last.entries], last, sealed: false, time: 0 };
}

function step(
  walk: Walk,
  content: ChainContent,
  kind: Move,
  worth: 'claimed' | 'client' | 'observed',
  outcome: 'success' | 'failure' = 'success',
): void {
  if (walk.sealed) return;
  walk.time += 1;
  const draft = new DecisionBuilder(replay(content, walk.entries), envAt(walk.time));
  const pending = pendingStation(draft.state);
  const type = pending === null || pending.kind === 'none' ? 'comment' : pending.demand.type;
  const bound = { type, nonce: walk.last.nonce, proof_hash: draft.state.echo };
  const submit = (raw: object) => decideNext(draft, pending?.step ?? null, { raw, assurance: worth });
  const decide: Record<Move, () => Decision> = {
    good: () => submit({ ...bound, [type]: withTime(GOOD[type], walk.time) }),
    bad: () => submit({ ...bound, [type]: BAD[type] }),
    unbound: () => submit({ type, [type]: GOOD[type] }),
    nothing: () => decideNext(draft, pending?.step ?? null, null),
    skip: () => decideSkip(draft, 'nobody needs it today'),
    resume: () => decideResume(draft, { by: 'bob', face: 'cli', session: null }),
    attest: () =>
      decideAttest(draft, {
        uri: 'kairos://mem/00000000-0000-5000-8000-000000000001',
        outcome,
        message: 'Went through it all and wrote down what came of it.',
        qualityBonus: 0.5,
        llmModelId: null,
        submission: null,
        assurance: worth,
      }),
  };
  walk.last = decide[kind]();
  walk.entries.push(...walk.last.entries);
  walk.sealed = walk.last.state.sealed !== null;
}

/** No two comments of a run may be alike. */
function withTime(payload: object | undefined, time: number): object {
  return payload !== undefined && 'text' in payload
    ? { text: `${time}: ${String(payload.text)} ${'x'.repeat(time)}` }
    : { ...payload };
}

function chainOf(blocks: (StepBlock | null)[]): ChainContent {
  const steps = blocks.map((block, index) => ({ label: `Step ${index + 1}`, body: 'Do this.', block }));
  return {
    slug: 'walk',
    title: 'Walk',
    version: null,
    tags: [],
    description: '',
    triggers: null,
    completion_rule: null,
    steps,
  };
}

let seed = 0;
function envAt(time: number) {
  const random = (size: number) => {
    seed += 1;
    return Uint8Array.from({ length: size }, (_, index) => (seed >> (8 * (index % 4))) & 0xff);
  };
  return { now: Date.UTC(2026, 0, 2) + time * 1000, random, tools };
}
