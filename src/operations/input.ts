import * as z from 'zod/mini';
import { KairosError } from '../base/errors.ts';
import type { OperationContext } from '../run/context.ts';

/** Checks an operation's input against its schema; every violation is named with its path. */
export function parseInput<T extends z.ZodMiniType>(schema: T, input: unknown): z.output<T> {
  const result = z.safeParse(schema, input);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => `${path.join('.') || 'input'}: ${message}`);
  throw new KairosError('INVALID_INPUT', problems.join('; '), {
    hint: 'Compare the call with the schema of the operation.',
  });
}

/** Writing operations call this first. */
export function requireWritable(ctx: OperationContext): void {
  if (!ctx.readOnly) return;
  throw new KairosError('READ_ONLY', 'this server was started read-only', {
    hint: 'Restart it without --read-only to let it store protocols.',
  });
}
