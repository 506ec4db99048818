import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { entriesOf, guardedDocument, runGuarded } from '../gate/support/cli.ts';
import { kairosJson, makeHome } from '../support/cli.ts';
import { protocolFile } from '../support/run.ts';

const PAGE = readFileSync(new URL('../../docs/gate.md', import.meta.url), 'utf8');
const home = makeHome();
afterAll(() => home.remove());

it('shows an answers file whose proposal works unchanged and equals the described one', async () => {
  const [, answers] = /^```yaml\n([\s\S]*?)^```$/m.exec(PAGE)!;
  const [, line] = /`(2\.proposal: '.*')`/.exec(PAGE)!;
  const { path, digest } = await protocolFile(home, guardedDocument());
  const parametersOf = async (text: string) => {
    const file = join(home.work, 'answers.yaml');
    writeFileSync(file, text);
    const { code, objects } = await kairosJson(home, ['run', path, '--trust', digest, '--answers', file]);
    expect(code).toBe(0);
    const entries = await entriesOf(home, String(objects[0]?.run_id));
    const { proposal_json } = entries.find(({ kind }) => kind === 'proposal.decided')!.data;
    return JSON.parse(String(proposal_json)).parameters;
  };
  expect(await parametersOf(answers!)).toEqual({ note: 'before noon', count: 2 });
  const asText = answers!.replace(/ {2}2\.proposal:[\s\S]*(?= {2}closing)/, `  ${line}\n`);
  expect(await parametersOf(asText)).toEqual({ count: 2 });
});

it('shows how a template ties what is done to what is judged', async () => {
  const schema = JSON.parse(/^```json\n(\{"parameters_schema".*)\n```$/m.exec(PAGE)![1]!);
  const document = guardedDocument(
    { ...schema, target: { resource_type: 'switch', domain: 'house.example' } },
    'echo "$KAIROS_PARAM_RESOURCE_ID" > moved.txt',
  );
  const walked = (resource_id: string) =>
    runGuarded(home, document, {
      '2.proposal': JSON.stringify({
        target: { resource_id: 'main' },
        parameters: { resource_id },
      }),
    });
  const other = await walked('attic');
  expect(other.code).toBe(1);
  expect(JSON.stringify(other.objects)).toContain('K-PROP-129');
  expect(existsSync(join(home.work, 'moved.txt'))).toBe(false);
  expect((await walked('main')).code).toBe(0);
  expect(readFileSync(join(home.work, 'moved.txt'), 'utf8')).toBe('main\n');
});
