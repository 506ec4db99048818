import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import {
  entriesOf,
  guardedDocument,
  keyOf,
  makeApprovers,
  runGuarded,
  writePolicy,
} from '../gate/support/cli.ts';
import { kairos, kairosJson, makeHome } from '../support/cli.ts';
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

it('shows how OpenSSH alone signs and checks a statement, and each line works', async () => {
  const approvers = makeApprovers(home, ['mira']);
  writePolicy(home, {
    approvers,
    rules: [{ match: { action_types: ['write'] }, approval_class: 'single' }],
  });
  const { runId } = await runGuarded(home, guardedDocument());
  const request = join(home.work, 'request.json');
  await kairos(home, ['proposal', 'request', runId, '--out', request]);
  const { screen } = JSON.parse(readFileSync(request, 'utf8'));

  // The statement of the page, with the values of the request.
  const shown = JSON.parse(/^```text\n(\{"approver".*)\n```$/m.exec(PAGE)![1]!);
  const statement = {
    ...shown,
    binding: screen.binding,
    chain_digest: screen.protocol.digest,
    expires_at_ms: Date.now() + screen.policy.ttl_ms,
    policy_digest: screen.policy.digest,
    proposal_hash: screen.proposal_hash,
    run_id: screen.run_id,
  };
  expect(Object.keys(statement)).toEqual(Object.keys(shown));
  writeFileSync(join(home.work, 'statement'), `${JSON.stringify(statement)}\n`);

  const folder = join(home.home, '.ssh');
  mkdirSync(folder, { mode: 0o700 });
  for (const end of ['', '.pub'])
    copyFileSync(`${keyOf(home, 'mira')}${end}`, join(folder, `id_ed25519${end}`));
  const [, block] = /^```bash\n(ssh-keygen[\s\S]*?)^```$/m.exec(PAGE)!;
  const output = [];
  for (const line of block!.trim().split('\n')) {
    const [program, ...words] = line.split(' ');
    if (program === 'kairos') {
      const { code, stdout } = await kairos(
        home,
        words.map((word) => (word === 'RUN' ? runId : word)),
      );
      expect([line, code]).toEqual([line, 0]);
      output.push(stdout);
    } else output.push(execFileSync('sh', ['-c', line], { cwd: home.work, env: home.env, encoding: 'utf8' }));
  }
  expect(output.join('\n')).toMatch(/approved by +mira\n/);
  expect(output.at(-1)).toMatch(/^Good "kairos-approval" signature for mira/);
});
