import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { matchHolds } from '../../../src/gate/holds.ts';
import { readScripts } from '../../../src/host/commands/started-files.ts';

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'kairos-started-')));
  mkdirSync(join(folder, 'sub'));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  for (const name of ['ship.sh', 'sub/ship.sh', 'note']) write(name, 'git push\n');
  write('program.py', '#!/usr/bin/env python3\nprint("git push")\n');
  write('binary', 'git push\0');
  write('package.json', PACKAGE);
  write('Makefile', MAKEFILE);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PACKAGE = JSON.stringify({
  scripts: {
    build: 'tsc',
    test: 'vitest run',
    release: 'npm run build && git push',
    deploy: 'run-s build release',
    stamp: 'tsc',
    poststamp: 'git push',
    around: 'npm run around',
  },
});
const MAKEFILE = `GIT = git
CC ?= gcc
FLAGS += -O2
.PHONY: all test
all: test
	$(CC) $(CFLAGS) -c $< -o $@
test:
	@npm run build
	X=$$(git rev-parse HEAD); echo $$X
deploy: build tag
	@echo done
tag: ; $(GIT) push --tags
build:
	$(CC) $(FLAGS) x.c
again:
	$(MAKE) deploy
inner:
	echo $(shell git push)
loop: loop
`;

/** Whether a command is held, with the files that it starts. */
function isHeld(command: string): boolean {
  const hold = {
    match: { command: 'git push' },
    protocol: 'p',
    allow_when: 'demanded',
    else: 'deny',
  } as const;
  const listed = { hold, origin: 'user', source: '' } as const;
  return (
    matchHolds([listed], { kind: 'command', command, folder, scripts: readScripts(command, folder) }).length >
    0
  );
}

describe('the files that a command starts', () => {
  it.each([
    'sh ship.sh',
    's\\h "ship.sh"',
    './ship.sh',
    'cd sub && ./ship.sh',
    '(cd sub; sh ship.sh)',
    'env -C sub ./ship.sh',
    'sh < ship.sh',
    'cat ship.sh | sh',
    'cat ./sub/ship.sh | bash -s',
    'bash -c "$(cat ship.sh)"',
    'eval "$(<ship.sh)"',
    'source <(cat note)',
    'bash <(cat note)',
    'ssh localhost bash -s < ship.sh',
    'ssh localhost < note',
    'while read -r l; do eval "$l"; done < note',
    'xargs -I% sh -c % < note',
    'BASH_ENV=./note bash -c true',
    'env BASH_ENV=note bash -c true',
    'PAGER=./ship.sh git log',
    "GIT_EDITOR='sh ship.sh' git commit",
    'env -u X EDITOR=./sub/ship.sh crontab -e',
    'MAKEFILES=note make missing',
    'export ENV=note; sh -i',
    'at -f note now',
    'npm run release',
    'npm run deploy',
    'npm run stamp',
    'npm --prefix . run release',
    'cd sub && npm run release',
    'yarn release',
    'pnpm run -s deploy',
    'sudo npm run release',
    'make deploy',
    'make tag',
    'make again',
    'make -j4 inner',
    'make -C . tag',
    'gmake -f Makefile tag',
    'cd sub; make -C .. tag',
  ])('are read: %s', (command) => {
    expect(isHeld(command)).toBe(true);
  });

  it.each([
    'cat ship.sh',
    'CHANGES=./note npm test',
    'cat note | ssh host "cat > note"',
    'eval "$(ssh-agent -s)"',
    'find . -type f -exec chmod 644 note {} +',
    'python3 program.py',
    './program.py',
    './binary',
    './missing.sh',
    'npm test',
    'npm run build',
    'npm run around',
    'npm run missing',
    'npm install release-it',
    'make',
    'make test',
    'make build',
    'make loop',
    'make missing',
  ])('are not held without a held command: %s', (command) => {
    expect(isHeld(command)).toBe(false);
  });

  it('are named with the command', () => {
    expect(readScripts('make deploy', folder)).toEqual([
      { path: join(folder, 'Makefile'), text: 'make build tag\necho done' },
      { path: join(folder, 'Makefile'), text: 'gcc -O2 x.c\ngit push --tags' },
    ]);
  });
});
