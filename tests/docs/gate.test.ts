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

const read = (name: string) => readFileSync(new URL(`../../docs/${name}.md`, import.meta.url), 'utf8');
const PAGE = read('gate');
const home = makeHome();
afterAll(() => home.remove());

it('begins with an example that works, from the protocol to the result', async () => {
  const own = makeHome();
  try {
    const [, document] = /^Save this as `tidy-logs\.md`:\n\n````markdown\n([\s\S]*?)^````$/m.exec(PAGE)!;
    const [, policy] = /^```yaml\n(version: 1[\s\S]*?)^```$/m.exec(PAGE)!;
    const [, commands] = /^```sh\n(mkdir[\s\S]*?)^```$/m.exec(PAGE)!;
    const { digest } = await protocolFile(own, document!, 'tidy-logs.md');
    for (const line of commands!.trim().split('\n')) {
      if (!line.startsWith('kairos ')) execFileSync('sh', ['-c', line], { cwd: own.work, env: own.env });
    }
    const key = readFileSync(join(own.work, 'mira.pub'), 'utf8').trim();
    const file = join(own.config, 'kairos.policy.yaml');
    writeFileSync(
      file,
      policy!.replace(/ssh-ed25519 AAAA… mira/, () => key),
      { mode: 0o600 },
    );
    expect(await kairos(own, ['policy', 'check'])).toMatchObject({ code: 0 });
    const answers = join(own.work, 'answers.yaml');
    writeFileSync(answers, "answers: { 2.proposal: '{}', closing: Moved them; the folder is tidy again. }\n");
    const more = ['--trust', digest, '--answers', answers];
    expect(await kairos(own, ['run', 'tidy-logs.md', ...more])).toMatchObject({ code: 3 });
    expect((await kairos(own, ['proposal', 'list'])).stdout).toContain('move-the-old-logs-away');
    const [shown] = (await kairosJson(own, ['proposal', 'show', 'latest'])).objects;
    const signed = ['approve', 'latest', String(shown?.proposal_hash), '--key', 'mira'];
    expect(await kairos(own, ['proposal', ...signed])).toMatchObject({ code: 0 });
    expect(existsSync(join(own.work, 'logs/may.old'))).toBe(true);
    expect(await kairos(own, ['resume', 'latest', ...more])).toMatchObject({ code: 0 });
    expect(existsSync(join(own.work, 'trash/may.old'))).toBe(true);
  } finally {
    own.remove();
  }
});

it('shows an answers file whose proposal works unchanged and equals the described one', async () => {
  const [, answers] = /^```yaml\n(answers:[\s\S]*?)^```$/m.exec(PAGE)!;
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
      '2.proposal': JSON.stringify({ target: { resource_id: 'main' }, parameters: { resource_id } }),
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
  writePolicy(home, { approvers, rules: [{ match: { action_types: ['write'] }, approval_class: 'single' }] });
  const { runId } = await runGuarded(home, guardedDocument());
  const request = join(home.work, 'request.json');
  await kairos(home, ['proposal', 'request', runId, '--out', request]);
  const { screen } = JSON.parse(readFileSync(request, 'utf8'));

  // The statement of the page, with the values of the request.
  const page = read('approvals');
  const shown = JSON.parse(/^```text\n(\{"approver".*)\n```$/m.exec(page)![1]!);
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
  const [, block] = /^```bash\n(ssh-keygen[\s\S]*?)^```$/m.exec(page)!;
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
