import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type CliHome, type CliResult, kairos, makeHome } from '../support/cli.ts';
import { stepOf } from '../support/protocols.ts';
import { answersFile, protocolFile } from '../support/run.ts';

/** A secret of the environment that a person puts into every text of the command line. */
const SECRET = 'wq7Lr2-Zt9fXk4_uM3bN';
let home: CliHome;
let calls: { words: string; result: CliResult }[];
beforeEach(() => {
  home = makeHome();
  calls = [];
});
afterEach(() => home.remove());

async function call(...args: string[]): Promise<CliResult> {
  const env = { DEPLOY_TOKEN: SECRET, KAIROS_SESSION: `session ${SECRET}` };
  const result = await kairos(home, args, { env });
  calls.push({ words: args.join(' '), result });
  return result;
}

/** Files below the home that hold the text, but those that the test wrote itself. */
function filesWith(text: string, folder = home.root): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesWith(text, path);
    if (!entry.isFile() || path.startsWith(`${home.work}/`)) return [];
    return readFileSync(path).includes(text) ? [path] : [];
  });
}

const ASKING = { proof_of_work: { type: 'user_input', user_input: { prompt: 'Which one?' } } };
const PRINTING = {
  proof_of_work: {
    type: 'shell',
    shell: { cmd: 'echo "$DEPLOY_TOKEN"; echo "$WHERE" >&2', env: ['DEPLOY_TOKEN'], timeout_seconds: 9 },
  },
};
const HEAD = '---\nslug: planted\ninputs:\n  WHERE: {description: Where to}\n---\n';

it('finds no planted secret on disk or in output', async () => {
  mkdirSync(join(home.work, `site-${SECRET}`));
  const document = `${HEAD}# Planted\n\n${stepOf('Ask', 'Ask.', ASKING)}\n${stepOf('Print', 'Print.', PRINTING)}`;
  const { path, digest } = await protocolFile(home, document, 'planted.md');
  const answers = answersFile(home, {
    '1.answer': `It is ${SECRET}.`,
    closing: `Printed ${SECRET} and looked.`,
  });
  const walk = ['--trust', digest, '--answers', answers, '--input', `WHERE=at ${SECRET}`];
  expect((await call('run', path, ...walk, '--workdir', `site-${SECRET}`)).code).toBe(0);
  await call('run', path, ...walk, '--json');
  await call('runs', 'show', 'latest', '--full');
  await call('runs', 'export', 'latest');
  await call('report', 'latest', '--format', 'md');
  await call('report', 'latest', '--format', 'html');
  await call('attestation', 'latest');

  // By hand.
  expect((await call('mint', path, '--model', `model ${SECRET}`)).code).toBe(0);
  expect((await call('begin', 'planted', '--input', `WHERE=at ${SECRET}`)).code).toBe(0);
  expect((await call('runs', 'note', 'latest', `A note on ${SECRET}.`)).code).toBe(0);
  expect((await call('answer', 'latest', `Answered with ${SECRET}.`)).code).toBe(0);
  await call('next', 'kairos://mem/00000000-0000-0000-0000-000000002001', '--run', 'latest');
  const failed = [
    'attest',
    'planted',
    'failure',
    `It failed with ${SECRET}.`,
    '--run',
    'latest',
    '--model',
    SECRET,
  ];
  expect((await call(...failed)).code).toBe(0);
  await call('begin', 'planted', '--input', `WHERE=at ${SECRET}`);
  expect((await call('runs', 'close', 'latest', '--reason', `Closed for ${SECRET}.`)).code).toBe(0);
  await call('runs');
  await call('log', 'planted');
  await call('verify', '--all');

  // The document itself is the author's: a protocol that names the secret would be reported by lint.
  expect(filesWith(SECRET)).toEqual([]);
  const shown = calls.filter(({ result: { stdout, stderr } }) => `${stdout}${stderr}`.includes(SECRET));
  expect(
    shown.map(
      ({ words, result: { stdout, stderr } }) =>
        `${words}: ${`${stdout}${stderr}`.split('\n').find((line) => line.includes(SECRET))}`,
    ),
  ).toEqual([]);
});
