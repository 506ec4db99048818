import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import { canonical } from '../../base/canonical.ts';
import type { HandoverNote } from '../../run/handover.ts';

const count = () => z.int().check(z.gte(0));
const noteSchema = z.strictObject({
  format: z.literal('kairos.handover'),
  v: z.literal(1),
  SESSION_ID: z.nullable(z.string()),
  run_id: z.string(),
  chain_uri: z.string(),
  step_index: count(),
  current_challenge: z.nullable(z.record(z.string(), z.json())),
  state: z.strictObject({
    space: z.string(),
    actor: z.string(),
    digest: z.string(),
    step_count: count(),
    passed: count(),
    echo: z.string(),
    proofs: z.strictObject({ claimed: count(), client: count(), observed: count(), attested: count() }),
  }),
  updated_at: z.string(),
  mac: z.string(),
});

export type ReadNote =
  | { kind: 'note'; note: HandoverNote }
  /** It claims to be a handover note, but its MAC or its form is wrong. */
  | { kind: 'edited' }
  | { kind: 'foreign' };

/** A note as JSON for people and programs to read, under a MAC: HMAC-SHA-256 (RFC 2104) over the RFC 8785 text of the rest. */
export function noteToText(note: HandoverNote, key: Uint8Array): string {
  const body = bodyOf(note);
  return textOf({ ...body, mac: macOf(body, key) });
}

/** Reads what `noteToText` wrote. Never throws. */
export function readNoteText(text: string, key: Uint8Array): ReadNote {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'foreign' };
  }
  if ((value as { format?: unknown } | null)?.format !== 'kairos.handover') return { kind: 'foreign' };
  // A duplicate key, for example, is lost in reading, so another reader may understand the note differently.
  if (text !== textOf(value)) return { kind: 'edited' };
  const parsed = noteSchema.safeParse(value);
  if (!parsed.success) return { kind: 'edited' };
  const { mac, ...body } = parsed.data;
  if (!isEqual(mac, macOf(body, key))) return { kind: 'edited' };
  const { step_count: stepCount, ...state } = body.state;
  return {
    kind: 'note',
    note: {
      session: body.SESSION_ID,
      runId: body.run_id,
      chainUri: body.chain_uri,
      stepIndex: body.step_index,
      currentChallenge: body.current_challenge,
      state: { ...state, stepCount },
      updatedAt: body.updated_at,
    },
  };
}

function textOf(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function bodyOf({ session, runId, chainUri, stepIndex, currentChallenge, state, updatedAt }: HandoverNote) {
  const { stepCount, ...rest } = state;
  return {
    format: 'kairos.handover',
    v: 1,
    SESSION_ID: session,
    run_id: runId,
    chain_uri: chainUri,
    step_index: stepIndex,
    current_challenge: currentChallenge,
    state: { ...rest, step_count: stepCount },
    updated_at: updatedAt,
  };
}

function macOf(body: unknown, key: Uint8Array): string {
  return createHmac('sha256', key)
    .update(`kairos.handover.v1\n${canonical(body)}`)
    .digest('hex');
}

function isEqual(left: string, right: string): boolean {
  return left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));
}
