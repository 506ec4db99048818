import { expect, it } from 'vitest';
import { readsAsProse } from '../../src/shell/placeholder.ts';

it.each([
  'npm test',
  'git rev-parse --abbrev-ref HEAD | grep -v main',
  'test -f cache/proof.log',
  'make build && make test',
  'git commit -m "add the thing that was to be added"',
  './check.sh',
  'Rscript analysis.R',
  'echo "the end of it all"',
  'python3 manage.py test',
])('treats %s as a command', (text) => {
  expect(readsAsProse(text)).toBe(false);
});

it.each([
  'record the commit hash inside the log.',
  'The build is green',
  'Show all tests',
  "post the exact 3' plan in the log",
  'ログを残す',
  'überprüfe alles',
  'sieh die Prüfung an',
  'all reviewers have signed off',
  'paste the output here (',
])('treats %s as a sentence', (text) => {
  expect(readsAsProse(text)).toBe(true);
});
