// What vectors add to a mint: two servers mint the protocols of the search benchmark in turn, one of them without vectors.
//   node bench/search/mint.mjs [rounds]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BIN, machine, median, row } from '../lib.mjs';
import { overPipes } from '../serve/clients.mjs';
import { readProtocols } from './corpus.mjs';

const rounds = Number(process.argv[2] ?? 3);
const protocols = readProtocols();
const FIRST = 20;
console.log(`mint, ${protocols.length} protocols, ${rounds} rounds; ${machine()}`);

const ratios = [];
const all = [];
for (let round = 0; round < rounds; round += 1) {
  const [vectors, words] = await inTurn(['static', 'none']);
  ratios.push(vectors / words);
  all.push(words);
}
row('CPU time of a server with vectors', `${median(ratios).toFixed(2)} × of one without`);
row(
  'a mint without vectors',
  `${((10 * median(all)) / (protocols.length - FIRST)).toFixed(1)} ms of CPU time`,
);

/** CPU time that each server needs to mint every protocol. */
async function inTurn(providers) {
  const home = mkdtempSync(join(tmpdir(), 'kairos-bench-mint-'));
  try {
    const servers = await Promise.all(
      providers.map((provider) => {
        const env = {
          PATH: process.env.PATH,
          HOME: home,
          KAIROS_DATA_DIR: join(home, provider, 'data'),
          KAIROS_CONFIG_DIR: join(home, provider, 'config'),
        };
        spawnSync(process.execPath, [BIN, 'config', 'set', 'embedding_provider', provider], { env });
        return overPipes([BIN, 'serve', '--log-level', 'error'], env);
      }),
    );
    const mintAll = async (from, to) => {
      for (const protocol of protocols.slice(from, to)) {
        for (const server of servers)
          await server.call('kairos_mint', { markdown_doc: toMarkdown(protocol) });
      }
    };
    // The first ones read the table and compile the program.
    await mintAll(0, FIRST);
    const before = servers.map((server) => server.cpu());
    await mintAll(FIRST);
    const spent = servers.map((server, at) => server.cpu() - before[at]);
    await Promise.all(servers.map((server) => server.close()));
    return spent;
  } finally {
    rmSync(home, { recursive: true });
  }
}

function toMarkdown({ title, triggers, description, steps }) {
  const phrases = triggers.map((phrase) => `- "${phrase}"\n`).join('');
  const sections = steps
    .map(
      (label) =>
        `## ${label}\n\n${label}. If it fails, stop and write down what was seen.\n\n\`\`\`sh proof timeout=5m\nmake ${label.toLowerCase().replaceAll(/[^a-z]+/g, '-')}\n\`\`\`\n`,
    )
    .join('\n');
  return `# ${title}\n\n${description}\n\n## Natural language triggers\n\n${phrases}\n${sections}`;
}
