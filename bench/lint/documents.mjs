// The documents that the linters are measured on: always the same ones, about 3.5 KB each, lines of at most 80 columns.
// Protocols of four or five steps with every proof type, prose, lists, tables, code and comments, as people write them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { random } from '../protocols.mjs';

const WORDS =
  'restore the service check every replica before traffic returns and write down what the monitor said while the old leader was still answering because nobody remembers it later ask the owner of the queue whether a rollback is needed keep the channel informed until all regions are green again'.split(
    ' ',
  );
const PLACES = ['eu-west', 'us-east', 'ap-south', 'staging', 'canary'];
const THINGS = ['queue', 'database', 'cache', 'gateway', 'certificate', 'release', 'bucket'];

const PROOFS = [
  (n, thing) => ({
    type: 'shell',
    shell: { cmd: `make check-${thing} && test -s report-${n}.txt`, timeout_seconds: 60 + n },
  }),
  (_, thing) => ({
    type: 'shell',
    shell: {
      cmd: `kubectl get pods --selector "app=${thing}" --output name > pods.txt`,
      timeout_seconds: 120,
      workdir: 'deploy',
      env: ['KUBECONFIG'],
      expect_exit_code: 0,
    },
  }),
  (n, thing) => ({
    type: 'shell',
    shell: {
      cmd: `git fetch --quiet origin && git diff --quiet origin/main -- ${thing}`,
      timeout_seconds: 300,
      stdout_matches: `^v${n}\\.[0-9]+$`,
    },
  }),
  (n, thing) => ({
    type: 'mcp',
    mcp: {
      server: 'ops',
      tool_name: `inspect_${thing}`,
      arguments: { id: n, deep: true },
      expected_result: { healthy: true },
    },
  }),
  (_, thing) => ({
    type: 'user_input',
    user_input: {
      prompt: `Does the ${thing} dashboard show the new state in all regions?`,
      choices: ['it does', 'it does not'],
    },
  }),
  (n) => ({ type: 'comment', comment: { min_length: 40 + n } }),
];

/** Writes documents into a folder, a hundred to a subfolder. Returns their size in bytes. */
export function writeDocuments(folder, count) {
  let bytes = 0;
  for (let at = 0; at < count; at += 1) {
    const subfolder = join(folder, `area-${String(Math.floor(at / 100)).padStart(2, '0')}`);
    if (at % 100 === 0) mkdirSync(subfolder, { recursive: true });
    const text = documentText(at);
    bytes += Buffer.byteLength(text);
    writeFileSync(join(subfolder, `procedure-${at}.md`), text);
  }
  return bytes;
}

/** One document of the row. */
export function documentText(number) {
  const next = random(number + 1);
  const pick = (list) => list[next(list.length)];
  const sentence = () => {
    const words = Array.from({ length: 9 + next(8) }, () => pick(WORDS));
    const text = words.join(' ');
    return `${text[0].toUpperCase()}${text.slice(1)}.`;
  };
  const paragraph = (least) => wrap(Array.from({ length: least + next(2) }, sentence).join(' '));
  const list = () => Array.from({ length: 3 }, () => wrap(sentence(), '- ', '  ')).join('\n');
  const extra = (thing, at) =>
    pick([
      () => '',
      () => `\n\`\`\`sh\nkubectl get pods --selector app=${thing}-${at}\n\`\`\`\n`,
      () =>
        `\n| place    | replicas |\n| -------- | -------- |\n| ${pick(PLACES).padEnd(8)} | ${next(9)}        |\n`,
      () => `\n> ${wrap(sentence(), '', '> ')}\n`,
      () => '\n1. Look at the graph.\n2. Look at the log:\n\n   ```text\n   level=info\n   ```\n',
    ])();
  const step = (at) => {
    const thing = pick(THINGS);
    const proof = pick(PROOFS)(at, thing);
    const title = `## ${at}. ${pick(['Check', 'Restore', 'Announce', 'Drain', 'Verify'])} the ${thing}`;
    const block =
      next(10) === 0 && proof.type === 'comment'
        ? `\`\`\`yaml\nproof_of_work:\n  type: comment\n  comment:\n    min_length: ${40 + at}\n\`\`\`\n`
        : `\`\`\`json\n${JSON.stringify({ proof_of_work: proof }, null, 2)}\n\`\`\`\n`;
    return `${title}\n\n${paragraph(1)}\n\n${list()}\n${extra(thing, at)}\n${block}`;
  };
  const steps = Array.from({ length: 4 + next(2) }, (_, at) => step(at + 1));
  const title = `Procedure ${number} for the ${pick(THINGS)} in ${pick(PLACES)}`;
  const comment = next(5) === 0 ? '\n<!-- Reviewed by the team that is on call. -->\n' : '';
  return `---
slug: procedure-${number}
version: 1.${number % 10}.0
tags: [bench, ${pick(THINGS)}]
---

# ${title}
${comment}
${paragraph(2)}

## Natural Language Triggers

- "run procedure ${number}"
- "${pick(WORDS)} the ${pick(THINGS)} number ${number}"

${steps.join('\n')}
## Completion Rule

${wrap(`Reached only when every step of procedure ${number} is proven.`)}
`;
}

function wrap(text, first = '', rest = '') {
  const lines = [];
  let line = first;
  for (const word of text.split(' ')) {
    if (line.length + word.length + 1 > 78) {
      lines.push(line.trimEnd());
      line = rest;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()].join('\n');
}
