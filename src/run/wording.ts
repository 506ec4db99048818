import { programName } from '../base/command-line.ts';
import type { Uncounted } from '../gate/approval/count.ts';
import type { Assurance } from '../protocol/schema.ts';

/**
 * All text of `next_action` and `message`. Fixed words, URIs, run ids and numbers only: an author's text
 * never gets here, because agents obey these fields (SPEC 2).
 */
export const NEXT = {
  solve: (uri: string) => `call kairos_next with ${uri} and solution matching challenge`,
  advance: (uri: string) => `call kairos_next with ${uri}`,
  attest: (uri: string) =>
    `call kairos_attest with ${uri} and outcome (success or failure) and message to complete the protocol`,
  retry: (uri: string) =>
    `retry kairos_next with ${uri} -- use nonce and proof_hash from THIS response's challenge`,
  retryAttest: (uri: string, lack: string) =>
    `retry kairos_attest with ${uri}, outcome and message -- ${lack}`,
  propose: (at: string) => `call kairos_propose with ${at} and proposal completing challenge.proposal_draft`,
  retryPropose: (uri: string) => `retry kairos_propose with ${uri} -- correct what reasons name`,
  /** The permit exists and its window has not opened. */
  waitForPermit: (uri: string) => `wait until the permit is valid, then call kairos_next with ${uri}`,
  hold: (uri: string) => `ask the user for approval, then call kairos_propose with ${uri}`,
  /** A call without a solution asks for what the server obtains itself. */
  letServer: (uri: string) =>
    `call kairos_next with ${uri} and no solution -- this server runs the command itself`,
  retryLetServer: (uri: string) =>
    `retry kairos_next with ${uri} and no solution -- this server runs the command itself`,
  letModel: (uri: string) =>
    `call kairos_next with ${uri} and no solution -- this server asks the model of the client itself`,
  retryLetModel: (uri: string) =>
    `retry kairos_next with ${uri} and no solution -- this server asks the model of the client itself`,
  retryLetUser: (uri: string) =>
    `retry kairos_next with ${uri} and solution {"type": "user_input"} and nothing else in it -- this server asks the user itself`,
  unmetAssurance: (uri: string, resume: string) =>
    `ask the user to continue this run with ${resume}, or call kairos_attest with ${uri} and outcome failure`,
  untrusted: (uri: string, trust: string, here: string) =>
    `ask the user to read and trust the protocol by ${trust}, then call kairos_next with ${uri} and no solution, or call kairos_attest with ${here} and outcome failure`,
  exhausted: (uri: string) =>
    `Options: (1) call kairos_update with ${uri} to fix the step for future executions (2) call kairos_attest with ${uri} and outcome failure to abort (3) ask the user for help`,
  /** Where the protocol cannot be changed. */
  exhaustedAsIs: (uri: string) =>
    `Options: (1) call kairos_attest with ${uri} and outcome failure to abort (2) ask the user for help`,
  settleDoubt: (action: string) => `ask the user for the result of the command, then ${action}`,
  begin: (uri: string) => `call kairos_begin with ${uri}`,
  giveInputs: (uri: string) => `retry kairos_begin with ${uri} and inputs matching input_schema`,
  chooseRun: (tool: string, uri: string) => `retry ${tool} with ${uri} and run_id <one of candidates>`,
  declined: (uri: string) =>
    `ask the user; only a new answer from them lifts this, or call kairos_attest with ${uri} and outcome failure`,
  /** Where this server asks the user: the literal call that does. */
  declinedHere: (next: string, uri: string) =>
    `call kairos_next with ${next} and solution {"type": "user_input"} and nothing else in it to ask the user again; only a new answer from them lifts this, or call kairos_attest with ${uri} and outcome failure`,
  pickChoice: "Pick one choice and follow that choice's next_action.",
  followChoice: "Follow the choice's next_action.",
} as const;

/** What a hook adds to an agent's context, or returns instead of a held call. */
export const HOLD = {
  held: (what: string, slug: string) => `${oneLine(what)} is held by protocol ${slug}.`,
  'no-run': (uri: string) =>
    `No run of it is open in this session. To do it: ${NEXT.begin(uri)}; in a shell: ${programName()} begin ${uri} --json.`,
  'not-trusted': (slug: string) =>
    `The content of this run is not the one that the user trusts. Ask the user to read it and run: ${programName()} trust ${slug}`,
  'other-step': 'Another step of the run is pending.',
  'not-demanded': 'The pending step does not demand exactly this call.',
  values: (line: string) => `It demands this command, with nothing added: ${line}`,
  'no-permit': 'The pending step waits for its permit: its proposal must be allowed first.',
  'not-attested': 'The run has not succeeded yet.',
  'other-server': (file: string) =>
    `This gateway starts another server than ${file} has under this name. Ask the user to restart the client.`,
  goOn: (action: string) => `Next: ${action}.`,
  missing: (slug: string, place: string) =>
    `No protocol ${slug} is stored here, so the call stays held. Ask the user, who can mint it or remove the hold (${place}).`,
  failed: () =>
    `kairos could not check this call and it may be held, so it was refused. Ask the user to run: ${programName()} doctor`,
  ownFiles: () =>
    `This decides what is held or proven. Only the user does it. See the list with: ${programName()} hold list`,
  asksForTrust: () =>
    `This may ask for trust, which only the user gives. Add --no-input: ${programName()} run --no-input TARGET`,
  stands: (slug: string, begin: string) =>
    `The protocol ${slug} matches this request and must be followed: ${begin}.`,
  openRun: (slug: string, step: number, count: number, action: string) =>
    `A run of protocol ${slug} is open at step ${step} of ${count}. Next: ${action}.`,
  reported: (step: number, action: string) =>
    `kairos has recorded the result of this call for step ${step}. Next: ${action}.`,
  stop: (slug: string, step: number, count: number, action: string) =>
    `The run of protocol ${slug} is not finished: step ${step} of ${count} is pending. Next: ${action}. If it cannot be done, call kairos_attest with outcome failure.`,
} as const;

/** The agent's own command in one line: it knows the text, and obeys no more than it wrote. */
const oneLine = (text: string) => text.replace(/\s+/g, ' ').replace(/^(.{200}).+$/s, '$1…');

/** Once a run exists every `next_action` names it. */
export function withRun(action: string, runId: string): string {
  return `${action}; run_id ${runId}`;
}

export const MESSAGES = {
  complete: 'Protocol steps complete. Call kairos_attest to finalize.',
  missingProof:
    'The pending step asks for a proof and no solution came with the call. Solve the challenge first.',
  outOfOrder:
    'That URI is neither the pending step nor the one after it. The challenge of the pending step is shown again.',
  otherChain: 'That URI does not belong to the protocol of this run.',
  conflict: 'Another writer has changed this run. This is its current state.',
  conflictRebased:
    'The protocol of this run was corrected since that challenge. Read the current step again and answer this challenge.',
  conflictSpent:
    'The nonce has been used for another answer, and the run has moved on. This is its current state.',
  nonceMissing: "The solution carries no nonce. Use the nonce of this response's challenge.",
  nonceUnknown: 'The nonce was not shown for the pending step of this run.',
  nonceSpent: 'The nonce has been used already. Each nonce is good for one attempt.',
  nonceExpired: 'The nonce is older than 24 hours.',
  proofHash:
    'The proof_hash is not the one that the challenge gave. Copy the value of the challenge unchanged.',
  declineStands: 'The user has declined. An answer of lower assurance than the refusal does not lift it.',
  runClosed: 'This run is sealed. Its first result is final.',
  runNotFound: 'No run of yours is known for this URI. Begin one.',
  ambiguousRun: 'The call fits several runs. Name one of the candidates as run_id.',
  notFirstStep: 'A run begins at the first step of its protocol.',
  captureFailed: (name: string) => `The proof contains no value for ${name}, which later steps need.`,
  captureCut: (name: string) =>
    `The output is cut, so ${name} cannot be read from it: it was longer than 8 MiB, or it was cut before it came. Let the command print less, such as only the value.`,
  captureSlow: (name: string) =>
    `The pattern of ${name} is too slow for this output. Let the command print less, or use a simpler pattern.`,
  captureUnfit: (name: string, wanted: string) => `The value of ${name} is unusable. Expected: ${wanted}.`,
  captureRedacted: (name: string) =>
    `The report of this call has a redaction in place of the value of ${name}. Send the result yourself, as solution.`,
  valueMisused: (name: string, step: number, reason: string) =>
    `${name} ${reason}, and step ${step} has {{${name}}} in what it calls or checks. Use "$${name}" in a command, or give another value.`,
  looksSecret: (name: string) =>
    `The value of ${name} looks like a secret, so it is redacted and not recorded, and a resumed run asks for it again. Declare it with secret: true.`,
  secretVariables: (names: readonly string[]) =>
    `The command also needs ${names.join(', ')} in its environment: the values are secret, so they are not shown here.`,
  outputHidden: 'The output is not shown, because a secret is captured from it.',
  secretsMissing: (names: readonly string[], resume: string) =>
    `The values of ${names.join(', ')} are secret and not known to this program. Give them again: ${resume}`,
  inputsNeeded: (names: readonly string[]) =>
    `The protocol needs inputs before its first step: ${names.join(', ')}. Ask the user for what you do not know.`,
  inputsNotObtained:
    'The user was asked for the inputs through this client, which returned no usable answer. Ask them yourself.',
  inputsDeclined:
    'The user declined to give the inputs, so no run has begun. Ask them before you call again.',
  maxRetries: 'The step has failed three times or more.',
  waived: (code: string) => `The optional proof was not given (${code}); the run continues without it.`,
  cannotSkip: 'The proof of this step is required; it cannot be skipped.',
  declined: 'The user has declined this step.',
  noGate: 'This step needs an approved proposal and none can be judged here, so it stays closed.',
  proposalRequired:
    'This step is consequential: its command or tool is shown once a proposal for it is allowed. Nothing may be done before.',
  proposalDenied: 'The proposal is denied, for each of the reasons in the field reasons.',
  deniedBefore: (by: string, reason: string | null) =>
    `The last proposal for this step was denied by ${by}${reason === null ? ', who gave no reason.' : `: ${JSON.stringify(reason)}`} A new one needs its own approvals.`,
  noLongerAllowed:
    'The proposal was allowed and is not any more: time, evidence, approvals, the place or the policy have changed. Its permit was not used.',
  onHold: 'The proposal is on hold until enough people have approved it.',
  permitTooEarly: (from: number) =>
    `The permit is not valid before ${new Date(from).toISOString()}. It needs no further approval: wait until then.`,
  superseded:
    'An earlier proposal for this step is unused and would be allowed now, but a later one replaced it. To use the earlier one, submit it again unchanged.',
  effectExceeded: (most: number, observed: number) =>
    `The step was permitted to affect at most ${most} records and has affected ${observed}. It counts as failed.`,
  permitExpired: 'The permit has expired unused. Propose again.',
  permitInDoubt:
    'A permit for this step was used and its outcome is unknown: it may have been done. To do it again, submit a new proposal.',
  permitOther: 'The solution does not belong to the permit that was used for this step.',
  noProposalHere:
    'The pending step accepts no proposal, or another step is pending. Its challenge is shown again.',
  canRollBack: (rollback: string, step: number) =>
    `What step ${step} may have done can be rolled back. The user decides, and can do that with: ${rollback}`,
  notRolledBack: (step: number) =>
    `What step ${step} may have done was not rolled back, and a sealed run accepts no rollback. Ask the user to reverse it by hand or with another protocol.`,
  rollbackInDoubt:
    'A rollback of this step was begun and its end is not known. Ask the user; nothing of the step is permitted before that is settled.',
  userNotReached:
    'The user could not be asked through this client. Show them the prompt yourself and hand in their reply.',
  userNotAsked:
    'This server does not ask the user through this client. Show them the prompt under user_input yourself and hand in their reply.',
  userUnread:
    'The client answered the question before a person could have read it, so that is not the answer of the user. Show the user the prompt yourself and hand in their reply.',
  answerElsewhere: (answer: string) =>
    `The user can also answer with ${answer}, or on the page that ${programName()} view opens; after that, call kairos_next without a solution.`,
  userSilent:
    'The user did not answer in time. Show them the prompt yourself and hand in their reply once they give one.',
  userAnswerInvalid:
    "The client's answer is not one that the prompt allows. Show the user the prompt yourself and hand in their reply.",
  modelNotReached:
    'The client did not run the model for this step. Answer the prompt under sampling yourself.',
  modelSilent: 'The client did not answer in time. Answer the prompt under sampling yourself.',
  modelNotJson:
    'The output of the model is not JSON, or contains other text, so it was not used. Answer the prompt under sampling yourself.',
  samplingDeclined: 'The user has declined that the model is run for this step.',
  answerRefused: 'The verifier of this server has refused the answer, so nothing was proven.',
  verifierSilent: 'The verifier of this server could not be asked about the answer, so nothing was proven.',
  notHandedOver: 'The handover file could not be updated; the run itself is on record.',
  resumed: 'An open run of yours was resumed.',
  nothingToResume: 'You had no open run to resume, so a new one was begun.',
  inDoubt:
    'A command of this step was started and its end is not known; it may still be running. kairos does not repeat it: ask the user for its result, and submit that.',
  endUnrecorded:
    'A command of this run was started and its end is not on record. A sealed run accepts no more entries: inform the user.',
  /** `code`: as shells count it, so that of a signal it is 128 and its number. */
  endedAfterSeal: (code: number) =>
    `The command of this call has ended with exit code ${code}. The run had been sealed before, so that is not on record.`,
  running:
    'This server is running the command of this step. kairos_next without a solution waits for its end. A call that ends before does not end the command.',
  selfReported: 'Self-reported: every proof of this run is a claim.',
  sealed: (outcome: string) => `Run sealed with outcome ${outcome}.`,
  attestMissing: (step: number, count: number) => `Step ${step} of ${count} is not proven yet.`,
  assuranceTooLow: (need: Assurance, got: Assurance) =>
    `The step asks for a proof of assurance ${need} or better; this one is ${got}.`,
  claimContradicted:
    'The solution disagrees with what was seen of the call. Run the call of the step again, and call kairos_next without a solution.',
  unmetAssurance: (step: number, need: Assurance) =>
    `Step ${step} asks for assurance ${need}, which this interface cannot reach.`,
  resumeByHand: (resume: string) => `A human can continue it (${resume}).`,
  /** Short, because next_action has the call. */
  serverRuns: 'The server runs it. Do not run it yourself.',
  serverAsksModel: 'Do not answer it yourself.',
  missingForServer: 'The pending step is not proven yet, and this server runs its command itself.',
  /** Why the server leaves a command to others. */
  left: {
    untrusted: (trust: string) =>
      `This server does not run the command: its content is not trusted here. A human has to read and trust it (${trust}).`,
    danger: () =>
      `This server does not run the command: it could destroy something. A human has to run it, or run the whole protocol with ${programName()} run.`,
    interactive: () => 'This server does not run the command: it needs a terminal. A human has to run it.',
    inDoubt: () => 'This server does not run the command again: a human has to check its result first.',
    place: () =>
      'This server does not run the command: the working directory of the step does not exist, or the run works in another directory or on another machine than this server.',
  },
  untrustedServer: (name: string, resume: string) =>
    `This server does not call the tool: the MCP server ${oneLine(name)} of this project is not trusted here. A human has to read and trust it (${resume}).`,
  noFolder: (step: number) =>
    `Step ${step} checks files, and this interface has no working directory to read them in.`,
  untrusted: (author: string, space: string) =>
    `This revision is not trusted on this machine (stored by ${author} in space ${space}).`,
  /** For the gate, for every proposal. */
  policyGone: (resume: string) =>
    `The policy of this run no longer exists. A human adopts another with: ${resume} --policy FILE`,
  policyChanged: (resume: string) =>
    `The current policy is not the one of this run. A human adopts it with: ${resume} --policy FILE`,
  otherHost: (resume: string) =>
    `This run works on another machine. A human moves it to this one with: ${resume} --here`,
  moved: ({ host, workdir }: { host: string; workdir: string | null }) =>
    `This run works in ${workdir ?? 'no directory'} on ${host} from now on. Approvals and permits given before do not count here.`,
  judgedBy: (digest: string, origin: string | null) =>
    `From now on this run is judged by the policy ${digest.slice(0, 12)}${origin === null ? '' : ` of ${origin}`}.`,
  rebased: (digest: string) =>
    `This run follows revision ${digest.slice(0, 12)} from now on. Approvals and permits given before do not count.`,
  clockBehind: (newest: string) =>
    `The clock of this machine is behind the record, whose newest entry is of ${newest}. Set the clock right.`,
  clockBehindSeen: (newest: string) =>
    `The clock of this machine is behind ${newest}, which the gate has seen here. Set the clock right. If that time was wrong, remove the files newest-instant in the folders used-permits.`,
  otherSecret: (name: string) =>
    `This program has another value of ${name} than the run began with. Give the value that the run has, or begin a new run.`,
  weakened: (number: number) => `Revision ${number} of this protocol loosened a demand of the one before it.`,
} as const;

/** Why an answer doesn't count, as a part of a sentence. */
export const WHY_UNCOUNTED: Record<Uncounted, string> = {
  revoked: 'the key is revoked',
  'not-hardware': 'the policy requires a hardware key (sk-…)',
  'not-yet-valid': 'the key is not valid yet',
  expired: 'the key has expired',
  'no-policy': 'there is no policy',
  'other-proposal': 'it is about another proposal',
  'other-step': 'it is about another run or step',
  'other-protocol': 'it is about another revision of the protocol',
  'other-policy': 'it was given under another policy',
  unbound: 'its statement has no binding, so it is about no certain command or place',
  moved: 'the run was moved to another directory or machine since',
  'other-place':
    'it is about another command, variable, environment, file, directory, host or value of the evidence',
  'unknown-key': 'the key belongs to no approver of the policy',
  'other-approver': 'the key or account is not that of the approver it names',
  proposer: 'its approver has proposed it',
  'run-out': 'it has expired',
  'no-terminal': 'an answer at a terminal is not enough for it',
  'not-in-quorum': 'its approver is not in the quorum of the policy',
};
