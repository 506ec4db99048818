import { hereCommand, programName } from '../../../base/command-line.ts';
import { KairosError } from '../../../base/errors.ts';
import type { OperationContext } from '../../../operations/context.ts';
import { resolveUri } from '../../../operations/run/locate.ts';
import { readChains, readTarget, revisionOf } from '../../../operations/target.ts';
import type { TrustRecord } from '../../../run/ports.ts';
import type { Call, Handler } from '../../command.ts';
import { openHost, withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { table } from '../../terminal/layout.ts';
import { withPrompter } from '../../terminal/with-prompter.ts';
import { grant, type TrustCandidate, trustCaseOf, trustView } from '../../views/trust.ts';

/** `kairos trust`: grants, lists (`--list`) or revokes (`--revoke`) trust. */
export const trustCommand: Handler<[string | undefined], TrustOptions> = async (call) => {
  const { args, options } = call;
  const [target] = args;
  const { list, revoke, digest } = options;
  if ([list, revoke, digest].filter((option) => option !== undefined).length > 1) {
    throw usage('--list, --revoke and --digest exclude each other');
  }
  if (list) {
    if (target !== undefined) throw usage('--list accepts no target');
    return listTrust(call);
  }
  if (target === undefined) throw usage('missing target');
  if (revoke) {
    return revokeTrust(call, target);
  }
  return grantTrust(call, target);
};

function usage(message: string): KairosError {
  return new KairosError('USAGE', message, {
    hint: `${programName()} trust FILE|URI|SLUG, ${programName()} trust --list, or ${programName()} trust --revoke FILE|URI|SLUG|DIGEST`,
  });
}

/** What is trusted here, newest first. With `--json`: `{trusted[] {digest, slug, title, chain_id, trusted_at, by}}`. */
async function listTrust(call: Pick<Call, 'options' | 'io' | 'output'>): Promise<number> {
  const { trust } = await openHost(call);
  const records = await trust.list();
  const { output } = call;
  if (output.json) output.object({ trusted: records.map(trustObject) });
  else if (records.length === 0) output.print('Nothing is trusted here yet.');
  else {
    const rows = records.map(({ digest, slug, trustedAt, by, title }) => [
      digest,
      slug,
      trustedAt,
      by,
      title,
    ]);
    const heads = ['DIGEST', 'SLUG', 'TRUSTED AT', 'BY', 'TITLE'].map((head) => ({ head }));
    output.print(await table(heads, rows, { color: output.color }));
  }
  return EXIT.ok;
}

/** A trust record as `--json` prints it. */
function trustObject({ digest, slug, title, chainId, trustedAt, by }: TrustRecord) {
  return { digest, slug, title, chain_id: chainId, trusted_at: trustedAt, by };
}

/**
 * Revokes trust: of one digest, or of every content of the protocol that a file, URI or slug names, old ones
 * and deleted protocols included. With `--json`: `{revoked[] <digest>}`.
 */
async function revokeTrust(call: Call<[string | undefined]>, target: string): Promise<number> {
  const { trust } = await openHost(call);
  const matches = await matcher(call, target);
  const revoked: string[] = [];
  for (const record of await trust.list()) {
    if (matches(record) && (await trust.revoke(record.digest))) revoked.push(record.digest);
  }
  if (revoked.length === 0) {
    throw new KairosError('NOT_FOUND', `nothing that ${JSON.stringify(target)} names is trusted here`, {
      hint: `List what is trusted with: ${programName()} trust --list`,
    });
  }
  const { output } = call;
  if (output.json) output.object({ revoked });
  else for (const digest of revoked) output.print(`no longer trusted  ${digest}`);
  return EXIT.ok;
}

async function matcher(
  call: Call<[string | undefined]>,
  text: string,
): Promise<(record: TrustRecord) => boolean> {
  if (/^[0-9a-f]{64}$/.test(text)) return ({ digest }) => digest === text;
  const target = readTarget(text);
  if (target.kind === 'slug') return ({ slug }) => slug === target.slug;
  if (target.kind === 'uri') {
    const { chainId } = await withContext(call, {}, (ctx) => resolveUri(ctx, target.uri));
    return (record) => record.chainId === chainId;
  }
  const { space } = await openHost(call);
  const { chains } = await readChains(target.path, space, call.io);
  return ({ slug, digest }) => chains.some((chain) => chain.digest === digest || chain.content.slug === slug);
}

export interface TrustOptions {
  digest?: string[];
  list?: boolean;
  revoke?: boolean;
}

type TrustCall = Call<[string | undefined], TrustOptions>;

/**
 * Shows what would be trusted and asks. Without a terminal the caller repeats the digest, so that nothing is
 * trusted unseen or after a change. With `--json`: `{trusted[]}`.
 */
function grantTrust(call: TrustCall, target: string): Promise<number> {
  return withContext(call, {}, async (ctx) => {
    const candidates = await candidatesOf(ctx, call, target);
    const wanted = call.options.digest;
    if (wanted !== undefined) requireAll(wanted, candidates, target);
    const records: TrustRecord[] = [];
    for (const candidate of candidates) {
      const { digest } = candidate.revision;
      if (wanted !== undefined && !wanted.includes(digest)) continue;
      const { output } = call;
      if (!output.json) output.print(await trustView(await trustCaseOf(ctx, candidate), output));
      const known = await ctx.trust.get(digest);
      const code = wanted === undefined && known === null ? await ask(call, digest) : EXIT.ok;
      if (code !== EXIT.ok) return code;
      records.push(known ?? (await grant(ctx, candidate)));
      if (!output.json) output.print(`\n${known === null ? 'trusted' : 'already trusted'}  ${digest}`);
    }
    if (call.output.json) call.output.object({ trusted: records.map(trustObject) });
    return EXIT.ok;
  });
}

async function candidatesOf(
  ctx: OperationContext,
  { io }: TrustCall,
  text: string,
): Promise<TrustCandidate[]> {
  const target = readTarget(text);
  if (target.kind !== 'file') {
    const revision = await revisionOf(ctx, target);
    const { author, space, number } = revision;
    const origin = `${number > 0 ? `revision ${number}` : 'an unlisted revision'} by ${author} in space ${space}`;
    return [{ revision: { ...revision, listed: number > 0 }, origin, kept: true }];
  }
  const { space, actor } = ctx.caller;
  const { chains } = await readChains(target.path, space, io);
  const createdAt = new Date(ctx.clock()).toISOString();
  return chains.map((chain) => ({
    revision: { ...chain, space, author: actor, llmModelId: null, createdAt, weakened: null, listed: false },
    origin: target.path,
    kept: false,
  }));
}

function requireAll(wanted: readonly string[], candidates: readonly TrustCandidate[], target: string): void {
  const found = candidates.map(({ revision }) => revision.digest);
  const missing = wanted.find((digest) => !found.includes(digest));
  if (missing === undefined) return;
  throw new KairosError(
    'INVALID_INPUT',
    `${JSON.stringify(target)} does not have the digest ${JSON.stringify(missing)}; it has ${found.join(', ')}`,
    {
      hint: `It may have changed since you saw it. Check it again: ${hereCommand(['trust', target])}`,
    },
  );
}

async function ask(call: TrustCall, digest: string): Promise<number> {
  const { output } = call;
  return withPrompter(call, {}, async (prompter) => {
    if (!prompter.interactive || output.json) throw notAsked(digest);
    const answer = await prompter.confirm({
      name: 'trust',
      message: 'Allow this content to run on this machine as you?',
      default: false,
      byHand: true,
    });
    if (answer.kind === 'interrupt') return answer.exitCode ?? INTERRUPTED;
    if (answer.kind === 'answer' && answer.value) return EXIT.ok;
    output.note('Nothing was trusted.');
    return EXIT.failed;
  });
}

/** 128 + SIGINT. */
const INTERRUPTED = 130;

function notAsked(digest: string): KairosError {
  return new KairosError('USAGE', 'trust needs a confirmation, but no terminal is available', {
    hint: `Read the content, then repeat its digest: --digest ${digest}`,
  });
}
