import type { StepBlock } from '../../src/protocol/schema.ts';

export type StepKind =
  | 'none'
  | 'shell'
  | 'mcp'
  | 'user_input'
  | 'comment'
  /** Asks a model, and nothing else. */
  | 'sampling'
  /** Asks a model, then a person. */
  | 'sampling_then'
  /** Runs a command, after which a file must hold. */
  | 'outputs';
/** The kinds that every sequence of is walked. */
export const STEP_KINDS: StepKind[] = ['none', 'shell', 'mcp', 'user_input', 'comment'];
/** All kinds; their sequences are sampled. */
export const ALL_KINDS: StepKind[] = [...STEP_KINDS, 'sampling', 'sampling_then', 'outputs'];

const SAMPLING = {
  system: 'You count.',
  prompt: 'How many parts are there?',
  output_schema: { type: 'object', required: ['parts'], properties: { parts: { type: 'integer' } } },
};

const BLOCKS: Record<Exclude<StepKind, 'none'>, unknown> = {
  shell: { proof_of_work: { type: 'shell', shell: { cmd: 'make check', timeout_seconds: 30 } } },
  mcp: { proof_of_work: { type: 'mcp', mcp: { tool_name: 'list_items' } } },
  user_input: { proof_of_work: { type: 'user_input', user_input: { prompt: 'May the walk go on?' } } },
  comment: { proof_of_work: { type: 'comment', comment: { min_length: 20 } } },
  outputs: {
    proof_of_work: { type: 'shell', shell: { cmd: 'make report', timeout_seconds: 30 } },
    outputs: [{ path: 'report.txt', matches: 'done' }],
  },
  sampling: { sampling: SAMPLING },
  sampling_then: {
    sampling: SAMPLING,
    proof_of_work: { type: 'user_input', user_input: { prompt: 'Is that the right count?' } },
  },
};

/** A protocol with one step of each given kind, in order. */
export function protocolOf(kinds: readonly StepKind[], title = `Walk ${kinds.join(' ')}`): string {
  const steps = kinds.map((kind, at) =>
    stepOf(`Part ${at + 1} ${kind}`, `Do part ${at + 1}.`, kind === 'none' ? null : BLOCKS[kind]),
  );
  return `# ${title}\n\nFor the tests.\n\n${steps.join('\n')}`;
}

export function stepOf(label: string, body: string, block: unknown): string {
  const fence = block === null ? '' : `\n\`\`\`json\n${JSON.stringify(block)}\n\`\`\`\n`;
  return `## ${label}\n\n${body}\n${fence}`;
}

/** A protocol of one step with this block, and a last step without any. */
export function protocolWith(block: StepBlock | Record<string, unknown>, title = 'One demand'): string {
  return `# ${title}\n\n${stepOf('The demand', 'Meet it.', block)}\n${stepOf('The end', 'Look back.', null)}`;
}

/** Every sequence of the kinds with 1 to `longest` steps. */
export function sequences(longest: number, kinds: readonly StepKind[] = STEP_KINDS): StepKind[][] {
  let level: StepKind[][] = [[]];
  const all: StepKind[][] = [];
  for (let length = 1; length <= longest; length += 1) {
    level = level.flatMap((head) => kinds.map((kind) => [...head, kind]));
    all.push(...level);
  }
  return all;
}

/** Walks that stand for all: the kinds of the steps, and the number of the solution that is wrong (null: none). */
export const WALKS: readonly [kinds: StepKind[], wrong: number | null][] = [
  [['none'], null],
  [['shell'], 0],
  [['comment'], null],
  [['none', 'none'], null],
  [['none', 'shell'], 0],
  [['user_input', 'none'], 0],
  [['mcp', 'comment'], 1],
  [['none', 'none', 'none'], 0],
  [['comment', 'none', 'shell'], 2],
  [['shell', 'user_input', 'comment'], 1],
  [['none', 'mcp', 'none', 'shell'], 1],
  [['user_input', 'shell', 'mcp', 'comment'], 3],
  [['sampling', 'none', 'outputs', 'sampling_then'], 3],
  [['outputs', 'sampling'], 1],
];
