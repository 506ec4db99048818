import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lintSource } from '../../src/lint/lint-source.ts';
import { importChecked } from '../../src/operations/import-check.ts';
import { parseProtocol } from '../../src/protocol/parse.ts';
import { commandFault } from '../../src/shell/command-fault.ts';
import { runs } from '../support/thorough.ts';

const options = { name: 'a-runbook', commandFault };
const stepsIn = async (text: string) =>
  (await parseProtocol(text)).document.chains.flatMap(({ steps }) => steps);

const PROOF = '{"proof_of_work": {"type": "comment", "comment": {"min_length": 5}}}';

describe('importChecked', () => {
  it('keeps a command with an error as text, and imports the others', async () => {
    const source = '# T\n\n## A\n\n```sh\nroot@host:/# uptime\n```\n\n## B\n\n```sh\nmake check\n```\n';
    const { text, proofs, decisions } = await importChecked(source, { ...options, commandFault: () => null });
    expect(proofs).toBe(1);
    expect(text).toContain('```sh\nroot@host:/# uptime\n```');
    expect(decisions.map(({ what }) => what)).toContainEqual(
      expect.stringMatching(
        /^A: command kept as text, because The command begins with .*shell-prompt-character\)$/,
      ),
    );
  });

  it.each([
    ['shorthand', '```sh proof\nrm -rf /srv/x\n```'],
    ['JSON', `\`\`\`json\n${PROOF}\n\`\`\``],
    ['a webhook', '```json\n{"challenge": "abc"}\n```'],
  ])('shows code in a block of markdown where it would demand something: %s', async (_, code) => {
    const { text, proofs, decisions } = await importChecked(`# T\n\n## A\n\n${code}\n\n## B\n\nx\n`, options);
    expect(text).toContain(`\`\`\`\`markdown\n${code}\n\`\`\`\``);
    expect(proofs).toBe(0);
    expect((await stepsIn(text)).map(({ label, block }) => [label, block])).toEqual([
      ['A', null],
      ['B', null],
    ]);
    expect(decisions).toContainEqual({
      line: 3,
      what: 'A: code is shown in a block of markdown, because kairos would read it as a demand',
    });
  });

  it('counts the demands of an agent SOP', async () => {
    const source = '# T\n\n## Steps\n\n### 1. A\n\n- You MUST look\n\n### 2. B\n\n```sh\nmake check\n```\n';
    const { text, proofs } = await importChecked(source, { ...options, isSop: true });
    expect(proofs).toBe(2);
    expect((await stepsIn(text)).map(({ block }) => block?.value.proof_of_work?.type)).toEqual([
      'comment',
      'shell',
    ]);
  });

  it('states what the written file means, also of documents with blocks of kairos', async () => {
    const word = fc.stringMatching(/^[a-z]{3,9}$/);
    const command = fc.constantFrom(
      'make check',
      'npm test',
      'rm -rf /srv/x',
      'echo {{ x }}',
      '$ ls',
      'a@b:/# ls',
      '',
    );
    const info = fc.constantFrom(
      ...[
        'sh',
        'bash',
        'sh proof',
        'bash proof timeout=10m',
        'SH Proof',
        'shell proof',
        'console',
        'json',
        'yaml',
        '',
      ],
    );
    const content = fc.oneof(
      command,
      fc.constantFrom(
        PROOF,
        '{"challenge": "abc"}',
        'proof_of_work:\n  type: comment',
        'outputs:\n  - path: x',
      ),
    );
    const block = fc.oneof(
      word,
      word.map((text) => `## ${text} <host>`),
      word.map((text) => `${text} {{KAIROS_X}} \${REGION} {{ name }} [A_B] <api-token> <b>x</b>`),
      word.map((text) => `\`\`\`yaml\n${text}: {{ NAME }} {{ .x }} \${{ y }}\n\`\`\``),
      word.map((text) => `### ${text}`),
      word.map((text) => `${text}\n---`),
      word.map((text) => `1. ${text}\n2. ${text} more\n3. end`),
      fc.tuple(info, content).map(([words, code]) => `\`\`\`${words}\n${code}\n\`\`\``),
      fc
        .tuple(info, content)
        .map(
          ([words, code]) =>
            `1. one\n\n   \`\`\`${words}\n   ${code.replaceAll('\n', '\n   ')}\n   \`\`\`\n\n2. two`,
        ),
      fc.constantFrom(
        '## Completion Rule',
        '## Natural Language Triggers',
        '<!-- note -->',
        '<pre>\n# one\n</pre>',
      ),
    );
    const steps = fc.constantFrom(undefined, 'h2', 'h3', 'list', 'tasks');
    await fc.assert(
      fc.asyncProperty(fc.array(block, { minLength: 2, maxLength: 10 }), steps, async (blocks, carrier) => {
        const source = `# Title\n\n${blocks.join('\n\n')}\n`;
        const given = carrier === undefined ? options : ({ ...options, steps: carrier } as const);
        const result = await importChecked(source, given).catch((error: { code?: string }) => error.code);
        if (typeof result !== 'object') {
          expect(result).toBe('PROTOCOL_INVALID');
          return;
        }
        const written = await stepsIn(result.text);
        expect(result.steps).toBe(written.length);
        const proven = written.filter(({ block: demand }) => demand !== null);
        expect(result.proofs).toBe(proven.length);
        expect(proven.map(({ label }) => label.replace('HOST', '<host>')).sort()).toEqual(
          result.decisions
            .flatMap(({ what }) => /^(.*): its command is the proof/.exec(what)?.[1] ?? [])
            .sort(),
        );
        for (const { block: demand } of proven) {
          const proof = demand?.value.proof_of_work;
          expect(proof?.type === 'shell' && commandFault(proof.shell.cmd)).toBeNull();
        }
        const { messages } = await lintSource(result.text);
        expect(messages.filter(({ severity }) => severity === 'error')).toEqual([]);
      }),
      { numRuns: runs(300) },
    );
  });
});
