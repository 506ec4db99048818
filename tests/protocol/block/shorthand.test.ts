import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digest, toContent } from '../../../src/protocol/identity.ts';
import { parseProtocol } from '../../../src/protocol/parse.ts';

const step = (body: string) => `# Release\n\n## Test\n\nRun it.\n\n${body}\n`;

async function codes(source: string): Promise<string[]> {
  return (await parseProtocol(source)).messages.map(
    ({ code, place }) => `${code} ${place.start.line}:${place.start.column}`,
  );
}

async function blockOf(source: string) {
  const { document, messages } = await parseProtocol(source);
  expect(messages).toEqual([]);
  return document.chains[0]!.steps[0]!;
}

describe('shorthand', () => {
  it('means the same as the full form', async () => {
    const { block, body } = await blockOf(
      step('```bash proof timeout=10m env=A,B exit=3 workdir=packages/app\nnpm test\necho done\n```'),
    );
    expect(block?.value).toEqual({
      proof_of_work: {
        type: 'shell',
        shell: {
          cmd: 'npm test\necho done',
          timeout_seconds: 600,
          workdir: 'packages/app',
          env: ['A', 'B'],
          expect_exit_code: 3,
          interpreter: 'bash',
        },
        required: true,
      },
    });
    expect(block?.format).toBe('shorthand');
    expect(body).toBe('Run it.');
  });

  it('has the digest of the full form, `sh` being the default interpreter and python an alias', async () => {
    const digestOf = async (body: string) => {
      const { document, messages } = await parseProtocol(step(body));
      expect(messages.filter(({ severity }) => severity === 'error')).toEqual([]);
      return digest(toContent(document.chains[0]!));
    };
    const full = (shell: object) =>
      digestOf(`\`\`\`json\n${JSON.stringify({ proof_of_work: { type: 'shell', shell } })}\n\`\`\``);
    expect(await digestOf('```sh proof\nnpm test\n```')).toBe(await full({ cmd: 'npm test' }));
    expect(await digestOf('```sh proof\nnpm test\n```')).toBe(
      await full({ cmd: 'npm test', interpreter: 'sh' }),
    );
    expect(await digestOf('```python proof\nprint(1)\n```')).toBe(
      await full({ cmd: 'print(1)', interpreter: 'python3' }),
    );
    expect(await digestOf('~~~~ node   proof   timeout=90\nprocess.exit(0)\n~~~~')).toBe(
      await full({ cmd: 'process.exit(0)', interpreter: 'node', timeout_seconds: 90 }),
    );
  });

  it('keeps any command letter by letter', async () => {
    const line = fc.stringMatching(/^[ -~]{0,20}$/).filter((text) => !/^ {0,3}~{3,}/.test(text));
    await fc.assert(
      fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 4 }), async (lines) => {
        const cmd = lines.join('\n');
        fc.pre(cmd.trim() !== '');
        const { document } = await parseProtocol(step(`~~~sh proof\n${cmd}\n~~~`));
        const proof = document.chains[0]?.steps[0]?.block?.value.proof_of_work;
        // References are refused in commands.
        if (!/\{\{/.test(cmd)) expect(proof).toMatchObject({ shell: { cmd } });
      }),
      { numRuns: 100 },
    );
  });

  it.each([
    ['an unknown key', '```sh proof timout=10m\na\n```', ['block-unknown-key 7:13']],
    ['a word without a value', '```sh proof now\na\n```', ['block-unknown-key 7:13']],
    ['a value that is no duration', '```sh proof timeout=soon\na\n```', ['block-invalid 7:13']],
    ['a timeout past the limit', '```sh proof timeout=2d\na\n```', ['block-invalid 7:13']],
    ['a key twice', '```sh proof exit=1 exit=2\na\n```', ['block-invalid 7:20']],
    ['no command', '```sh proof\n\n```', ['block-invalid 8:1']],
    ['no end', '```sh proof\na', ['block-unclosed-fence 7:1']],
    ['another language', '```shell proof\na\n```', ['block-wrong-language 7:1']],
    ['a mark that is misspelt', '```sh proofs\na\n```', ['block-wrong-language 7:1']],
    ['a mark in braces', '```sh {proof}\na\n```', ['block-wrong-language 7:1']],
    ['a comment around it', '<!--\n```sh proof\na\n```\n-->', ['block-nested 8:1']],
    ['an element around it', '<div>\n```sh proof\na\n```\n</div>', ['block-nested 8:1']],
    ['a list around it', '- ```sh proof\n  a\n  ```', ['block-nested 7:3']],
    ['a quote around it', '> ```sh proof\n> a\n> ```', ['block-nested 7:3']],
    [
      'text before it',
      'Example: ```sh proof timeout=1m\na\n```',
      ['block-pseudo-fence 7:10', 'fence-unclosed 9:1'],
    ],
    ['a second one', '```sh proof\na\n```\n\n```sh proof\nb\n```', ['block-duplicate 7:1']],
    ['code behind it', '```sh proof\na\n```\n\n```sh\nb\n```', ['block-not-last 7:1']],
  ])('is refused with %s', async (_, body, expected) => {
    expect(await codes(step(body))).toEqual(expected);
  });

  it.each([
    '```sh\nproof\n```',
    '```text proof\na\n```',
    '```fish proof\na\n```',
    '```sh title="proof"\na\n```',
  ])('is not meant by %j', async (body) => {
    expect((await blockOf(step(body))).block).toBeNull();
  });
});
