import { timeoutText } from '../../protocol/block/fence.ts';
import type { LintRule } from '../rule.ts';
import { insertAfter, isWritten, keyPlaceOf, writtenPath } from './support/written.ts';

const CMD = ['proof_of_work', 'shell', 'cmd'];
/** A shorthand fence up to the word `proof`. */
const OPENING = /^(?:`{3,}|~{3,})[ \t]*\S+[ \t]+\S+/;
const TIMEOUT = ['proof_of_work', 'shell', 'timeout_seconds'];

export const timeoutMissing: LintRule = {
  id: 'timeout-missing',
  family: 'proof',
  severity: 'info',
  summary: 'A command defines how long it may run.',
  why: 'Without timeout_seconds a command is ended after 60 seconds, which breaks a build on a slow day and is far too long for a quick check. An explicit number shows that the author has thought about it.',
  fixable: 'safe',
  check(context) {
    for (const { step: node } of context.steps) {
      const { block } = node;
      if (block === null || block.format === 'line' || block.value.proof_of_work?.type !== 'shell') continue;
      if (isWritten(block, TIMEOUT)) continue;
      const { timeout_seconds } = block.value.proof_of_work.shell;
      if (block.format === 'shorthand') {
        const { offset } = block.place.start;
        const [head] = OPENING.exec(context.source.slice(offset)) ?? [''];
        const at = offset + head.length;
        const timeout = timeoutText(timeout_seconds);
        context.report({
          place: context.place(offset, at),
          reason: `The command has no timeout and is ended after ${timeout}. Write down how long it may run.`,
          fix: { range: [at, at], replacement: ` timeout=${timeout}`, safe: true },
        });
        continue;
      }
      const isFlat = writtenPath(block, CMD).length < CMD.length;
      // A flat block gets its object first.
      const fix = isFlat ? undefined : insertAfter(context, block, CMD, 'timeout_seconds', timeout_seconds);
      context.report({
        place: keyPlaceOf(context, block, CMD),
        reason: `The command has no timeout_seconds and is ended after ${timeout_seconds} s. Write down how long it may run.`,
        ...(fix === undefined ? {} : { fix: { ...fix, safe: true } }),
      });
    }
  },
};
