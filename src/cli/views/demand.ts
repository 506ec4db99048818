import { inputText } from '../../operations/run/inputs.ts';
import type { SolutionViolation } from '../../proof/verdict.ts';
import type { ChainContent } from '../../protocol/model.ts';
import type {
  CaptureDefinition,
  OutputCheck,
  ProofOfWork,
  SamplingDefinition,
  StepBlock,
} from '../../protocol/schema.ts';
import { type Station, stationsOf } from '../../run/state.ts';
import type { Challenge, RunFields } from '../../run/walk-fields.ts';
import { MESSAGES } from '../../run/wording.ts';

/** What a step demands, by type, from a challenge or a step block. */
export type ShownDemand = Pick<Challenge, 'type'> &
  Partial<Omit<Challenge, 'type' | 'nonce' | 'proof_hash' | 'description'>> & {
    required?: boolean;
    captures?: CaptureDefinition[];
  };

type Row = readonly [key: string, value: string];
type Definition<T extends ProofOfWork['type']> = Extract<ProofOfWork, Record<T, unknown>>[T];

const TITLES: Record<ShownDemand['type'], string> = {
  shell: 'a command',
  mcp: 'a tool call',
  user_input: 'an answer',
  comment: 'a comment',
  sampling: "a model's answer",
  proposal: 'an approved proposal',
};

/** A demand as rows of key and value for people. Raw texts: the caller escapes them. */
export function demandRows(demand: ShownDemand): Row[] {
  return [
    ['demands', `${TITLES[demand.type]}${demand.required === false ? ' (optional)' : ''}`],
    ...typeRows(demand),
    ...(demand.sampling === undefined || demand.type === 'sampling'
      ? []
      : [['asks first', TITLES.sampling] as const, ...samplingRows(demand.sampling)]),
    ...(demand.proposal === undefined ? [] : [['proposal', jsonOf(demand.proposal) as string] as const]),
    ...Object.entries(demand.environment ?? {}).map(([name, value]) => ['with', `${name}=${value}`] as const),
    ...(demand.assurance === undefined ? [] : [['assurance', `${demand.assurance} or better`] as const]),
    ...(demand.outputs ?? []).map((output) => ['output', outputText(output)] as const),
    ...(demand.captures ?? []).map((capture) => ['captures', captureText(capture)] as const),
  ];
}

function typeRows(demand: ShownDemand): Row[] {
  switch (demand.type) {
    case 'shell':
      return demand.shell === undefined ? [] : shellRows(demand.shell);
    case 'mcp':
      return demand.mcp === undefined ? [] : mcpRows(demand.mcp);
    case 'user_input':
      return demand.user_input === undefined ? [] : userInputRows(demand.user_input);
    case 'comment':
      return [['length', `at least ${demand.comment?.min_length ?? 10} characters`]];
    case 'sampling':
      return demand.sampling === undefined ? [] : samplingRows(demand.sampling);
    case 'proposal':
      return [];
  }
}

function shellRows(shell: Definition<'shell'>): Row[] {
  return present([
    ['command', shell.cmd],
    ['interpreter', shell.interpreter],
    ['timeout', `${shell.timeout_seconds} s`],
    ['directory', shell.workdir],
    ['environment', shell.env?.join(', ')],
    ['exit code', shell.expect_exit_code === 0 ? undefined : String(shell.expect_exit_code)],
    ['output matches', shell.stdout_matches],
    ['terminal', shell.interactive ? 'the command gets' : undefined],
  ]);
}

function mcpRows(mcp: Definition<'mcp'>): Row[] {
  return present([
    ['tool', mcp.tool_name],
    ['server', mcp.server],
    ['arguments', jsonOf(mcp.arguments)],
    ['result', jsonOf(mcp.expected_result)],
    ['result schema', jsonOf(mcp.result_schema)],
  ]);
}

function userInputRows(input: Definition<'user_input'>): Row[] {
  return present([
    ['question', input.prompt],
    ['one of', input.choices?.map((choice) => JSON.stringify(choice)).join(', ')],
    ['matches', input.pattern],
  ]);
}

function samplingRows({ system, prompt, output_schema }: SamplingDefinition): Row[] {
  return present([
    ['system', system],
    ['prompt', prompt],
    ['answer schema', jsonOf(output_schema)],
  ]);
}

function captureText({ name, from, pattern, json_pointer, secret }: CaptureDefinition): string {
  const part = pattern ?? json_pointer;
  return `${name} from ${from}${part === undefined ? '' : `, ${part}`}${secret === true ? ', secret' : ''}`;
}

/** The inputs of a protocol as rows of name and description. Raw texts: the caller escapes them. */
export function inputRows({ inputs = {} }: Pick<ChainContent, 'inputs'>): Row[] {
  return Object.entries(inputs).map(([name, input]) => [name, inputText(input)]);
}

function outputText({ path, ...checks }: OutputCheck): string {
  const said = Object.entries(checks).map(([key, value]) => `${key} ${JSON.stringify(value)}`);
  return [path, ...said].join(', ');
}

function jsonOf(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value, null, 2);
}

function present(rows: [key: string, value: string | undefined][]): Row[] {
  return rows.filter((row): row is [string, string] => row[1] !== undefined);
}

/**
 * The demand of each step of a chain, by 0-based index; null for no demand. A sampling demand is listed with
 * the proof of the step. The closing comment of a last step without a block counts as that step's demand.
 */
export function demandsOf(content: Pick<ChainContent, 'steps'>): (ShownDemand | null)[] {
  const stations = stationsOf(content);
  return content.steps.map(({ block }, at) => {
    const own = stations.filter(({ step }) => step === at + 1);
    const asking = own.findLast(isProof) ?? own.find(isClosing);
    return asking === undefined ? null : demandOf(asking, block);
  });
}

type Asking = Exclude<Station, { kind: 'none' }>;

function isProof(station: Station): station is Asking {
  return station.kind === 'proof';
}

function isClosing(station: Station): station is Asking {
  return station.kind === 'closing';
}

function demandOf({ demand }: Asking, block: StepBlock | null): ShownDemand {
  const { proof_of_work: _, ...beside } = block ?? {};
  return { ...demand, ...beside };
}

/** Places that a schema rejects, one a line. Raw texts: the caller escapes them. */
export function violationLines(violations: readonly SolutionViolation[] = []): string[] {
  return violations.map(({ pointer, keyword }) => `${pointer === '' ? '(everything)' : pointer}  ${keyword}`);
}

/** Messages about the calls of an agent, and what a person reads instead. */
const IN_PERSON_WORDS: ReadonlyMap<string, string> = new Map([
  [MESSAGES.complete, 'Every step is done. The run still has to be closed.'],
  [MESSAGES.missingProof, 'This step needs a proof, and none was given.'],
  [
    MESSAGES.outOfOrder,
    'That is neither the step to do now nor the one after it. The step to do now is shown again.',
  ],
  [MESSAGES.nonceMissing, 'The solution has no nonce. The command below contains one.'],
  [MESSAGES.nonceUnknown, 'The solution was made for another step or run. The command below fits this one.'],
  [MESSAGES.nonceSpent, 'The solution was submitted before. The command below is for another try.'],
  [MESSAGES.nonceExpired, 'The solution is for a step that was shown more than 24 hours ago.'],
  [MESSAGES.proofHash, 'The proof_hash of the solution is wrong. The command below contains the right one.'],
  [MESSAGES.ambiguousRun, 'Several of your runs fit. Name one of them with --run.'],
  [MESSAGES.proposalDenied, 'The proposal is denied.'],
  [MESSAGES.noProposalHere, 'The step to do now accepts no proposal. It is shown again.'],
  [MESSAGES.conflict, 'Another session has continued this run. Its present step is shown.'],
  [MESSAGES.conflictSpent, 'Another session has continued this run. Its present step is shown.'],
  [MESSAGES.conflictRebased, 'The protocol of this run was corrected. The step to do now is shown again.'],
  [' Ask the user for what you do not know.', ''],
  [' The user decides, and can do that with: ', ' To do that: '],
  [
    ' Ask the user to reverse it by hand or with another protocol.',
    ' Reverse it by hand or with another protocol.',
  ],
  [' Ask the user; nothing', ' Find out how it ended; nothing'],
  [': inform the user.', ': find out how it ended.'],
  [
    '; it may still be running. kairos does not repeat it: ask the user for its result, and submit that.',
    ', so it may still be running. kairos does not run it again: find out how it ended.',
  ],
]);

const TO_DO: Record<ShownDemand['type'], string> = {
  shell: 'Run the command, then enter its exit code.',
  mcp: 'Call the tool, then enter what it returned.',
  user_input: 'Answer the question.',
  comment: 'Write down in your own words what was done.',
  sampling: 'Answer the prompt.',
  proposal: 'Submit a proposal, and wait until it is allowed.',
};

/** The description of a challenge in a person's words. Its first sentence is an instruction for agents, by type. */
export function personDescription({ type, description }: Challenge): string {
  return `${TO_DO[type]}${/(?<=\.) .*$/s.exec(description)?.[0] ?? ''}`;
}

/**
 * The message of an answer in a person's words: the paths of outputs instead of their places in the challenge, and no field
 * names of the agents' calls.
 */
export function personMessage({ message, challenge }: Pick<RunFields, 'message' | 'challenge'>): string {
  return [...IN_PERSON_WORDS]
    .reduce((text, [words, inPersonWords]) => text.replace(words, inPersonWords), message ?? '')
    .replace(/challenge\.outputs\[(\d+)\]\.(\w+)/g, (place, at, check) => {
      const path = challenge?.outputs?.[Number(at)]?.path;
      return path === undefined ? place : `${path} (${check})`;
    })
    .replace('The text of solution.', 'solution.')
    .replace(/solution\.(?:user_input\.confirmation|comment\.text|sampling\.result)/, 'The answer')
    .replace('solution.mcp.arguments', 'The arguments of the call')
    .replace('solution.mcp.result', 'The result of the tool')
    .replace(/challenge\.mcp\.(expected_result|result_schema)/, 'the $1 of the step')
    .replace(/challenge\.mcp\.(arguments|tool_name)/, 'the $1 of the step')
    .replace('challenge.sampling.output_schema', 'the schema')
    .replace(', see violations', '');
}
