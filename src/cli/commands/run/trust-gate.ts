import { isTrusted, needsTrust, type OperationContext } from '../../../operations/context.ts';
import { grant, trustCaseOf } from '../../../operations/trust.ts';
import type { Revision } from '../../../store/port.ts';
import type { Call } from '../../command.ts';
import type { Prompter } from '../../terminal/prompter.ts';
import { describeQuestion, type QuestionData } from '../../terminal/question.ts';
import { TRUST_QUESTION, trustView } from '../../views/trust.ts';
import { RUN_EXIT, STOPS, type Stop, stop } from './session.ts';

/** How trust came about; null: nothing of the protocol runs here, so none is needed. */
export type TrustGiven = { how: 'stored' | 'flag' | 'asked' } | null;

/** Returns the trust question as data, with the flag that answers it without a terminal. */
export function trustDemand({ digest }: Revision): QuestionData {
  return describeQuestion({
    kind: 'confirm',
    ...TRUST_QUESTION,
    message: `${TRUST_QUESTION.message} After reading it: --trust ${digest}`,
  });
}

/** `--trust` gave digests, and none is that of the content: it may have changed since it was read. */
export function noteOtherDigest(
  { options, output }: Call<unknown[], { trust?: string[] }>,
  { digest }: Revision,
): void {
  if (options.trust === undefined || output.json) return;
  output.note(`--trust names another digest: ${options.trust.join(', ')}. This content has ${digest}.`);
}

/**
 * Commands run only after trust (SPEC 8). Stored trust, or the digest repeated by `--trust` for this run alone, else a
 * person who has been shown everything. Nothing in a project, and not `--yes`, gives it.
 */
export async function requireTrust(
  ctx: OperationContext,
  call: Call<unknown[], { trust?: string[] }>,
  prompter: Prompter,
  { revision, kept, origin }: { revision: Revision; kept: boolean; origin: string },
): Promise<TrustGiven | Stop> {
  if (!needsTrust(revision)) return null;
  if (await isTrusted(ctx, revision)) return { how: 'stored' };
  if (call.options.trust?.includes(revision.digest)) return { how: 'flag' };
  noteOtherDigest(call, revision);
  const { output } = call;
  const candidate = { revision: { ...revision, listed: false }, origin, kept };
  if (!output.json) {
    const place = { workdir: ctx.place?.workdir, env: call.io.env };
    output.print(await trustView(await trustCaseOf(ctx, candidate), output, place));
  }
  const answer = await prompter.confirm(TRUST_QUESTION);
  switch (answer.kind) {
    case 'answer':
      break;
    case 'interrupt':
      return answer.exitCode === null ? STOPS.aborted() : STOPS.signal(answer.exitCode);
    default:
      return stop(
        RUN_EXIT.inputNeeded,
        `This content is not trusted here. After reading it: --trust ${revision.digest}`,
        [trustDemand(revision)],
      );
  }
  if (!answer.value) return STOPS.aborted();
  // A piped yes was given without seeing what is shown only now.
  if (answer.assurance !== 'client') {
    return stop(
      RUN_EXIT.inputNeeded,
      `Trust is given by hand, or by its digest: --trust ${revision.digest}`,
      [trustDemand(revision)],
    );
  }
  await grant(ctx, candidate);
  return { how: 'asked' };
}
