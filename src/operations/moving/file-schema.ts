import * as z from 'zod/mini';
import type { LedgerEntry, Seal } from '../../ledger/entry.ts';
import type { ChainContent } from '../../protocol/model.ts';
import { inputSchema, stepBlockSchema } from '../../protocol/schema.ts';
import type { MovedRecord } from './record.ts';

/** A text that every store can keep unchanged. */
const storable = () => z.string().check(z.refine((text) => !/[\0\p{Cs}]/u.test(text)));
const hash = () => z.string().check(z.regex(/^[0-9a-f]{64}$/));
const count = () => z.int().check(z.gte(0));
const time = () =>
  z.string().check(
    z.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    z.refine((text) => !Number.isNaN(Date.parse(text))),
  );

const contentSchema = z.strictObject({
  slug: storable(),
  title: z.string(),
  version: z.nullable(z.string()),
  tags: z.array(z.string()),
  inputs: z.optional(z.record(z.string(), inputSchema)),
  description: z.string(),
  triggers: z.nullable(z.string()),
  completion_rule: z.nullable(z.string()),
  steps: z
    .array(z.strictObject({ label: z.string(), body: z.string(), block: z.nullable(stepBlockSchema) }))
    .check(z.minLength(1)),
});

const chainSchema = z.strictObject({
  chain_id: z.string().check(z.regex(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)),
  space: storable(),
  head: z.nullable(z.int().check(z.gte(1))),
  revisions: z
    .array(
      z.strictObject({
        number: count(),
        digest: hash(),
        content: contentSchema,
        author: storable(),
        llm_model_id: z.nullable(storable()),
        created_at: time(),
        weakened: z.nullable(storable()),
      }),
    )
    .check(z.minLength(1)),
  quality: z.array(z.strictObject({ digest: hash(), runs: count(), successes: count(), bonus: z.number() })),
});

/** `verifyEntries` checks entries and seal as a ledger. */
const runSchema = z.strictObject({
  run_id: storable().check(z.minLength(1)),
  store_seq: z.int().check(z.gte(1)),
  entries: z.array(z.looseObject({})).check(z.minLength(1)),
  seal: z.nullable(z.looseObject({})),
});

const chainLine = z.strictObject({ chain: chainSchema });
const runLine = z.strictObject({ run: runSchema });

/** A value of a file as a record, or the place of its fault (a path, without quoting anything). */
export function toRecord(value: unknown): MovedRecord | { fault: string } {
  const parsed = (isObject(value) && 'run' in value ? runLine : chainLine).safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return {
      fault: `is not a record of a chain or run: its ${issue?.path.map(String).join('.') || 'keys'} cannot be used`,
    };
  }
  // As written and hashed, because parsing adds defaults.
  const line = value as z.input<typeof chainLine> | z.input<typeof runLine>;
  if ('run' in line) {
    const { run_id, store_seq, entries, seal } = line.run;
    return {
      kind: 'run',
      run: {
        runId: run_id,
        storeSeq: store_seq,
        entries: entries as unknown as LedgerEntry[],
        seal: seal as Seal | null,
      },
    };
  }
  const { chain_id, space, head, revisions, quality } = line.chain;
  return {
    kind: 'chain',
    chain: {
      chainId: chain_id,
      space,
      head,
      revisions: revisions.map(({ llm_model_id, created_at, content, ...rest }) => ({
        ...rest,
        content: content as ChainContent,
        chainId: chain_id,
        space,
        llmModelId: llm_model_id,
        createdAt: created_at,
      })),
      quality,
    },
  };
}

function isObject(value: unknown): value is object {
  return value !== null && typeof value === 'object';
}
