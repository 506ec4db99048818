import { KairosError } from '../../../base/errors.ts';
import type { OperationContext } from '../../../operations/context.ts';
import type { TrustRecord } from '../../../run/ports.ts';
import { readChains } from '../../chain-source.ts';
import type { Call } from '../../command.ts';
import { withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { readTarget, revisionOf } from '../../target.ts';
import { withPrompter } from '../../terminal/with-prompter.ts';
import { type Candidate, grant, subjectOf } from '../../trust-subject.ts';
import { trustView } from '../../views/trust.ts';
import { trustObject } from './list.ts';
import type { TrustOptions } from './options.ts';

type TrustCall = Call<[string | undefined], TrustOptions>;

/**
 * Shows what would be trusted and asks. Without a terminal the caller repeats the digest, so that nothing is
 * trusted unseen or after a change. With `--json`: `{trusted[]}`.
 */
export function grantTrust(call: TrustCall, target: string): Promise<number> {
  return withContext(call, {}, async (ctx) => {
    const candidates = await candidatesOf(ctx, call, target);
    const wanted = call.options.digest;
    if (wanted !== undefined) requireAll(wanted, candidates, target);
    const records: TrustRecord[] = [];
    for (const candidate of candidates) {
      const { digest } = candidate.revision;
      if (wanted !== undefined && !wanted.includes(digest)) continue;
      const { output } = call;
      if (!output.json) output.print(await trustView(await subjectOf(ctx, candidate), output));
      const known = await ctx.trust.get(digest);
      const code = wanted === undefined && known === null ? await ask(call, digest) : EXIT.ok;
      if (code !== EXIT.ok) return code;
      records.push(known ?? (await grant(ctx, candidate)));
      if (!output.json) output.print(`\n${known === null ? 'trusted' : 'already trusted'}  ${digest}`);
    }
    if (call.output.json) call.output.object({ trusted: records.map(trustObject) });
    return EXIT.ok;
  });
}

async function candidatesOf(ctx: OperationContext, { io }: TrustCall, text: string): Promise<Candidate[]> {
  const target = readTarget(text);
  if (target.kind !== 'file') {
    const revision = await revisionOf(ctx, target);
    const { author, space, number } = revision;
    const origin = `revision ${number} by ${author} in space ${space}`;
    return [{ revision: { ...revision, listed: true }, origin, kept: true }];
  }
  const { space, actor } = ctx.caller;
  const { chains } = await readChains(target.path, space, io);
  const createdAt = new Date(ctx.clock()).toISOString();
  return chains.map((chain) => ({
    revision: { ...chain, space, author: actor, llmModelId: null, createdAt, weakened: null, listed: false },
    origin: target.path,
    kept: false,
  }));
}

function requireAll(wanted: readonly string[], candidates: readonly Candidate[], target: string): void {
  const found = candidates.map(({ revision }) => revision.digest);
  const missing = wanted.find((digest) => !found.includes(digest));
  if (missing === undefined) return;
  throw new KairosError(
    'INVALID_INPUT',
    `${JSON.stringify(target)} does not have the digest ${JSON.stringify(missing)}; it has ${found.join(', ')}`,
    { hint: 'It may have changed since you saw it. Check it again: kairos trust without --digest.' },
  );
}

async function ask(call: TrustCall, digest: string): Promise<number> {
  const { output } = call;
  return withPrompter(call, {}, async (prompter) => {
    if (!prompter.interactive || output.json) throw notAsked(digest);
    const answer = await prompter.confirm({
      name: 'trust',
      message: 'Allow this content to run on this machine as you?',
      default: false,
      byHand: true,
    });
    if (answer.kind === 'interrupt') return answer.exitCode ?? INTERRUPTED;
    if (answer.kind === 'answer' && answer.value) return EXIT.ok;
    output.note('Nothing was trusted.');
    return EXIT.failed;
  });
}

/** 128 + SIGINT. */
const INTERRUPTED = 130;

function notAsked(digest: string): KairosError {
  return new KairosError('USAGE', 'trust needs a confirmation, but no terminal is available', {
    hint: `Read the content, then repeat its digest: --digest ${digest}`,
  });
}
