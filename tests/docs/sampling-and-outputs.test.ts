import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { makeOutputReader } from '../../src/host/outputs/reader.ts';
import { lintSource } from '../../src/lint/lint-source.ts';
import { checkOutputs } from '../../src/proof/outputs.ts';
import { loadTools } from '../../src/proof/tools.ts';
import { validateSolution } from '../../src/proof/validate.ts';
import { toContent } from '../../src/protocol/identity.ts';
import { parseProtocol } from '../../src/protocol/parse.ts';
import { outputSchema } from '../../src/protocol/schema.ts';
import { stationsOf } from '../../src/run/state.ts';
import { makeContext } from '../support/context.ts';
import { comment, startWalk } from '../support/walk.ts';

const PAGE = readFileSync(
  fileURLToPath(new URL('../../docs/sampling-and-outputs.md', import.meta.url)),
  'utf8',
);
const EXAMPLE = /^````markdown\n([\s\S]*?)^````$/m.exec(PAGE)![1]!;
const tools = await loadTools({ patterns: true, schemas: true });
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'kairos-docs-')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The rows of the table under this header, cells without their backticks. */
function rows(header: string): string[][] {
  const lines = PAGE.slice(PAGE.indexOf(header)).split('\n').slice(2);
  const table = lines.slice(0, lines.indexOf(''));
  expect(table.length).toBeGreaterThan(2);
  return table.map((line) =>
    line
      .replace(/^\| ?| \|$/g, '')
      .split(/ ?\| /)
      .map((cell) => cell.trim()),
  );
}

const bare = (cell: string) => cell.replace(/^`|`$/g, '');

describe('the example', () => {
  it('has no finding', async () => {
    expect((await parseProtocol(EXAMPLE)).messages).toEqual([]);
    expect((await lintSource(EXAMPLE)).messages.filter(({ severity }) => severity !== 'info')).toEqual([]);
  });

  it('runs to its end', async () => {
    const work = join(folder, 'walk');
    mkdirSync(work);
    writeFileSync(join(work, 'announcement.md'), '# 2.0\n\n## Breaking\n\nNothing.\n');
    writeFileSync(join(work, 'release.json'), '{"announced": true}');
    const ctx = await makeContext({ over: { outputs: await makeOutputReader(work, []) } });
    const walk = await startWalk(ctx, EXAMPLE);
    const model = { type: 'sampling', sampling: { result: { breaking: [], added: ['A dark theme'] } } };
    const second = await walk.solve(1, walk.begun.challenge, model);
    writeFileSync(join(work, 'a.draft.md'), '');
    const account = comment('Wrote it for people who upgrade, the one break first.');
    const refused = await walk.solve(2, second.challenge, account);
    expect(refused.message).toBe(
      '1 of 3 outputs does not match. challenge.outputs[2].exists: something is there.',
    );
    rmSync(join(work, 'a.draft.md'));
    await walk.solve(2, refused.challenge, account);
    expect(await walk.attest()).toMatchObject({ next_action: null, total_rated: 1 });
  });
});

describe('sampling', async () => {
  const { document } = await parseProtocol(EXAMPLE);
  const station = stationsOf(toContent(document.chains[0]!))[0]!;
  if (station.kind === 'none') throw new Error('the first step of the example asks for nothing');

  it.each(rows('| `result` | |'))('%s: %s', (result, outcome) => {
    const sampling = { result: JSON.parse(bare(result!)) };
    const solution = { type: 'sampling', nonce: 'n', proof_hash: 'h', sampling };
    const verdict = validateSolution(
      station.demand,
      solution,
      { stepText: '', previousComment: null },
      tools,
    );
    const told = verdict.ok
      ? 'accepted'
      : verdict.violations === undefined
        ? /contains (a key twice) in one object, so (its meaning is unclear)/
            .exec(verdict.message)!
            .slice(1)
            .join(': ')
        : verdict.violations
            .map(({ pointer, keyword }) => `\`${pointer || '(the whole)'} ${keyword}\``)
            .join(', ');
    expect(told).toBe(outcome);
  });
});

describe('outputs', () => {
  const work = join(folder, 'work');

  it.each(rows('| output | `a.json` is | |'))('%s with %s: %s', async (output, content, outcome) => {
    rmSync(work, { recursive: true, force: true });
    mkdirSync(work);
    if (content !== '') writeFileSync(join(work, 'a.json'), bare(content!));
    const check = outputSchema.parse(JSON.parse(bare(output!)));
    const readings = await (await makeOutputReader(work, [])).read([check], null);
    const verdict = checkOutputs([check], readings, tools);
    expect(verdict.ok ? 'passes' : /outputs\[0\]\.(.*)\.$/.exec(verdict.message)![1]).toBe(outcome);
  });

  it('has every key of the schema in its table', () => {
    const keys = rows('| key | passes if |').map(([key]) => bare(key!));
    expect(['path', ...keys].sort()).toEqual(Object.keys(outputSchema.shape).sort());
  });
});
