import type { CommandLine } from '../base/command-line.ts';
import type { LoadedPolicy } from '../gate/policy/schema.ts';
import type { SigningKey } from '../ledger/seal.ts';
import type { OutputReader } from '../proof/outputs.ts';
import { isReservedChain } from '../protocol/identity.ts';
import type { Assurance, ProofOfWork, ProofType } from '../protocol/schema.ts';
import type { Notice } from '../run/notices.ts';
import type {
  Clock,
  Handover,
  PermitMarks,
  PolicyRecord,
  RandomBytes,
  RunPlace,
  StepNames,
  TrustStore,
  ValueDigest,
} from '../run/ports.ts';
import { stationsOf } from '../run/state.ts';
import type { Embedders } from '../search/embedding/embedder.ts';
import { isIntactContent, requireIntactContent } from '../store/intact.ts';
import type { Revision, Store } from '../store/port.ts';

type ShellDefinition = Extract<ProofOfWork, { type: 'shell' }>['shell'];
/** Why an interface that runs commands doesn't run this one. */
export type LeftCommand = 'danger' | 'interactive' | 'place';

/** What a run has on record of where it works and what it is judged by. */
export interface RunContext {
  /** Null in ledgers without it. */
  place: RunPlace | null;
  /** Null in ledgers without it. */
  policy: PolicyRecord | null;
}

/** Secret values of runs. They are on no record. */
export interface RunSecrets {
  of(runId: string): Readonly<Record<string, string>>;
  /** `hidden`: values that are not declared secret, so only a whole one is redacted. */
  learn(
    runId: string,
    values: Readonly<Record<string, string>>,
    hidden?: Readonly<Record<string, string>>,
  ): void;
  redactAlso(values: Readonly<Record<string, string>>): (text: string) => string;
}

/** Who calls, and through what. */
export interface Caller {
  /** The name on the record: OS user, bearer identity, or the one that `--actor` or the configuration gives. */
  actor: string;
  /** How the name is known; recorded with each run. */
  actorOrigin?: 'account' | 'sudo' | 'token' | 'flag' | 'config';
  /** OS user or bearer identity: the gate judges this one and ignores the name. Absent: the actor. */
  identity?: string;
  /** Set where calls belong together (an MCP connection, KAIROS_SESSION); null for a lone command-line call. */
  session: string | null;
  space: string;
  interface: 'cli' | 'mcp';
  /** The highest assurance that this interface can reach, by proof type. */
  maximumAssurance: Record<ProofType | 'sampling', Assurance>;
}

/** Who proposes, approves and rolls back: another given name doesn't make another person. */
export function callerIdentity({ actor, identity = actor }: Caller): string {
  return identity;
}

/** Everything an operation may touch. Nothing below the interfaces reads the environment, a clock or a file by itself. */
export interface OperationContext {
  store: Store;
  trust: TrustStore;
  /** Loaded or made when a run is first sealed. */
  sealingKey: () => Promise<SigningKey>;
  clock: Clock;
  random: RandomBytes;
  /** Removes secrets from a text before it is written anywhere. */
  redact: (text: string) => string;
  /** Computes the meaning of a query. Absent: search uses only words. */
  embedders?: Embedders;
  caller: Caller;
  /**
   * Reads the policy on each call. Without `run`: the policy of new runs. With `run`: the policy that this run has on record,
   * unless the caller has chosen another. Null, or absent: no policy applies.
   */
  policy?: (run?: RunContext, roots?: () => Promise<readonly string[]>) => Promise<LoadedPolicy | null>;
  /** `--policy` was given for a run that exists: a policy other than the recorded one is adopted, on record. */
  adoptsPolicy?: boolean;
  /** Where this interface works. Absent: nothing is known of it. */
  place?: RunPlace;
  /** The store's location for the record of a run, without credentials. */
  storeName?: string;
  /** Values of secret inputs and captures by run, in this process alone; learning one redacts it from then on. */
  runSecrets?: RunSecrets;
  /** The key of the digests that the record has of secrets, made on first use. Absent: none are recorded or compared. */
  valueDigest?: () => Promise<ValueDigest>;
  /** Makes the commands that answers name. */
  commandLine: CommandLine;
  /**
   * The client's folders, requested on first use. They can only narrow what is read. Absent or null: the client
   * reports no folders, so they narrow nothing.
   */
  roots?: () => Promise<string[] | null>;
  /** Reads the files that outputs name. Absent: there is no folder to read in, so every output fails. */
  outputs?: OutputReader;
  /** Reads outputs in the place that a run has on record. Absent: only where this interface works. */
  outputsAt?: (place: RunPlace) => OutputReader;
  /** Set if the interface runs commands itself: why it leaves one to people, or null. Absent: the interface runs no commands. */
  leaves?: (shell: ShellDefinition) => Promise<LeftCommand | null>;
  /** Notifies people of what waits for them and how it ended, without waiting. Absent: there are no receivers. */
  notify?: (notice: Notice) => void;
  /** Resolves what the names in a step stand for. Absent: no server is found and no link followed. */
  names?: StepNames;
  /** Absent: the store alone decides whether a permit was used. */
  permitMarks?: PermitMarks;
  /** The note of the run for other sessions and clients. Absent: none is written. */
  handover?: Handover;
  /** Index of the station of a run whose command this program is running. Absent or null: none. */
  running?: (runId: string) => number | null;
  /** `--require-trust`: begin refuses digests that are not trusted here. */
  requireTrust: boolean;
  /** An update may remove or loosen a demand (always on the command line; over MCP only with `--allow-weaken`). */
  allowWeaken: boolean;
  readOnly: boolean;
}

/** Whether a run of this content makes kairos run anything. Throws STORE_DAMAGED for a changed content. */
export function needsTrust(revision: Revision): boolean {
  return stationsOf(requireIntactContent(revision).content).some(
    (station) =>
      station.kind === 'proof' &&
      (station.demand.type === 'shell' ||
        (station.demand.type === 'mcp' && station.demand.mcp.server !== undefined)),
  );
}

/** Trusted by the user, or shipped with kairos unchanged. The named author does not matter. */
export async function isTrusted(ctx: OperationContext, revision: Revision): Promise<boolean> {
  if (!isIntactContent(revision)) return false;
  if ((await ctx.trust.get(revision.digest)) !== null) return true;
  if (!isReservedChain(revision.chainId)) return false;
  return (await ctx.store.head(revision.chainId))?.digest === revision.digest;
}

/**
 * Whether runs of a content may lift the holds of its protocol: the content is trusted. Where no content of the protocol is, the
 * stored one counts. Otherwise an agent could change the protocol and follow the changed one.
 */
export async function isAccepted({ trust }: OperationContext, revision: Revision): Promise<boolean> {
  const { chainId, digest, number } = revision;
  if ((await trust.get(digest)) !== null) return true;
  return number > 0 && (await trust.list()).every((record) => record.chainId !== chainId);
}

/** Writers retry this many times on a conflict over a head. */
const ATTEMPTS = 64;

/**
 * Retries while other writers are faster. Each attempt reads, compares and writes again, because a conflict
 * means a new head. Null: other writers change it continuously.
 */
export async function untilFirst<T>(attempt: () => Promise<T | 'conflict'>): Promise<T | null> {
  for (let count = 0; count < ATTEMPTS; count += 1) {
    const outcome = await attempt();
    if (outcome !== 'conflict') return outcome;
  }
  return null;
}
