import fc from 'fast-check';
import { expect, it } from 'vitest';
import { redactValue } from '../../src/base/json.ts';
import { makeRedactor } from '../../src/host/secrets/redact.ts';
import { attest } from '../../src/operations/attest.ts';
import { begin } from '../../src/operations/begin.ts';
import { mint } from '../../src/operations/mint.ts';
import { next, skipStep } from '../../src/operations/next.ts';
import { propose } from '../../src/operations/propose.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { guardedDocument, SWITCH } from '../gate/support/cli.ts';
import { TOKEN_SAMPLES } from '../host/commands/token-samples.ts';
import { makeContext } from '../support/context.ts';
import { protocolOf, type StepKind } from '../support/protocols.ts';
import { runs } from '../support/thorough.ts';

const redact = (text: string) => text.replaceAll('hush', '***');

it('removes secrets from every text and key of a solution, and leaves what kairos returned itself', () => {
  const solution = {
    nonce: 'hush',
    proof_hash: 'hush',
    sampling: { result: { nonce: 'hush', list: ['a hush', 1, null], hush: { proof_hash: 'hush' } } },
  };
  const clean = {
    nonce: 'hush',
    proof_hash: 'hush',
    sampling: { result: { nonce: '***', list: ['a ***', 1, null], '***': { proof_hash: '***' } } },
  };
  expect(redactValue(solution, redact, true)).toEqual(clean);
  expect(redactValue({ solution: { proof_of_work: solution } }, redact, true)).toEqual({
    solution: { proof_of_work: clean },
  });
  expect(redactValue([solution], redact, true)).toEqual([{ ...clean, nonce: '***', proof_hash: '***' }]);
  expect(redactValue({ nonce: { nonce: 'hush' } }, redact, true)).toEqual({ nonce: { nonce: '***' } });
  expect([redactValue('hush', redact), redactValue(7, redact)]).toEqual(['***', 7]);
});

/** Solutions of a step of each kind with the text in every string field, keys of foreign objects included. */
const SOLUTIONS: Record<string, [StepKind, (text: string) => object]> = {
  stdout: ['shell', (text) => ({ type: 'shell', shell: { exit_code: 0, stdout: `a ${text} b` } })],
  stderr: ['shell', (text) => ({ type: 'shell', shell: { exit_code: 1, stdout: '', stderr: text } })],
  'mcp result': [
    'mcp',
    (text) => ({
      type: 'mcp',
      mcp: { tool_name: 'list_items', arguments: {}, result: { items: [text], [text]: 1 }, success: true },
    }),
  ],
  'mcp arguments': [
    'mcp',
    (text) => ({
      type: 'mcp',
      mcp: { tool_name: text, arguments: { [text]: text }, result: 'fine', success: true },
    }),
  ],
  answer: ['user_input', (text) => ({ type: 'user_input', user_input: { confirmation: text } })],
  timestamp: [
    'user_input',
    (text) => ({ type: 'user_input', user_input: { confirmation: 'Yes, it may.', timestamp: text } }),
  ],
  comment: [
    'comment',
    (text) => ({ type: 'comment', comment: { text: `The parts of ${text} were counted.` } }),
  ],
  sampling: ['sampling', (text) => ({ type: 'sampling', sampling: { result: { parts: 3, [text]: text } } })],
  'another type': ['shell', (text) => ({ type: text, comment: { text } })],
  'an unknown field': [
    'comment',
    (text) => ({ type: 'comment', comment: { text: 'All are there.' }, [text]: text }),
  ],
};

/** A proposal for the step of `guardedDocument` with the text in a field. */
const PROPOSALS: Record<string, (text: string) => object> = {
  proposal_id: (text) => ({ ...SWITCH, proposal_id: text }),
  request_id: (text) => ({ ...SWITCH, request_id: text }),
  'a target': (text) => ({ ...SWITCH, target: { ...SWITCH.target, resource_id: text } }),
  'a parameter': (text) => ({ ...SWITCH, parameters: { [text]: text } }),
  'a precondition': (text) => ({
    ...SWITCH,
    preconditions: [{ field: text, operator: 'eq', value: text, evidence_ref: 'step:1' }],
  }),
  'an unknown field': (text) => ({ ...SWITCH, [text]: text }),
};

/** Everything else that a caller names. */
const ENDS = ['message', 'llm_model_id', 'skip reason', 'workdir', 'store'] as const;

const place = fc.oneof(
  fc.constantFrom(...Object.keys(SOLUTIONS)).map((name) => ({ of: 'solution' as const, name })),
  fc.constantFrom(...Object.keys(PROPOSALS)).map((name) => ({ of: 'proposal' as const, name })),
  fc.constantFrom(...ENDS).map((name) => ({ of: 'end' as const, name })),
);
/** A secret, and the text in which it occurs. */
const planted = fc.oneof(
  fc
    .tuple(fc.stringMatching(/^[A-Za-z0-9"\\/+%é]{16,40}$/), fc.constantFrom('as it is', 'url', 'base64'))
    .map(([secret, form]) => ({
      secret,
      text:
        form === 'url'
          ? encodeURIComponent(secret)
          : form === 'base64'
            ? Buffer.from(secret).toString('base64')
            : secret,
    })),
  fc.constantFrom(...TOKEN_SAMPLES).map(([, token]) => ({ secret: 'not in the environment', text: token })),
);

it('finds no secret in the record or in an answer, wherever a caller put it', async () => {
  await fc.assert(
    fc.asyncProperty(place, planted, async ({ of, name }, { secret, text }) => {
      const redactor = makeRedactor({ DEPLOY_TOKEN: secret });
      const workdir = name === 'workdir' ? `/srv/${text}` : '/srv/site';
      const ctx = await makeContext({
        over: {
          redact: (whole) => redactor.redact(whole),
          place: { host: 'here', workdir, roots: [workdir] },
          storeName: name === 'store' ? `/data/${text}.db` : '/data/kairos.db',
        },
      });
      const kind = of === 'solution' ? SOLUTIONS[name]![0] : 'comment';
      const markdown =
        of === 'proposal'
          ? guardedDocument()
          : name === 'skip reason'
            ? protocolOf(['comment', 'none']).replace(
                '"proof_of_work":{',
                '"proof_of_work":{"required":false,',
              )
            : of === 'end'
              ? protocolOf(['none'])
              : protocolOf([kind, 'none']);
      const { items } = await mint(ctx, { markdown_doc: markdown });
      const { uri } = items[0]!;
      const begun = (await begin(ctx, { uri })) as RunFields;
      const run_id = begun.run_id!;
      const bound = (fields: RunFields) => ({
        nonce: fields.challenge?.nonce,
        proof_hash: fields.challenge?.proof_hash,
      });
      const answers: unknown[] = [begun];
      if (of === 'solution') {
        const solution = { ...SOLUTIONS[name]![1](text), ...bound(begun) };
        answers.push(await next(ctx, { uri, run_id, solution }));
      } else if (of === 'proposal') {
        const looked = { type: 'shell', shell: { exit_code: 0, stdout: '' }, ...bound(begun) };
        await next(ctx, { uri, run_id, solution: looked });
        answers.push(await propose(ctx, { uri: items[1]!.uri, run_id, proposal: PROPOSALS[name]!(text) }));
      } else if (name === 'skip reason') {
        answers.push(await skipStep(ctx, run_id, `Not needed: ${text}`));
      } else {
        await next(ctx, { uri, run_id });
        const message =
          name === 'message' ? `All of ${text} is done.` : 'All of it is done and was looked at.';
        const model = name === 'llm_model_id' ? { llm_model_id: text } : {};
        answers.push(await attest(ctx, { uri, run_id, outcome: 'success', message, ...model }));
      }
      const record = (await ctx.store.readLines(run_id)).join('\n');
      const said = JSON.stringify(answers);
      for (const form of [text, JSON.stringify(text).slice(1, -1)]) {
        expect(record).not.toContain(form);
        expect(said).not.toContain(form);
      }
      await ctx.store.close();
    }),
    { numRuns: runs(150) },
  );
});
