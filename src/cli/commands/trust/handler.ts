import { programName } from '../../../base/command-line.ts';
import { KairosError } from '../../../base/errors.ts';
import { resolveUri } from '../../../operations/run/locate.ts';
import { grant, revoke, trustCandidates, trustCaseOf } from '../../../operations/trust.ts';
import type { TrustRecord } from '../../../run/ports.ts';
import type { Call, Handler } from '../../command.ts';
import { openHost, withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { withPrompter } from '../../terminal/choose-prompter.ts';
import { table } from '../../terminal/layout.ts';
import { TRUST_QUESTION, trustView } from '../../views/trust.ts';

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

/** Revokes trust. With `--json`: `{revoked[] <digest>}`. */
async function revokeTrust(call: Call<[string | undefined]>, target: string): Promise<number> {
  const { trust, space } = await openHost(call);
  const chainIdOf = (uri: string) =>
    withContext(call, {}, async (ctx) => (await resolveUri(ctx, uri)).chainId);
  const revoked = await revoke({ trust, space, chainIdOf }, target, call.io);
  const { output } = call;
  if (output.json) output.object({ revoked });
  else for (const digest of revoked) output.print(`no longer trusted  ${digest}`);
  return EXIT.ok;
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
    const wanted = call.options.digest;
    const records: TrustRecord[] = [];
    for (const candidate of await trustCandidates(ctx, target, call.io, wanted)) {
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

async function ask(call: TrustCall, digest: string): Promise<number> {
  const { output } = call;
  return withPrompter(call, {}, async (prompter) => {
    if (!prompter.interactive || output.json) throw notAsked(digest);
    const answer = await prompter.confirm(TRUST_QUESTION);
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
