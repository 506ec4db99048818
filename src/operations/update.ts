import * as z from 'zod/mini';
import { KairosError } from '../base/errors.ts';
import { EVALUATION_LIMIT_MS } from '../base/json-schema.ts';
import { hiddenIn } from '../protocol/hidden.ts';
import { digest, isReservedChain, toContent } from '../protocol/identity.ts';
import type { ChainContent, StepContent } from '../protocol/model.ts';
import { renderStep } from '../protocol/render.ts';
import type { Revision } from '../store/port.ts';
import { headVectors } from './chain-vectors.ts';
import { type OperationContext, untilFirst } from './context.ts';
import { requireHead } from './dump.ts';
import { requireDocument } from './findings.ts';
import { errorText, parseInput, requireWritable } from './input.ts';
import { resolveUri } from './run/locate.ts';
import { loosened, refuseWeakening } from './weaken.ts';

export const updateInput = z.strictObject({
  uris: z.array(z.string()).check(z.minLength(1)),
  markdown_doc: z.optional(z.array(z.string())),
  updates: z.optional(
    z.strictObject({
      label: z.optional(z.string()),
      text: z.optional(z.string()),
      tags: z.optional(z.array(z.string())),
    }),
  ),
});
export const updateOutput = z.object({
  results: z.array(z.object({ uri: z.string(), status: z.enum(['updated', 'error']), message: z.string() })),
  total_updated: z.int(),
  total_failed: z.int(),
});
export type UpdateInput = z.input<typeof updateInput>;
export type UpdateOutput = z.infer<typeof updateOutput>;

type Updates = NonNullable<UpdateInput['updates']>;
type Done = Pick<UpdateOutput['results'][number], 'status' | 'message'>;

/** `kairos_update`: changes steps or whole chains in place. URIs and slug stay; each change is a new revision. */
export async function update(ctx: OperationContext, raw: UpdateInput): Promise<UpdateOutput> {
  requireWritable(ctx);
  const input = parseInput(updateInput, raw);
  if ((input.markdown_doc === undefined) === (input.updates === undefined)) {
    throw new KairosError('INVALID_INPUT', 'exactly one of markdown_doc and updates is needed', {
      hint: 'markdown_doc contains one text for each URI; updates contains label, text or tags for all of them.',
    });
  }
  if (input.markdown_doc !== undefined && input.markdown_doc.length !== input.uris.length) {
    throw new KairosError(
      'INVALID_INPUT',
      `markdown_doc has ${input.markdown_doc.length} texts for ${input.uris.length} URIs`,
      { hint: 'Give one text for each URI, in the same order.' },
    );
  }
  const results: UpdateOutput['results'] = [];
  for (const [at, uri] of input.uris.entries()) {
    const change = input.markdown_doc?.[at] ?? input.updates!;
    const outcome = await updateOne(ctx, uri, change).then(
      (done) => ({ uri, ...done }),
      (error: unknown) => ({
        uri: ctx.redact(uri),
        status: 'error' as const,
        message: errorText(error, ctx.redact),
      }),
    );
    results.push(outcome);
  }
  const failed = results.filter(({ status }) => status === 'error').length;
  return { results, total_updated: results.length - failed, total_failed: failed };
}

async function updateOne(ctx: OperationContext, uri: string, change: string | Updates): Promise<Done> {
  const { chainId, index } = await resolveUri(ctx, uri);
  if (isReservedChain(chainId)) {
    throw new KairosError('READ_ONLY', 'this protocol is part of kairos and cannot be changed', {
      hint: 'Copy its text into a protocol with another title.',
    });
  }
  const done = await untilFirst(async () => {
    const head = await requireHead(ctx, chainId, uri);
    const content = await changed(head.content, index, change);
    if (digest(content) === head.digest) {
      return { status: 'updated' as const, message: 'Nothing changed: the content is the same.' };
    }
    return keep(ctx, head, content);
  });
  if (done !== null) return done;
  // Not a failure of the store: the other URIs still get their results.
  return {
    status: 'error',
    message:
      'STORE_UNAVAILABLE: other writers change this protocol continuously. Check it with kairos_dump and try again.',
  };
}

async function keep(
  ctx: OperationContext,
  head: Revision,
  content: ChainContent,
): Promise<Done | 'conflict'> {
  const [hidden] = content.tags.flatMap(hiddenIn);
  if (hidden !== undefined) {
    throw new KairosError('PROTOCOL_INVALID', `a tag contains the hidden character ${hidden.codePoint}`, {
      hint: 'Remove it.',
    });
  }
  const weakened = loosened(head.content, content);
  refuseWeakening(ctx, weakened);
  const outcome = await ctx.store.putRevision(
    {
      digest: digest(content),
      chainId: head.chainId,
      space: head.space,
      content,
      author: ctx.caller.actor,
      llmModelId: null,
      createdAt: new Date(ctx.clock()).toISOString(),
      weakened,
      listed: true,
    },
    head.digest,
    await headVectors(ctx, content),
  );
  if (outcome === 'conflict') return outcome;
  const note =
    weakened === null ? '' : ` It loosened a demand (${weakened}); begin and attest will report it.`;
  return {
    status: 'updated',
    message: `Stored as revision ${head.number + 1}. Open runs continue with the revision they began with.${note}`,
  };
}

/** The content after the change, read and checked like any document. */
async function changed(before: ChainContent, index: number, change: string | Updates): Promise<ChainContent> {
  if (typeof change === 'string') {
    const whole = index === 1 ? await wholeChain(before, change) : null;
    return whole ?? replaceStep(before, index, await readStep(change, stepAt(before, index).label));
  }
  let content = before;
  if (change.tags !== undefined) content = { ...content, tags: [...change.tags] };
  if (change.label === undefined && change.text === undefined) return content;
  const step = stepAt(content, index);
  const label = change.label ?? step.label;
  const text = change.text ?? renderStep({ ...step, label }).replace(/^.*\n/, '');
  const read = await readStep(text, label);
  // A text without a block leaves the demand unchanged.
  return replaceStep(content, index, { ...read, block: read.block ?? step.block });
}

/** Null for a text without an H1, which is a step's. */
async function wholeChain(before: ChainContent, text: string): Promise<ChainContent | null> {
  const { parseProtocol } = await import('../protocol/parse.ts');
  const { document } = await parseProtocol(text, { limitMs: EVALUATION_LIMIT_MS });
  if (document.chains.length === 0) return null;
  if (document.chains.length > 1) {
    throw new KairosError(
      'PROTOCOL_INVALID',
      `the text contains ${document.chains.length} chains, but one URI names one`,
      { hint: 'Give the text of one chain.' },
    );
  }
  const read = await requireDocument(text);
  const chain = read.document.chains[0]!;
  const content = toContent(chain);
  if (chain.slugSource === 'frontmatter' && content.slug !== before.slug) {
    throw new KairosError(
      'INVALID_SLUG',
      `an update keeps the slug ${before.slug}; the text has ${content.slug}`,
      { hint: 'Omit the slug, or mint the text as a separate protocol.' },
    );
  }
  return { ...content, slug: before.slug };
}

const STEP_PREFIX = '# Step\n\n';

async function readStep(text: string, label: string): Promise<StepContent> {
  const heading = /^\s*## /.test(text) ? '' : `${renderStep({ label, body: '', block: null }).trimEnd()}\n\n`;
  const { document } = await requireDocument(`${STEP_PREFIX}${heading}${text}`, 'the new text of the step');
  const steps = document.chains.flatMap((chain) => chain.steps);
  const [step] = steps;
  if (step === undefined || steps.length > 1) {
    throw new KairosError(
      'PROTOCOL_INVALID',
      `the text contains ${steps.length} steps, but one URI names one`,
      { hint: 'Name the first step and give a text with an H1 to change the whole protocol.' },
    );
  }
  return { label: step.label, body: step.body, block: step.block?.value ?? null };
}

function stepAt(content: ChainContent, index: number): StepContent {
  const step = content.steps[index - 1];
  if (step !== undefined) return step;
  throw new KairosError(
    'NOT_FOUND',
    `step ${index} no longer exists: ${content.slug} has ${content.steps.length} steps now`,
    { hint: 'Read the protocol again and name one of its steps.' },
  );
}

function replaceStep(content: ChainContent, index: number, step: StepContent): ChainContent {
  return { ...content, steps: content.steps.map((old, at) => (at === index - 1 ? step : old)) };
}
