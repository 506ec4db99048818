import type { Challenge, RunFields } from '../../src/run/walk-fields.ts';

/** The three tools as a walker reaches them: in process, or through the real binary. */
export interface Tools {
  begin(input: { uri: string }): Promise<RunFields>;
  next(input: { uri: string; solution?: unknown; run_id?: string }): Promise<RunFields>;
  attest(input: { uri: string; outcome: string; message: string; run_id?: string }): Promise<RunFields>;
  /** Where protocols with gated steps are walked. */
  propose?(input: { uri: string; proposal?: unknown; run_id?: string }): Promise<RunFields>;
}

export interface WalkOptions {
  /** Name the pending step's URI instead of the one that next_action gives. */
  convention: 'as-told' | 'pending';
  /** Solves a challenge; `call` counts the solutions handed in so far, from 0. */
  solve: (challenge: Challenge, call: number) => Record<string, unknown>;
  /** Adds to the draft of a proposal what only the walker knows. Absent: it is handed in as it is. */
  complete?: (draft: Record<string, unknown>) => Record<string, unknown>;
  /** What happens when `next_action` says to ask the user for approval. */
  approve?: (answer: RunFields) => Promise<void>;
}

export interface Walked {
  answers: RunFields[];
  calls: number;
}

const MESSAGE = 'Walked every step of the protocol and saw each one through.';

/**
 * A walker with no wits at all: it reads `next_action`, `challenge` and the hash to echo, and does literally what
 * they say. Throws when there is nothing to do next or when it goes round in circles.
 */
export async function walkLiterally(tools: Tools, firstUri: string, options: WalkOptions): Promise<Walked> {
  const answers: RunFields[] = [await tools.begin({ uri: firstUri })];
  let solutions = 0;
  for (let calls = 1; calls <= 40; calls += 1) {
    const answer = answers.at(-1)!;
    if (answer.next_action === null) return { answers, calls };
    const told = readAction(answer.next_action);
    const uri = options.convention === 'pending' ? (answer.current_step?.uri ?? told.uri) : told.uri;
    if (told.tool === 'kairos_attest') {
      answers.push(await tools.attest({ uri, outcome: 'success', message: MESSAGE, run_id: told.runId }));
    } else if (told.tool === 'kairos_propose') {
      if (tools.propose === undefined)
        throw new Error('a proposal is asked for, and this walker cannot propose');
      const draft = answer.challenge?.proposal_draft;
      if (told.afterApproval) await options.approve?.(answer);
      const proposal =
        told.afterApproval || draft === undefined ? {} : { proposal: options.complete?.(draft) ?? draft };
      answers.push(await tools.propose({ uri, ...proposal, run_id: told.runId }));
    } else if (told.withSolution) {
      const challenge = answer.challenge!;
      const solution = {
        nonce: challenge.nonce,
        proof_hash: challenge.proof_hash,
        ...options.solve(challenge, solutions),
      };
      solutions += 1;
      answers.push(await tools.next({ uri, solution, run_id: told.runId }));
    } else {
      answers.push(await tools.next({ uri, run_id: told.runId }));
    }
  }
  throw new Error(`the walk does not end; last: ${JSON.stringify(answers.at(-1))}`);
}

const ACTION =
  /^(?<approval>ask the user for approval, then )?(?:call|retry) (?<tool>kairos_next|kairos_attest|kairos_propose) with (?<uri>kairos:\/\/mem\/[0-9a-f-]{36})(?<rest>.*?)(?:; run_id (?<run>[0-9a-f-]{36}))?$/;

function readAction(action: string) {
  const groups = ACTION.exec(action)?.groups;
  if (groups === undefined) throw new Error(`nothing to call in: ${action}`);
  return {
    tool: groups.tool!,
    uri: groups.uri!,
    runId: groups.run,
    afterApproval: groups.approval !== undefined,
    withSolution: /solution matching challenge|challenge$/.test(groups.rest!),
  };
}

/** A right answer to any challenge of the test protocols. */
export function rightAnswer(challenge: Challenge, call: number): Record<string, unknown> {
  switch (challenge.type) {
    case 'shell':
      return { type: 'shell', shell: { exit_code: 0, stdout: 'all good\n', duration_seconds: 0.1 } };
    case 'mcp':
      return {
        type: 'mcp',
        mcp: { tool_name: challenge.mcp!.tool_name, result: { fine: true }, success: true },
      };
    case 'user_input':
      return { type: 'user_input', user_input: { confirmation: 'Yes, go ahead.' } };
    case 'sampling':
      return { type: 'sampling', sampling: { result: call % 2 === 0 ? { parts: 3 } : '{"parts": 3}' } };
    default:
      return {
        type: 'comment',
        comment: { text: `Looked at result number ${call} and it holds what it should.` },
      };
  }
}

/** A wrong answer of the right type. */
export function wrongAnswer(challenge: Challenge): Record<string, unknown> {
  switch (challenge.type) {
    case 'shell':
      return { type: 'shell', shell: { exit_code: 3, stderr: 'no' } };
    case 'mcp':
      return { type: 'mcp', mcp: { tool_name: 'another_tool', result: {}, success: true } };
    case 'user_input':
      return { type: 'user_input', user_input: { confirmation: ' ' } };
    case 'sampling':
      return { type: 'sampling', sampling: { result: { parts: 'several' } } };
    default:
      return { type: 'comment', comment: { text: 'ok' } };
  }
}
