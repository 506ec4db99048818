import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { carryOptions, commandLine } from '../base/command-line.ts';
import { escapeForTerminal } from '../base/escape.ts';
import { loadOnce } from '../base/memoize.ts';
import { accountHome, realPathOf, type UserFolders, userFolders } from '../host/files/paths.ts';
import { permitMarks } from '../host/files/private-files.ts';
import type { Notifier } from '../host/notify.ts';
import { readerOf, stepNames } from '../host/outputs/place.ts';
import { makeRedactor, type Redactor, runSecrets } from '../host/secrets/redact.ts';
import { embeddersFor } from '../host/settings/model-settings.ts';
import {
  loadUserSettings,
  printedLocation,
  storeLocation,
  type UserSettings,
} from '../host/settings/user-settings.ts';
import { openUserStore, withChecks } from '../host/store.ts';
import { type NamedCaller, namedCaller, osCaller, randomSource } from '../host/system.ts';
import { fileTrustStore } from '../host/trust/trust-store.ts';
import type { Caller, OperationContext } from '../operations/context.ts';
import { checkSpace } from '../protocol/identity.ts';
import type { Handover, PermitMarks, TrustStore } from '../run/ports.ts';
import type { Call } from './command.ts';
import type { CliIo } from './io.ts';
import type { Output } from './output.ts';

/** What a command can know without opening the store. */
export interface Host {
  folders: UserFolders;
  settings: UserSettings;
  trust: TrustStore;
  /** `--space`, KAIROS_SPACE, the user's configuration, else `default`. */
  space: string;
  /** Of the store; null for the one in the data folder. */
  location: string | null;
  /** The options that a printed command needs to use the same store and space from anywhere. */
  carried: readonly string[];
  /** `--actor`, the user's configuration, SUDO_USER, else the account. */
  actor: string;
  actorOrigin: NamedCaller['actorOrigin'];
  /** Whom the gate judges: never a name that was given. */
  identity: string;
  /** Made on first use. */
  redactor: () => Redactor;
}

interface CommandContextOptions {
  /** `--actor`, of a command that has it. */
  actor?: string | undefined;
  requireTrust?: boolean;
  /** Write nothing: create no store. */
  dryRun?: boolean;
  /** The command is about a run that exists: `--policy` adopts another policy for it. */
  onRun?: boolean;
  /** Default: what solutions that are typed can reach. */
  maximumAssurance?: Caller['maximumAssurance'];
}

/** Typed or piped input is always a claim. */
export const TYPED_ASSURANCE: Caller['maximumAssurance'] = {
  shell: 'claimed',
  mcp: 'claimed',
  user_input: 'claimed',
  comment: 'claimed',
  sampling: 'claimed',
};

/** `kairos run` runs commands and calls tools itself, and asks the person at the terminal. */
export const RUN_ASSURANCE: Caller['maximumAssurance'] = {
  shell: 'observed',
  mcp: 'observed',
  user_input: 'client',
  comment: 'client',
  sampling: 'client',
};

/**
 * The user's folders, trust and names, from flags, then the environment, then the user's configuration. From now on printed
 * commands have the options of this store and space.
 */
export async function openHost(
  { options, io }: Pick<Call<unknown[]>, 'options' | 'io'>,
  actor?: string,
): Promise<Host> {
  const folders = userFolders(io.env);
  const settings = await loadUserSettings(folders);
  let made: Redactor | null = null;
  const redactor = () => {
    made ??= makeRedactor(io.env);
    return made;
  };
  const named = { flag: actor, config: settings.actor };
  const space = checkSpace(options.space ?? (io.env.KAIROS_SPACE || settings.space || 'default'));
  const location = storeLocation(options.store, io.env, settings, io.cwd);
  const carried = carriedOptions(location, { settings, space }, io);
  carryOptions(carried);
  return {
    folders,
    settings,
    trust: fileTrustStore(join(folders.data, 'trust')),
    space,
    location,
    carried,
    ...namedCaller(osCaller(io.env), named, (text) => redactor().redact(text)),
    redactor,
  };
}

/** Commands by which the same person continues a run: printed ones keep `--actor`. */
const CONTINUES = /^(?:run|resume|begin|next|attest|rollback|runs close) /;

/** Opens the store, does the work, and always closes the store. */
export async function withContext<T>(
  call: Pick<Call<unknown[]>, 'options' | 'io'> & { output: Pick<Output, 'json' | 'note'> },
  {
    actor: named,
    requireTrust = false,
    dryRun = false,
    onRun = false,
    maximumAssurance = TYPED_ASSURANCE,
  }: CommandContextOptions,
  work: (ctx: OperationContext, host: Host) => Promise<T>,
): Promise<T> {
  const { options, io, output } = call;
  const host = await openHost(call, named);
  const { folders, settings, trust, space, location, carried, actor, actorOrigin, identity, redactor } = host;
  const choice = { option: options.store, env: io.env, cwd: io.cwd, folders, settings };
  const store = await openUserStore(choice, {
    missingIsEmpty: dryRun,
    warn: (message) => {
      if (!output.json) output.note(`note: ${message}`);
    },
  });
  const notifier = await openNotifier(call, host, (message) => {
    if (!output.json) output.note(`note: ${escapeForTerminal(message)}`);
  });
  try {
    const embedders = embeddersFor(settings, io.env);
    const handover = openHandover(io, folders, (reason) => {
      if (!output.json) output.note(`note: ${escapeForTerminal(reason)}`);
    });
    const ctx: OperationContext = {
      store: withChecks(store),
      trust,
      sealingKey: loadOnce(async () => {
        const { loadSealingKey } = await import('../host/keys/sealing-key.ts');
        return loadSealingKey(folders, io.cwd, io.env.SSH_AUTH_SOCK);
      }),
      clock: io.now,
      random: randomSource(),
      redact: (text) => redactor().redact(text),
      ...(embedders === undefined ? {} : { embedders }),
      policy: async (run, roots) => {
        const { loadPolicy, loadRecordedPolicy } = await import('../host/settings/policy-file.ts');
        const { policy: chosen, workdir = '.', root = [] } = options;
        const place = run?.place ?? null;
        const filled = (place?.roots ?? [workdir, ...root]).map((folder) => resolve(io.cwd, folder));
        // A client can write to these folders, so a policy in them is rejected; the user's own folder is trusted.
        const foreign = chosen === undefined || roots === undefined ? [] : await roots();
        const source = {
          folders,
          cwd: io.cwd,
          works: place?.workdir ?? io.cwd,
          filled,
          roots: foreign,
          now: io.now(),
        };
        return run?.policy == null || (onRun && chosen !== undefined)
          ? loadPolicy({ ...source, chosen })
          : loadRecordedPolicy(source, run.policy);
      },
      adoptsPolicy: onRun && options.policy !== undefined,
      place: { host: hostname(), workdir: realPathOf(io.cwd), roots: [] },
      storeName: printedLocation(location ?? join(folders.data, 'kairos.db')),
      runSecrets: runSecrets(redactor),
      valueDigest: loadOnce(async () => {
        const { loadValueDigest } = await import('../host/keys/sealing-key.ts');
        return loadValueDigest(folders);
      }),
      commandLine: (words, last) =>
        commandLine(
          named !== undefined && CONTINUES.test(words.join(' ')) ? [...carried, '--actor', actor] : carried,
        )(words, last),
      caller: {
        actor,
        actorOrigin,
        identity,
        session: io.env.KAIROS_SESSION ? redactor().redact(io.env.KAIROS_SESSION) : null,
        space,
        interface: 'cli',
        maximumAssurance,
      },
      requireTrust,
      allowWeaken: true,
      readOnly: false,
      outputs: readerOf({ host: '', workdir: io.cwd, roots: [] }),
      outputsAt: (place) => readerOf(place),
      ...(handover === undefined ? {} : { handover }),
      names: stepNames(io.env),
      permitMarks: openPermitMarks(folders, io),
      ...(notifier === null ? {} : { notify: notifier.send }),
    };
    return await work(ctx, host);
  } finally {
    await store.close();
    await notifier?.settled();
  }
}

/** In the data folder, and in the account's own home, because the data folder can be copied and chosen. */
function openPermitMarks({ data }: UserFolders, io: CliIo): PermitMarks {
  const home = (io.accountHome ?? accountHome)();
  const states = home === null ? [data] : [join(home, '.local', 'state', 'kairos'), data];
  return permitMarks(states.map((folder) => join(folder, 'used-permits')));
}

/** Null, and not loaded, where the user's configuration names no receiver. */
async function openNotifier(
  { io }: Pick<Call<unknown[]>, 'io'>,
  { settings, folders, redactor }: Host,
  onFailed: (message: string) => void,
): Promise<Notifier | null> {
  const targets = [settings.notify ?? []].flat();
  if (targets.length === 0) return null;
  const { createNotifier } = await import('../host/notify.ts');
  return createNotifier({
    targets,
    env: io.env,
    data: folders.data,
    redact: (text) => redactor().redact(text),
    now: io.now,
    onFailed,
  });
}

function carriedOptions(
  location: string | null,
  { settings, space }: Pick<Host, 'settings' | 'space'>,
  { env, cwd }: Pick<CliIo, 'env' | 'cwd'>,
): string[] {
  const usual = storeLocation(undefined, { HOME: env.HOME }, settings, cwd);
  return [
    ...(location === null || location === usual ? [] : ['--store', printedLocation(location)]),
    ...(space === (settings.space ?? 'default') ? [] : ['--space', space]),
  ];
}

/** The file that KAIROS_HANDOVER_FILE names, loaded when it is used; undefined when it names none. */
export function openHandover(
  { env, cwd }: Pick<CliIo, 'env' | 'cwd'>,
  folders: UserFolders,
  warn: (reason: string) => void,
): Handover | undefined {
  const name = env.KAIROS_HANDOVER_FILE;
  if (name === undefined || name === '') return undefined;
  const open = async (): Promise<Handover> => {
    const { handoverFile } = await import('../host/handover/handover-file.ts');
    const { loadHandoverKey } = await import('../host/handover/handover-file.ts');
    return handoverFile({ path: resolve(cwd, name), key: () => loadHandoverKey(folders), warn });
  };
  return {
    read: async () => (await open()).read(),
    write: async (note) => (await open()).write(note),
    remove: async (runId) => (await open()).remove(runId),
  };
}
