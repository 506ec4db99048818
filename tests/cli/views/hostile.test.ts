import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { commandLine } from '../../../src/base/command-line.ts';
import { escapeForTerminal } from '../../../src/base/escape.ts';
import { chainView } from '../../../src/cli/commands/protocols/show.ts';
import { verificationView } from '../../../src/cli/commands/records/verify.ts';
import { runAnswerView } from '../../../src/cli/commands/walk/answer-walk.ts';
import { nextCommands } from '../../../src/cli/views/next-command.ts';
import { runView } from '../../../src/cli/views/run.ts';
import { trustView } from '../../../src/cli/views/trust.ts';
import { type EntryData, makeEntry } from '../../../src/ledger/entry.ts';
import type { ChainContent } from '../../../src/protocol/model.ts';
import type { StepBlock } from '../../../src/protocol/schema.ts';
import { timeline } from '../../../src/report/timeline.ts';
import { fakeOutput } from '../../support/cli-io.ts';
import { runs } from '../../support/thorough.ts';

/** Each view escapes by itself what it shows; the gate before the terminal is only the second line. */
const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    '\x1b[31mred',
    '\u202egnp',
    'a\u200bb',
    '\x1b]8;;http://x\x07',
    '\u{e0041}',
    '\x9b2J',
    '&#27;[2J',
    'a\rb',
    '\ud800',
  ),
);
const AT = '2026-01-15T12:00:00.000Z';
const RUN = '0b7e1c9c-7f0f-4f57-9a53-0d7e9d2a0001';
const { output } = fakeOutput();

function expectClean(text: string): void {
  expect(escapeForTerminal(text, { keepNewlines: true, keepTabs: true })).toBe(text);
}

/** A chain that says `text` wherever a chain can say something. */
function chainOf(text: string): ChainContent {
  const blocks: (StepBlock | null)[] = [
    null,
    {
      proof_of_work: {
        type: 'shell',
        required: true,
        shell: {
          cmd: text,
          timeout_seconds: 1,
          expect_exit_code: 0,
          workdir: text,
          env: [text],
          stdout_matches: text,
        },
      },
    },
    {
      proof_of_work: {
        type: 'mcp',
        required: true,
        mcp: { tool_name: text, server: text, arguments: { [text]: text }, expected_result: text },
      },
    },
    {
      proof_of_work: {
        type: 'user_input',
        required: false,
        user_input: { prompt: text, choices: [text], pattern: text },
      },
    },
    { proposal: { effects: [text] }, outputs: [{ path: text, matches: text }] },
    {
      sampling: {
        system: text,
        prompt: text,
        temperature: 0,
        top_p: 1,
        max_tokens: 1,
        output_schema: { const: text },
      },
    },
  ];
  return {
    slug: 'slug',
    title: text,
    version: text,
    tags: [text],
    description: text,
    triggers: text,
    completion_rule: text,
    steps: blocks.map((block) => ({ label: text, body: `${text}\n\n- ${text}\n\n\`${text}\``, block })),
  };
}

const check = (view: (text: string) => Promise<string> | string) =>
  fc.assert(
    fc.asyncProperty(nasty, async (text) => expectClean(await view(text))),
    { numRuns: runs(60) },
  );

describe('what a view shows is escaped', () => {
  it('in a chain', async () => {
    const chainId = '11111111-2222-5333-8444-555555555555';
    await check((text) =>
      chainView(
        {
          chainId,
          digest: 'd',
          content: chainOf(text),
          space: text,
          stored: { revision: 1, author: text, createdAt: AT, weakened: text },
          trusted: false,
        },
        output,
      ),
    );
  });

  it('before trust', async () => {
    await check((text) =>
      trustView(
        {
          content: chainOf(text),
          digest: 'd',
          origin: text,
          last: {
            record: { digest: 'e', chainId: '', slug: text, title: text, trustedAt: text, by: text },
            content: chainOf(`${text}!`),
          },
        },
        output,
      ),
    );
  });

  it('in the answer of a run, and in the commands to type', async () => {
    await check((text) => {
      const answer = {
        must_obey: true,
        next_action: `call kairos_next with kairos://mem/11111111-2222-5333-8444-555555555555`,
        run_id: RUN,
        message: text,
        current_step: { uri: 'kairos://mem/x', content: text, mimeType: 'text/markdown' as const },
        challenge: {
          type: 'mcp' as const,
          description: text,
          nonce: 'n',
          proof_hash: 'h',
          mcp: { tool_name: text, arguments: { [text]: text } },
        },
        results: [{ uri: '', outcome: 'success' as const, quality_bonus: 0, message: text, rated_at: AT }],
      };
      const commands = nextCommands(answer, commandLine(['--store', text]));
      return runAnswerView({ answer, step: { label: text, place: '1/2' }, commands }, output);
    });
  });

  it('in a run', async () => {
    await check((text) => {
      const data: EntryData[] = ['shell', 'mcp', 'user_input', 'comment', 'other'].map((type) => ({
        step: 1,
        type,
        actor: text,
        face: text,
        by: text,
        code: text,
        cmd: text,
        cwd: text,
        env: [text],
        reason: text,
        outcome: text,
        message: text,
        signal: text,
        demand: text,
        assurance: text,
        stdout: text,
        [type]: {
          text,
          confirmation: text,
          stdout: text,
          tool_name: text,
          result_json: text,
          exit_code: text,
        },
      }));
      const kinds = [
        'run.begun',
        'step.shown',
        'proof.accepted',
        'proof.rejected',
        'command.started',
        'command.finished',
        'step.skipped',
        'run.sealed',
        'permit.consumed',
      ] as const;
      const entries = kinds.flatMap((kind) =>
        // The texts of a ledger hold no lone surrogates.
        data.map((item) =>
          makeEntry(RUN, null, AT, kind, JSON.parse(JSON.stringify(item).replace(/\\ud[89a-f]../gi, '?'))),
        ),
      );
      const run = {
        runId: RUN,
        storeSeq: 1,
        space: text,
        chainId: '',
        digest: text,
        slug: text,
        title: text,
        actor: text,
        session: text,
        begunAt: text,
        sealedAt: text,
        outcome: null,
        head: '',
        entryCount: 1,
      };
      const inDoubt = { step: 1, attempt: '', cmd: text, startedAt: text };
      const assurance = { claimed: 1, client: 0, observed: 0, attested: 0 };
      return runView(
        {
          run,
          context: {
            place: { host: text, workdir: text, roots: [text] },
            policy: { digest: text, origin: text },
          },
          actorOrigin: 'flag',
          isFull: true,
          actorAccount: text,
          inputs: [[text, text]],
          assurance,
          selfReported: true,
          inDoubt,
          permitInDoubt: {
            permitId: text,
            proposalHash: '',
            station: 0,
            step: 1,
            place: null,
            server: null,
            consumedAt: text,
          },
          rollbackInDoubt: {
            permitId: text,
            proposalHash: '',
            step: 1,
            startedAt: text,
            cmd: text,
            chainRunId: text,
          },
          steps: [],
          items: timeline(entries, [{ labels: [text] }]),
        },
        output,
      );
    });
  });

  it('in a verification', async () => {
    await check((text) =>
      verificationView(
        {
          record: text,
          status: 'broken',
          run_id: text,
          entries: 1,
          head: null,
          sealed_by: null,
          own_key: false,
          findings: [{ code: 'edited', severity: 'error', entry: 1, line: 2, message: text }],
        },
        output,
      ),
    );
  });
});
