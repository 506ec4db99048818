import * as z from 'zod/mini';
import { KairosError } from '../base/errors.ts';
import { describeChallenge } from '../proof/demand.ts';
import { stepUri } from '../protocol/identity.ts';
import { renderChain, renderStep } from '../protocol/render.ts';
import { stationsOf } from '../run/state.ts';
import type { Revision } from '../store/port.ts';
import type { OperationContext } from './context.ts';
import { parseInput } from './input.ts';
import { resolveUri } from './run/locate.ts';

export const dumpInput = z.strictObject({ uri: z.string(), protocol: z._default(z.boolean(), false) });
export const dumpOutput = z.object({
  markdown_doc: z.string(),
  uri: z.string(),
  label: z.string(),
  chain_label: z.string(),
  position: z.optional(z.object({ step_index: z.int(), step_count: z.int() })),
  /** The step's block as it would be shown, without nonce and proof_hash: a run makes them. */
  challenge: z.optional(z.record(z.string(), z.unknown())),
  slug: z.optional(z.string()),
  protocol_version: z.optional(z.string()),
});
export type DumpInput = z.input<typeof dumpInput>;
export type DumpOutput = z.infer<typeof dumpOutput>;

/** `kairos_dump`: a step, or with `protocol` the whole chain, as markdown that mints back to the same digest. */
export async function dump(ctx: OperationContext, raw: DumpInput): Promise<DumpOutput> {
  const input = parseInput(dumpInput, raw);
  const { chainId, index } = await resolveUri(ctx, input.uri);
  const revision = await requireHead(ctx, chainId, input.uri);
  const { content } = revision;
  const common = {
    uri: stepUri(chainId, input.protocol ? 1 : index),
    chain_label: content.title,
    slug: content.slug,
    ...(content.version === null ? {} : { protocol_version: content.version }),
  };
  if (input.protocol) return { markdown_doc: renderChain(content), label: content.title, ...common };
  const step = content.steps[index - 1];
  if (step === undefined) {
    throw new KairosError(
      'NOT_FOUND',
      `step ${index} no longer exists: ${content.slug} has ${content.steps.length} steps now`,
      {
        hint:
          ctx.caller.interface === 'cli'
            ? `Dump the protocol instead: ${ctx.commandLine(['dump', content.slug])}`
            : `Dump the protocol instead: kairos_dump with ${stepUri(chainId, 1)} and protocol true.`,
      },
    );
  }
  const challenge = challengeOf(revision, index);
  return {
    markdown_doc: renderStep(step),
    label: step.label,
    ...common,
    position: { step_index: index, step_count: content.steps.length },
    ...(challenge === null ? {} : { challenge }),
  };
}

/** The live head of a chain, or NOT_FOUND. */
export async function requireHead(ctx: OperationContext, chainId: string, name: string): Promise<Revision> {
  const head = await ctx.store.head(chainId);
  if (head !== null) return head;
  throw new KairosError('NOT_FOUND', `the protocol at ${name} was deleted`, {
    hint: 'Its runs can still be shown and verified.',
  });
}

function challengeOf({ content }: Revision, index: number): Record<string, unknown> | null {
  // For a step with sampling, the demand is its proof; the sampling is listed separately.
  const station = stationsOf(content).findLast(({ step, kind }) => step === index && kind === 'proof');
  if (station === undefined || station.kind !== 'proof') return null;
  const { demand } = station;
  const { proof_of_work: _, ...beside } = content.steps[index - 1]?.block ?? {};
  return { ...demand, ...beside, description: describeChallenge(demand.type) };
}
