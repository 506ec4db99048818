import { expect } from 'vitest';
import { toContent } from '../../src/protocol/identity.ts';
import type { ChainContent, Problem, StepNode } from '../../src/protocol/model.ts';
import { parseProtocol } from '../../src/protocol/parse.ts';
import { describeProblem } from '../../src/protocol/problems.ts';

/** A problem as a line: severity unless it is an error, code, where it begins, and the text that it points at. */
export async function problemsIn(source: string): Promise<string[]> {
  const { messages } = await parseProtocol(source);
  return messages.map((problem) => {
    expectWords(problem);
    const { start, end } = problem.place;
    const severity = problem.severity === 'error' ? '' : `${problem.severity} `;
    const text = source.slice(start.offset, end.offset).replace(/\r\n?|\n/g, '⏎');
    return `${severity}${problem.code} ${start.line}:${start.column} ${text}`.trimEnd();
  });
}

/** Problems with their details instead of their places. */
export async function detailsIn(source: string): Promise<Record<string, unknown>[]> {
  const { messages } = await parseProtocol(source);
  return messages.map(({ code, args }) => ({ code, ...JSON.parse(JSON.stringify(args)) }));
}

/** The only chain of a document without errors. */
export async function contentOf(source: string): Promise<ChainContent> {
  const { document, messages } = await parseProtocol(source);
  expect(messages.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(document.chains).toHaveLength(1);
  return toContent(document.chains[0]!);
}

/** A step of the first chain, by its 1-based index. */
export async function stepOf(source: string, index = 1): Promise<StepNode> {
  const { document } = await parseProtocol(source);
  return document.chains[0]!.steps[index - 1]!;
}

/** A protocol of one step. */
export function oneStep(body: string): string {
  return `# T\n\n## S\n\n${body}\n`;
}

/** Every problem can be told, in whole sentences, without holes. */
export function expectWords(problem: Problem): void {
  const { reason, hint } = describeProblem(problem);
  expect(reason).toMatch(/^.*[.:]$/s);
  expect(`${reason} ${hint}`).not.toMatch(/undefined|NaN|\[object|function/);
}
