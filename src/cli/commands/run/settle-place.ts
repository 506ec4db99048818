import { KairosError } from '../../../base/errors.ts';
import type { OperationContext } from '../../../operations/context.ts';
import { isSamePlace, type Place } from '../../../run/place.ts';
import type { CliIo } from '../../io.ts';
import { placeAt, readerOf, realFolder } from '../../output-reader.ts';

/** Flags that say where a run works. */
export interface PlaceOptions {
  workdir?: string;
  root?: string[];
  /** `--here`: go on on this machine and, without `--workdir`, in the current directory. */
  here?: boolean;
}

/** Where a run works now, and where it moves to because a flag says so. */
export interface SettledPlace {
  place: Place & { workdir: string };
  moveTo: Place | null;
}

/** Where a new run works: `--workdir`, else the current directory. Throws FILE_UNREADABLE for a folder that is not there. */
export async function newPlace(
  { cwd }: Pick<CliIo, 'cwd'>,
  host: string,
  { workdir = '.', root = [] }: PlaceOptions,
): Promise<SettledPlace> {
  const place = await placeAt(cwd, host, workdir, root);
  return { place: place as SettledPlace['place'], moveTo: null };
}

/**
 * Where an existing run works: in the place on record, wherever the command is typed. Only `--workdir`, `--root` and `--here`
 * change it. Throws INVALID_INPUT on another machine, FILE_UNREADABLE when the folder is gone; the hint has the command.
 */
export async function settlePlace(
  ctx: OperationContext,
  io: Pick<CliIo, 'cwd'>,
  options: PlaceOptions,
  { runId, recorded, words = ['resume', runId] }: { runId: string; recorded: Place | null; words?: string[] },
): Promise<SettledPlace> {
  const host = ctx.place?.host ?? recorded?.host ?? '';
  const again = (...flags: string[]) => ctx.commandLine([...words, ...flags]);
  if (recorded !== null && recorded.host !== host && options.here !== true)
    throw new KairosError('INVALID_INPUT', `run ${runId} works on ${recorded.host}, and this is ${host}`, {
      hint: `To go on here, in the current directory: ${again('--here')}`,
    });
  const isHere = options.here === true || recorded === null || recorded.workdir === null;
  const named = options.workdir ?? (isHere ? '.' : undefined);
  const given = await placeAt(io.cwd, host, named ?? null, options.root ?? []);
  const workdir =
    given.workdir ??
    (await realFolder(recorded!.workdir!, `Name another with: ${again('--workdir', 'DIR')}`));
  const roots = options.root === undefined ? (recorded?.roots ?? []) : given.roots;
  const names = [...new Set([...(recorded?.names ?? []), ...(given.names ?? [])])];
  const place = { host, workdir, roots, ...(names.length === 0 ? {} : { names }) };
  return { place, moveTo: recorded !== null && isSamePlace(recorded, place) ? null : place };
}

/** The context of a walk in its place: outputs are read there. */
export function inPlace(ctx: OperationContext, { place }: Pick<SettledPlace, 'place'>): OperationContext {
  return { ...ctx, place, outputs: readerOf(place) };
}
