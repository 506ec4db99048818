import { localTime } from '../../../base/duration.ts';
import { isTrusted } from '../../../operations/context.ts';
import { dump } from '../../../operations/dump.ts';
import {
  logProtocol,
  pickRevision,
  pickTwoRevisions,
  readChains,
  readTarget,
  revisionOf,
  revisionsOf,
  uriOf,
} from '../../../operations/target.ts';
import { stepUri } from '../../../protocol/identity.ts';
import type { ChainContent } from '../../../protocol/model.ts';
import { renderChain } from '../../../protocol/render.ts';
import type { Call, Handler } from '../../command.ts';
import { openHost, withContext } from '../../context.ts';
import { EXIT } from '../../io.ts';
import type { Output } from '../../output.ts';
import { heading, keyValues, table } from '../../terminal/layout.ts';
import { renderMarkdown } from '../../terminal/markdown.ts';
import { demandRows, demandsOf, inputRows, type ShownDemand } from '../../views/demand.ts';
import { unifiedDiff } from '../../views/diff.ts';

/** `kairos show`. With `--json`: `{chains[]}`; a file needs no store. */
export const showCommand: Handler<[string], ShowOptions> = async (call) => {
  const chains = await shownChains(call);
  const { output } = call;
  if (output.json) output.object({ chains: chains.map(chainObject) });
  else {
    const views: string[] = [];
    for (const chain of chains) views.push(await chainView(chain, output));
    output.print(views.join('\n\n'));
  }
  return EXIT.ok;
};

async function shownChains(call: Call<[string], ShowOptions>): Promise<ShownChain[]> {
  const target = readTarget(call.args[0]);
  const { revision: named } = call.options;
  if (target.kind === 'file' && named === undefined) {
    const { trust, space } = await openHost(call);
    const { chains } = await readChains(target.path, space, call.io);
    return Promise.all(
      chains.map(async (chain) => ({
        ...chain,
        space,
        stored: null,
        trusted: (await trust.get(chain.digest)) !== null,
      })),
    );
  }
  return withContext(call, {}, async (ctx) => {
    const revision =
      named === undefined && target.kind !== 'file'
        ? await revisionOf(ctx, target)
        : pickRevision(await revisionsOf(ctx, call.args[0], call.io), named ?? '');
    const { chainId, digest, content, space, number, author, createdAt, weakened } = revision;
    const trusted = await isTrusted(ctx, revision);
    return [
      { chainId, digest, content, space, stored: { revision: number, author, createdAt, weakened }, trusted },
    ];
  });
}

export interface ShowOptions {
  revision?: string;
}

/** A chain to show, from a file or a store. */
interface ShownChain {
  chainId: string;
  digest: string;
  content: ChainContent;
  space: string;
  /** Null for a chain from a file. */
  stored: { revision: number; author: string; createdAt: string; weakened: string | null } | null;
  trusted: boolean;
}

/** A chain for people: its purpose, every step as rendered markdown, and the step's demand. */
export async function chainView(chain: ShownChain, output: Output): Promise<string> {
  const { content } = chain;
  const { color, width } = output;
  const markdown = (source: string) => renderMarkdown(source, { width, color });
  const demands = demandsOf(content);
  const steps = content.steps.map(async ({ label, body }, at) => {
    const place = `${at + 1}/${content.steps.length}`;
    return [
      `${heading(label, { place, color })}\n${color.dim(stepUri(chain.chainId, at + 1))}`,
      await markdown(body),
      await demandView(demands[at] ?? null, output),
    ];
  });
  const blocks = [
    heading(content.title, { color }),
    await keyValues(facts(chain), { color }),
    await markdown(content.description),
    ...(await inputsView()),
    ...(await section('Triggers', content.triggers)),
    ...(await Promise.all(steps)).flat(),
    ...(await section('Completion rule', content.completion_rule)),
  ];
  return blocks.filter((block) => block !== '').join('\n\n');

  async function inputsView(): Promise<string[]> {
    const rows = inputRows(content);
    return rows.length === 0 ? [] : [heading('Inputs', { color }), await keyValues(rows, { color })];
  }

  async function section(title: string, source: string | null): Promise<string[]> {
    return source === null ? [] : [heading(title, { color }), await markdown(source)];
  }
}

/** The object of `show --json` for one chain. */
function chainObject({ chainId, digest, content, space, stored, trusted }: ShownChain) {
  const demands = demandsOf(content);
  return {
    uri: stepUri(chainId, 1),
    slug: content.slug,
    title: content.title,
    version: content.version,
    tags: content.tags,
    inputs: content.inputs ?? {},
    holds: content.holds ?? [],
    description: content.description,
    triggers: content.triggers,
    completion_rule: content.completion_rule,
    space,
    digest,
    revision: stored?.revision ?? null,
    author: stored?.author ?? null,
    created_at: stored?.createdAt ?? null,
    weakened: stored?.weakened ?? null,
    trusted,
    steps: content.steps.map(({ label, body }, at) => ({
      uri: stepUri(chainId, at + 1),
      label,
      body,
      challenge: demands[at] ?? null,
    })),
  };
}

async function demandView(demand: ShownDemand | null, { color }: Output): Promise<string> {
  const rows = demand === null ? ([['demands', 'nothing']] as const) : demandRows(demand);
  return keyValues(rows, { color, indent: 2 });
}

function facts({ chainId, digest, content, space, stored, trusted }: ShownChain): [string, string][] {
  const rows: [string, string | null][] = [
    ['slug', content.slug],
    ['uri', stepUri(chainId, 1)],
    ['version', content.version],
    ['tags', content.tags.length === 0 ? null : content.tags.join(', ')],
    ['space', space],
    ['digest', digest],
    [
      'stored',
      stored === null ? null : `revision ${stored.revision} by ${stored.author}, ${stored.createdAt}`,
    ],
    ['weakened', stored?.weakened ?? null],
    ['trusted here', trusted ? 'yes' : 'no'],
  ];
  return rows.filter((row): row is [string, string] => row[1] !== null);
}

/**
 * `kairos dump`: plain markdown, ready for redirection. A slug names a protocol, so the whole protocol is
 * printed.
 */
export const dumpCommand: Handler<[string], DumpOptions> = (call) =>
  withContext(call, {}, async (ctx) => {
    const { args, options, output, io } = call;
    const uri = await uriOf(ctx, args[0], io);
    const answer = await dump(ctx, { uri, protocol: options.protocol === true || uri !== args[0] });
    if (output.json) output.object(answer);
    else
      output.document(answer.markdown_doc.endsWith('\n') ? answer.markdown_doc : `${answer.markdown_doc}\n`);
    return EXIT.ok;
  });

export interface DumpOptions {
  protocol?: boolean;
}

/** `kairos diff`. With `--json`: `{a, b, diff}`, the digests and the text. */
export const diffCommand: Handler<[string, string | undefined, string | undefined], unknown> = (call) =>
  withContext(call, {}, async (ctx) => {
    const { args, output, io } = call;
    const { older, newer } = await pickTwoRevisions(ctx, args, io);
    const diff = unifiedDiff(newer.content.slug, renderChain(older.content), renderChain(newer.content));
    if (output.json) output.object({ a: older.digest, b: newer.digest, diff });
    else if (diff === '') output.print('The two revisions do not differ.');
    else output.document(diff);
    return EXIT.ok;
  });

/** `kairos log`. With `--json`: `{revisions[]}`, newest first. */
export const logCommand: Handler<[string], unknown> = (call) =>
  withContext(call, {}, async (ctx) => {
    const { args, output, io } = call;
    const revisions = await logProtocol(ctx, args[0], io);
    if (output.json) {
      output.object({ revisions });
      return EXIT.ok;
    }
    const heads = ['REVISION', 'DIGEST', 'STORED', 'BY', 'STEPS', ''].map((head) => ({ head }));
    const rows = revisions.map(({ number, digest, created_at, author, weakened, steps }) => [
      number === 0 ? 'unlisted' : String(number),
      digest.slice(0, 12),
      localTime(created_at),
      author,
      String(steps),
      weakened === null ? '' : `weakened: ${weakened}`,
    ]);
    output.print(await table(heads, rows, { color: output.color }));
    return EXIT.ok;
  });
