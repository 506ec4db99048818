import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { KairosError } from '../../../base/errors.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import { readLedgerLines, requireOneStdin, sourceName } from '../../../host/files/read-source.ts';
import { ownKeyFingerprints } from '../../../host/keys/sealing-key.ts';
import type { OperationContext } from '../../../operations/context.ts';
import { isRunReference } from '../../../operations/run/locate.ts';
import {
  type RecordCheck,
  verifyAgainstStore,
  verifyEnvelope,
  verifyLines,
  verifyRun,
} from '../../../operations/verify.ts';
import type { VerifySettings } from '../../../operations/verify-beside.ts';
import type { Call, Handler } from '../../command.ts';
import { openHost, withContext } from '../../context.ts';
import { reportError } from '../../errors.ts';
import { EXIT } from '../../io.ts';
import type { Output } from '../../output.ts';
import { shortName, statusWord } from '../../views/run.ts';

/** `kairos verify`. With `--json` one object for each record, one a line. */
export const verifyCommand: Handler<[string[]], VerifyCommandOptions> = async (call) => {
  const { args, options } = call;
  const [records] = args;
  if ((records.length === 0) !== (options.all === true)) {
    throw new KairosError('USAGE', 'nothing to verify, or both records and --all', {
      hint: 'Name runs or exported files, or use --all for every run of the space.',
    });
  }
  requireOneStdin(records);
  const host = await openHost(call);
  const checker: Checker = {
    call,
    settings: {
      trustedKeys: options.key,
      ownKeys: await ownKeyFingerprints(host, call.io.cwd),
      ...(options.archive === false ? {} : { readArchive: archiveReader(call) }),
    },
  };
  if (options.all === true) return withContext(call, {}, (ctx) => verifyAll(checker, ctx));
  if (!records.some(isRunReference) && options.againstStore !== true)
    return verifyEach(checker, null, records);
  return withContext(call, {}, (ctx) => verifyEach(checker, ctx, records));
};

/** `--archive` names the folder where the archives are now. */
function archiveReader({ options: { archive }, io }: Checker['call']): VerifySettings['readArchive'] {
  return async (written) => {
    const path = typeof archive === 'string' ? resolve(io.cwd, archive, basename(written)) : written;
    return { path, lines: existsSync(path) ? await readLedgerLines(path, io) : null };
  };
}

interface Checker {
  call: Call<[string[]], VerifyCommandOptions>;
  /** Opened once for any number of records. */
  settings: VerifySettings;
}

async function verifyEach(
  checker: Checker,
  ctx: OperationContext | null,
  records: readonly string[],
): Promise<number> {
  const { call, settings } = checker;
  let worst: number = EXIT.ok;
  for (const record of records) {
    const check = async () => {
      const name = sourceName(record);
      if (ctx !== null && isRunReference(record)) {
        const found = await verifyRun(ctx, record, settings);
        const run = record === 'latest' ? await ctx.store.findRun(found.run_id ?? '') : null;
        const name = run === null || call.output.json ? record : `latest (${shortName(run)})`;
        return report(checker, { ...found, record: name }, true);
      }
      const lines = await readLedgerLines(record, call.io);
      const envelope = verifyEnvelope(name, lines, settings);
      if (envelope !== null) return report(checker, envelope, true);
      const found =
        ctx !== null && call.options.againstStore === true
          ? await verifyAgainstStore(ctx, name, lines, settings)
          : verifyLines(name, lines, settings);
      return report(checker, found, true);
    };
    const code = await check().catch((error: unknown) =>
      reportError(error, call.output, call.options.debug === true),
    );
    worst = Math.max(worst, code);
  }
  return worst;
}

/** Verifies every run of the space. People see those that are not intact, and a count of each status. */
async function verifyAll(checker: Checker, ctx: OperationContext): Promise<number> {
  const { call, settings } = checker;
  const runs = await ctx.store.findRuns({ spaces: [ctx.caller.space] });
  const counts = new Map<string, number>();
  let worst: number = EXIT.ok;
  for (const { runId } of runs) {
    const found = await verifyRun(ctx, runId, settings);
    const isMissing = found.status === 'pruned' && !isSound(found);
    const word = `${statusWord(found.status)}${isMissing ? ' without an archive' : ''}`;
    counts.set(word, (counts.get(word) ?? 0) + 1);
    const code = report(checker, found, !isSound(found));
    // An open run isn't damage.
    if (found.status !== 'unsealed') worst = Math.max(worst, code);
  }
  if (!call.output.json) {
    const parts = [...counts].map(([word, count]) => `${count} ${word}`);
    call.output.print(`${runs.length} ${runs.length === 1 ? 'run' : 'runs'}: ${parts.join(', ') || 'none'}`);
  }
  return worst;
}

function report({ call }: Checker, check: RecordCheck, print: boolean): number {
  if (call.output.json) call.output.object(check);
  else if (print) call.output.print(verificationView(check, call.output));
  return isSound(check) ? EXIT.ok : EXIT.failed;
}

function isSound({ status, findings }: RecordCheck): boolean {
  const isKept = status === 'whole' || status === 'pruned';
  return isKept && !findings.some(({ severity }) => severity === 'error');
}

export interface VerifyCommandOptions {
  key?: string[];
  all?: boolean;
  againstStore?: boolean;
  /** False: archives are not checked. */
  archive?: string | false;
}

/** One line on the state of a record, and one for each finding, by entry number. */
export function verificationView(check: RecordCheck, { color }: Output): string {
  const { record, status, entries, sealed_by, own_key, findings } = check;
  const paint = isSound(check) ? color.green : color.red;
  const count = `${entries} ${entries === 1 ? 'entry' : 'entries'}`;
  const key = sealed_by === null ? '' : `, sealed by ${own_key ? 'your key' : 'the key'} ${sealed_by}`;
  const lines = findings.map(({ code, severity, entry, last, line, message }) => {
    const place = [
      entry === null ? null : `entry ${entry}${last === undefined ? '' : ` to ${last}`}`,
      line === null ? null : `line ${line}`,
    ]
      .filter((part) => part !== null)
      .join(', ');
    const mark = severity === 'error' ? color.red('error') : color.dim('note');
    return `  ${mark}  ${place === '' ? '' : `${place}: `}${escapeForTerminal(message)} (${code})`;
  });
  return [`${paint.bold(statusWord(status))}  ${escapeForTerminal(record)}  ${count}${key}`, ...lines].join(
    '\n',
  );
}
