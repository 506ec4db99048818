// Start-up as a ratio to an empty Node program, in one run: node bench/startup.mjs [rounds]
import { spawnSync } from 'node:child_process';
import { BIN, interleave, machine, median, row, withHome } from './lib.mjs';

const rounds = Number(process.argv[2] ?? 15);
console.log(`start-up, ${rounds} rounds in turn; ${machine()}`);

withHome(({ env }) => {
  spawnSync(
    process.execPath,
    [BIN, 'mint', new URL('../protocols/verify-fresh-install.md', import.meta.url).pathname],
    { env },
  );
  const times = interleave(
    {
      'node -e 0': ['-e', '0'],
      'kairos --version': [BIN, '--version'],
      'kairos list': [BIN, 'list'],
      'kairos search install': [BIN, 'search', 'install'],
      'kairos begin': [BIN, 'begin', 'verify-fresh-install'],
      'kairos runs show latest': [BIN, 'runs', 'show', 'latest'],
    },
    rounds,
    { env },
  );
  const base = times['node -e 0'];
  for (const [name, list] of Object.entries(times)) {
    const ratio = median(list.map((ms, at) => ms / base[at]));
    row(name, `${median(list).toFixed(0)} ms   ${ratio.toFixed(2)} × node -e 0`);
  }
});
