import { expect, it } from 'vitest';
import { begin } from '../../src/operations/begin.ts';
import { mint } from '../../src/operations/mint.ts';
import { next } from '../../src/operations/next.ts';
import type { RunFields } from '../../src/run/walk-fields.ts';
import { makeContext } from '../support/context.ts';

const PROTOCOL = `# Deploy with consent

## Confirm deployment

Ask the user to approve deployment. The agent must obtain confirmation and send it in the solution.

\`\`\`json
{"challenge": {"type": "user_input", "user_input": {"prompt": "Approve deployment to production?"}, "required": true}}
\`\`\`

## Show the result

Only reachable after Step 1 is solved. Show the output from Step 1 to the user.
`;

/** The pair of calls that seed 001 tells of: the answer to step 1, sent with the URI of step 2. */
it('accepts the solution of step 1 sent with the URI of step 2, and leads on to attest', async () => {
  const ctx = await makeContext();
  const { items } = await mint(ctx, { markdown_doc: PROTOCOL });
  const [first, second] = items.map(({ uri }) => uri);

  const begun = (await begin(ctx, { uri: first! })) as RunFields;
  expect(begun).toEqual({
    must_obey: true,
    current_step: {
      uri: first,
      content:
        'Ask the user to approve deployment. The agent must obtain confirmation and send it in the solution.',
      mimeType: 'text/markdown',
      // Ours, added.
      position: '1/2',
      label: 'Confirm deployment',
    },
    challenge: {
      type: 'user_input',
      description: expect.any(String),
      user_input: { prompt: 'Approve deployment to production?' },
      proof_hash: 'aeebad4a796fcc2e15dc4c6061b45ed9b373f26adfc798ca7d2d8cc58182718e',
      nonce: expect.stringMatching(/^[0-9a-f]{32}$/),
    },
    next_action: `call kairos_next with ${second} and solution matching challenge; run_id ${begun.run_id}`,
    // Ours, added.
    run_id: expect.any(String),
    protocol_status: 'continue',
    next_step: { uri: second, position: '2/2', label: 'Show the result' },
    message: 'This revision is not trusted on this machine (stored by ada in space default).',
  });

  const answer = await next(ctx, {
    uri: second!,
    solution: {
      type: 'user_input',
      user_input: { confirmation: 'Yes, approved.' },
      nonce: begun.challenge!.nonce,
      proof_hash: 'aeebad4a796fcc2e15dc4c6061b45ed9b373f26adfc798ca7d2d8cc58182718e',
    },
  });
  const entries = await ctx.store.readEntries(begun.run_id!);
  const stored = entries.find(({ kind }) => kind === 'proof.accepted')!.hash;
  expect(answer).toEqual({
    must_obey: true,
    current_step: {
      uri: second,
      content: 'Only reachable after Step 1 is solved. Show the output from Step 1 to the user.',
      mimeType: 'text/markdown',
      // Ours, added.
      position: '2/2',
      label: 'Show the result',
    },
    challenge: {
      type: 'comment',
      description: expect.any(String),
      comment: { min_length: 10 },
      proof_hash: stored,
      nonce: expect.stringMatching(/^[0-9a-f]{32}$/),
    },
    message: 'Protocol steps complete. Call kairos_attest to finalize.',
    next_action: `call kairos_attest with ${second} and outcome (success or failure) and message to complete the protocol; run_id ${begun.run_id}`,
    proof_hash: stored,
    // Ours, added.
    run_id: begun.run_id,
    protocol_status: 'completed',
    next_step: null,
  });
});
