import type { Problem, ProblemCode } from '../model.ts';

/** What is wrong and why it matters, and what to write instead; each in whole sentences. */
export interface Words {
  reason: string;
  hint: string;
}

export type Args = Problem['args'];

/** The words of one problem, or how they are made from its details. */
export type Wording = Words | ((args: Args) => Words);

export type Wordings<Code extends ProblemCode> = Record<Code, Wording>;
