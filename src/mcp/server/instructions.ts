/** What a client tells its model about this server; at most 2 KB. */
export function instructions({ readOnly, execute }: { readOnly: boolean; execute: boolean }): string {
  return [
    'kairos keeps protocols: procedures whose steps demand a proof of work. Walk one like this:',
    '',
    '1. kairos_search with the task. Follow the next_action of one choice.',
    '2. kairos_begin with the uri of that choice. It answers the first step (current_step) and a run_id.',
    '3. kairos_next for every step: do what current_step says, then hand in a solution that matches challenge.',
    '4. kairos_attest when next_action says so: it seals the run.',
    '',
    'Rules:',
    '- Every answer has next_action: the literal next call, with its URI and run_id. Follow it while must_obey is true.',
    '- A solution has the type of challenge, and copies nonce and proof_hash from the newest challenge. Never compute a hash.',
    '- shell: run shell.cmd and report its real exit_code and output. mcp: call the tool and report its result. user_input: hand in {type: "user_input"} alone and the server asks the human if it can; else show the prompt and use only their answer. sampling: call without a solution first, the server asks the model if it can; else answer sampling.prompt. comment: a genuine account, not a filler.',
    '- With error_code set nothing was proven: read message, then retry with the new challenge. After three failures must_obey is false and next_action lists the ways out.',
    '- Never invent a result. If a step cannot be done, say so with kairos_attest and outcome failure.',
    ...(execute
      ? [
          '- This server runs shell steps of trusted protocols itself: where challenge.description says so, call kairos_next without a solution instead of running the command.',
        ]
      : []),
    ...(readOnly ? ['- This server is read-only: protocols can be walked, but not stored or changed.'] : []),
  ].join('\n');
}
