import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ExportKind, exportProtocol } from '../../src/operations/export-protocol.ts';
import { importProtocols } from '../../src/operations/import.ts';
import { chainId, digest, toContent } from '../../src/protocol/identity.ts';
import type { ChainContent } from '../../src/protocol/model.ts';
import { parseProtocol } from '../../src/protocol/parse.ts';
import { runs } from '../support/thorough.ts';

async function contentOf(source: string): Promise<ChainContent> {
  const { document, messages } = await parseProtocol(source);
  expect(messages.filter(({ severity }) => severity === 'error')).toEqual([]);
  return toContent(document.chains[0]!);
}

function exported(content: ChainContent, kind: ExportKind) {
  return exportProtocol(
    { content, chainId: chainId('default', content.slug), digest: digest(content) },
    kind,
  );
}

/** Writes an export into a fresh folder and imports that folder. */
async function roundTrip(content: ChainContent, kind: ExportKind) {
  const cwd = mkdtempSync(join(tmpdir(), 'kairos-export-'));
  try {
    for (const { path, text } of exported(content, kind)) {
      mkdirSync(dirname(join(cwd, path)), { recursive: true });
      writeFileSync(join(cwd, path), text);
    }
    return await importProtocols(['.'], { dryRun: true }, { cwd, stdin: Readable.from([]) });
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

const PROTOCOL = `---
slug: drain-a-host
version: 1.2.0
inputs:
  TARGET_HOST:
    description: Host to drain
    default: lb1
  TOKEN: { description: Token of the balancer, secret: true }
---
# Drain a host

Take a host out of <service>.

## Natural Language Triggers

- "drain the host"
- "take it out"

## Drain it

Drain {{TARGET_HOST}}.

\`\`\`sh proof timeout=5m
drain "$TARGET_HOST" --as \`whoami\` --token "$TOKEN"
\`\`\`

## Ask

Ask the owner.

\`\`\`json
{"proof_of_work": {"type": "user_input", "user_input": {"prompt": "Is it quiet?"}}}
\`\`\`

## Completion Rule

The host takes no calls.
`;

describe('exportProtocol', () => {
  it('writes a skill by the rules of its specification', async () => {
    const content = await contentOf(PROTOCOL);
    const [skill, protocol] = exported(content, 'skill');
    expect([skill!.path, protocol!.path]).toEqual([
      'drain-a-host/SKILL.md',
      'drain-a-host/references/protocol.md',
    ]);
    const { document } = await parseProtocol(skill!.text);
    const { name, description, metadata } = document.frontmatter!.data as Record<string, unknown>;
    expect(name).toBe('drain-a-host');
    expect(description).toBe('Take a host out of service . Use it for: drain the host; take it out.');
    expect(metadata).toEqual({
      'kairos-protocol': 'references/protocol.md',
      'kairos-uri': expect.stringMatching(/^kairos:\/\/mem\//),
      'kairos-digest': digest(content),
      version: '1.2.0',
    });
    expect(skill!.text).toContain('`kairos_begin` with `{"key": "drain-a-host"}`');
    expect(skill!.text).toContain('`` drain "$TARGET_HOST" --as `whoami` --token "$TOKEN" ``');
    expect(skill!.text).toContain('Ask the user: Is it quiet?');
  });

  it('writes an agent SOP with parameters and constraints', async () => {
    const [sop] = exported(await contentOf(PROTOCOL), 'sop');
    expect(sop!.path).toBe('drain-a-host.sop.md');
    expect(sop!.text).toContain('## Overview\n');
    expect(sop!.text).toContain('- **target_host** (optional, default: "lb1"): Host to drain');
    expect(sop!.text).toContain('- **token** (required, secret): Token of the balancer');
    expect(sop!.text).toContain('### 1. Drain it\n');
    expect(sop!.text).toContain('- You MUST do this: Ask the user: Is it quiet?');
  });

  it.each(['skill', 'sop'] as const)('gives the same protocol back from a %s', async (kind) => {
    const content = await contentOf(PROTOCOL);
    const { imported, failures } = await roundTrip(content, kind);
    expect(failures).toEqual([]);
    expect(imported.map(({ carrier, steps, proofs }) => [carrier, steps, proofs])).toEqual([
      ['protocol', 2, 2],
    ]);
    expect(digest(await contentOf(imported[0]!.text))).toBe(digest(content));
  });

  it('gives every generated protocol back', async () => {
    const word = fc.stringMatching(/^[a-z]{2,8}$/);
    const words = fc.array(word, { minLength: 1, maxLength: 4 }).map((list) => list.join(' '));
    const proof = fc.oneof(
      words.map((cmd) => ({ type: 'shell', shell: { cmd: `echo '${cmd}' \`date\`\necho done` } })),
      words.map((prompt) => ({ type: 'user_input', user_input: { prompt: `Is ${prompt} "right"?` } })),
      fc.constant({ type: 'comment', comment: { min_length: 12 } }),
    );
    const step = fc.record({ label: words, body: fc.array(words, { minLength: 1, maxLength: 3 }), proof });
    const steps = fc.uniqueArray(step, { minLength: 1, maxLength: 4, selector: ({ label }) => label });
    const kinds = fc.constantFrom<ExportKind>('skill', 'sop');
    await fc.assert(
      fc.asyncProperty(words, words, steps, kinds, async (title, text, list, kind) => {
        const parts = list.map(
          ({ label, body, proof }) =>
            `## step ${label}\n\n${body.join('\n\n### more\n\n')}\n\n\`\`\`json\n${JSON.stringify({ proof_of_work: proof })}\n\`\`\`\n`,
        );
        const source = `# ${title}\n\n${text}\n\n## Natural Language Triggers\n\n- "${text}: \\\\ <b>"\n\n${parts.join('\n')}`;
        const content = await contentOf(source);
        const { imported, failures } = await roundTrip(content, kind);
        expect(failures).toEqual([]);
        expect(imported).toHaveLength(1);
        expect(digest(await contentOf(imported[0]!.text))).toBe(digest(content));
      }),
      { numRuns: runs(60) },
    );
  });
});
