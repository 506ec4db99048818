import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  CLIENTS,
  type HttpServer,
  overHttp,
  overStdio,
  startHttp,
  type TestClient,
  TRANSPORTS,
  toolsOf,
} from '../mcp/support.ts';
import { type CliHome, kairos, kairosJson, makeHome } from '../support/cli.ts';
import { protocolOf, type StepKind, sequences } from '../support/protocols.ts';
import { casesOf, THOROUGH } from '../support/thorough.ts';
import { rightAnswer, walkLiterally, wrongAnswer } from '../support/walker.ts';

/** A walker that only follows next_action finishes over every transport, with every client, in every era. */
/** These two take the long way; the others walk up to two steps, and every fifth sequence of two unless by spawn. */
const LONG = new Set(['sdk-1 stdio', 'sdk-2 http']);
/** Every sequence of the five oldest kinds (of two steps at most, unless by spawn), and some with those that ask a model or have files read. */
const KINDS: StepKind[][] = [
  ...sequences(THOROUGH ? 3 : 2),
  ['sampling'],
  ['outputs', 'sampling_then'],
  ['sampling_then', 'none', 'outputs'],
];
let home: CliHome;
let server: HttpServer;
const firstUris = new Map<string, string>();

beforeAll(async () => {
  home = makeHome();
  writeFileSync(join(home.work, 'report.txt'), 'All parts are done.');
  const files = KINDS.map((kinds, at) => {
    writeFileSync(join(home.work, `${at}.md`), protocolOf(kinds));
    return `${at}.md`;
  });
  const minted = await kairosJson(home, ['mint', '--force', ...files], { timeoutMs: 60_000 });
  expect(minted).toMatchObject({ code: 0, stderr: '' });
  minted.objects.forEach((object, at) => {
    const { items } = object as { items: { uri: string }[] };
    firstUris.set(KINDS[at]!.join(' '), items[0]!.uri);
  });
  server = await startHttp(home, ['--log-level', 'error', '--workdir', '.']);
}, 120_000);
afterAll(async () => {
  expect(await server.stop()).toBe(0);
  home.remove();
});

for (const transport of TRANSPORTS) {
  for (const kind of CLIENTS) {
    describe(`${kind} over ${transport}`, () => {
      let client: TestClient;
      beforeAll(async () => {
        client = transport === 'stdio' ? await overStdio(kind, home) : await overHttp(kind, server.url);
      });
      afterAll(() => client.close());

      const isLong = LONG.has(`${kind} ${transport}`);
      const longest = isLong ? 3 : 2;
      const walked = KINDS.filter(({ length }) => length <= longest);
      const pairs = walked.filter(({ length }) => length > 1);
      const tried = isLong
        ? walked
        : walked.filter((kinds) => kinds.length < 2 || casesOf(pairs).includes(kinds));
      it(`finishes sequences of up to ${longest} steps`, async () => {
        for (const [at, kinds] of tried.entries()) {
          const convention = at % 2 === 0 ? 'as-told' : 'pending';
          const { answers } = await walkLiterally(toolsOf(client), firstUris.get(kinds.join(' '))!, {
            convention,
            solve: rightAnswer,
          });
          expect({ kinds, status: answers.at(-1)!.protocol_status }).toEqual({ kinds, status: 'completed' });
        }
      });

      it('recovers from a wrong answer', async () => {
        const { answers } = await walkLiterally(toolsOf(client), firstUris.get('shell comment')!, {
          convention: 'as-told',
          solve: (challenge, call) => (call === 0 ? wrongAnswer(challenge) : rightAnswer(challenge, call)),
        });
        expect(answers.map(({ error_code }) => error_code ?? null)).toEqual([
          null,
          'COMMAND_FAILED',
          null,
          null,
          null,
        ]);
        const verified = await kairos(home, ['verify', answers.at(-1)!.run_id!]);
        expect(verified).toMatchObject({ code: 0 });
      });
    });
  }
}
