import { canonical } from '../base/canonical.ts';
import { KairosError } from '../base/errors.ts';
import { type Demand as Asked, meets } from '../proof/demand.ts';
import type { ChainContent } from '../protocol/model.ts';
import type { StepBlock } from '../protocol/schema.ts';
import { type Station, stationsOf } from '../run/state.ts';
import type { ChainStore, Revision } from '../store/port.ts';
import type { OperationContext } from './context.ts';

/**
 * How new content demands less than the old, in fixed words; null if it doesn't. Every old demand must exist
 * in the new content, the same or stricter, in the same order. A demand that can't be shown to be as strict
 * counts as looser.
 */
export function loosened(before: ChainContent, after: ChainContent): string | null {
  const kept = demands(after);
  let from = 0;
  for (const { step, demand, block } of demands(before)) {
    const at = kept.findIndex((other, index) => index >= from && isAsStrict({ demand, block }, other));
    if (at === -1) {
      return kept.some((other) => isOtherCommand({ step, demand }, other))
        ? `the command of step ${step} changed; kairos cannot decide whether it proves as much`
        : `the demand of step ${step} was removed or loosened`;
    }
    from = at + 1;
  }
  return null;
}

/** The last content of a chain, live or deleted; null if it was never listed. */
export async function lastListed(store: ChainStore, chainId: string): Promise<Revision | null> {
  return (await store.revisions(chainId)).filter(({ number }) => number > 0).at(-1) ?? null;
}

/**
 * Only a human may loosen a demand: over MCP it needs `serve --allow-weaken`. `deleted`: the number of a
 * deleted chain's last revision, when the new content is compared with it.
 */
export function refuseWeakening(
  ctx: OperationContext,
  weakened: string | null,
  deleted: number | null = null,
): void {
  if (weakened === null || ctx.allowWeaken) return;
  const since =
    deleted === null ? '' : `, compared with revision ${deleted}, the last before the protocol was deleted`;
  throw new KairosError('READ_ONLY', `this change is rejected: ${weakened}${since}`, {
    hint: 'A human can make it on the command line, or start the server with --allow-weaken.',
  });
}

type Demand = Exclude<Station, { kind: 'none' }>;

function demands(content: ChainContent): Demand[] {
  return stationsOf(content).filter((station): station is Demand => station.kind === 'proof');
}

function isAsStrict(
  before: { demand: Asked; block: StepBlock },
  after: { demand: Asked; block: StepBlock },
): boolean {
  return (
    keepsExtras(before.block, after.block) &&
    (after.demand.required || !before.demand.required) &&
    (before.demand.assurance === undefined ||
      (after.demand.assurance !== undefined && meets(after.demand.assurance, before.demand.assurance))) &&
    keepsProof(before.demand, after.demand)
  );
}

/** The same step still demands a command, and only the command differs. */
function isOtherCommand(before: Pick<Demand, 'step' | 'demand'>, after: Demand): boolean {
  if (before.step !== after.step || before.demand.type !== 'shell' || after.demand.type !== 'shell')
    return false;
  const { cmd } = before.demand.shell;
  const withOldCommand = { ...after.demand, shell: { ...after.demand.shell, cmd } };
  return after.demand.shell.cmd !== cmd && same(before.demand, withOldCommand);
}

/** Outputs, sampling and proposal must stay unchanged; more may be added. */
function keepsExtras(before: StepBlock, after: StepBlock): boolean {
  return (['outputs', 'sampling', 'proposal'] as const).every(
    (key) => before[key] === undefined || same(before[key], after[key]),
  );
}

function keepsProof(before: Asked, after: Asked): boolean {
  if (before.type === 'comment' && after.type === 'comment') {
    return after.comment.min_length >= before.comment.min_length;
  }
  // A default comment may become any other proof, because every other type proves more.
  if (before.type === 'comment' && before.comment.min_length <= 10) return true;
  if (before.type !== after.type) return false;
  const type = before.type;
  const old = (before as Record<string, unknown>)[type] as Record<string, unknown>;
  const now = (after as Record<string, unknown>)[type] as Record<string, unknown>;
  return (
    Object.entries(old).every(([key, value]) => same(value, now[key])) &&
    Object.keys(now).every((key) => key in old || TIGHTENING.has(key))
  );
}

/** Keys that can only make a demand stricter when added. */
const TIGHTENING = new Set([
  'stdout_matches',
  'server',
  'arguments',
  'expected_result',
  'result_schema',
  'choices',
  'pattern',
]);

function same(left: unknown, right: unknown): boolean {
  return right !== undefined && canonical(left) === canonical(right);
}
