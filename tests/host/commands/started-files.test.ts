import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { matchHolds } from '../../../src/gate/holds.ts';
import { readScripts } from '../../../src/host/commands/started-files.ts';
import { patternFiles } from '../../../src/host/files/pattern-files.ts';

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'kairos-started-')));
  mkdirSync(join(folder, 'sub'));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  for (const name of ['ship.sh', 'sub/ship.sh', 'note']) write(name, 'git push\n');
  write('program.py', '#!/usr/bin/env python3\nprint("git push")\n');
  write('binary', 'git push\0');
  write('ship', '#!/bin/sh\ngit push\n');
  chmodSync(join(folder, 'ship'), 0o755);
  write('large.sh', `${'# padding\n'.repeat(60_000)}git push\n`);
  write('large-clean.sh', `${'# padding\n'.repeat(60_000)}ls\n`);
  mkdirSync(join(folder, 'ok'));
  write('ok/package.json', '{"scripts": {"release": "tsc"}}');
  mkdirSync(join(folder, 'life'));
  write(
    'life/package.json',
    '{"scripts": {"pretest": "git push", "prepare": "git push", "view": "git push"}}',
  );
  mkdirSync(join(folder, 'deep'));
  for (let level = 0; level < 40; level += 1) write(`deep/${level}.sh`, `sh deep/${level + 1}.sh\n`);
  write('deep/40.sh', 'git push\n');
  write('other.mk', 'a: b\nb:\n\tgit push\nc:\n\tls\n');
  write('including.mk', 'include other.mk\n');
  write('pattern.mk', 'x:\n\tls\n%.y:\n\tgit push\n');
  write('reads.mk', 'X := $(shell git push)\nx:\n\tls\n');
  write('prefix.mk', '.RECIPEPREFIX = >\nx:\n> git push\n');
  write('variable.mk', 'x:\n\tgit $(T)\n');
  mkdirSync(join(folder, 'many'));
  for (let at = 0; at < 1000; at += 1) write(`many/f${at}`, '');
  mkdirSync(join(folder, 'tools/plain'), { recursive: true });
  write('tools/go', '#!/bin/sh\ngit push\n');
  chmodSync(join(folder, 'tools/go'), 0o755);
  write('tools/plain/text', 'git push\n');
  mkdirSync(join(folder, 'clean'));
  write('clean/x', '#!/bin/sh\nls\n');
  chmodSync(join(folder, 'clean/x'), 0o755);
  write('local.mk', '-include own.mk\nx:\n\tls\n');
  mkdirSync(join(folder, 'bin'));
  symlinkSync('/usr/bin/git', join(folder, 'bin/g'));
  for (const name of ['marked', 'comments', 'huge', 'bomb', 'open']) mkdirSync(join(folder, name));
  write('marked/package.json', `\ufeff${JSON.stringify({ scripts: { x: 'git push' } })}`);
  write('comments/package.json', '{"scripts": {"x": "\\u0067it \\"push\\"", // ship\n}}');
  write('huge/Makefile', `x:\n\tls\n# ${'padding '.repeat(2_200_000)}`);
  const bomb = ['A', 'B', 'C', 'D'].map((name, at) => `${name} = ${`$(${'BCDE'[at]})`.repeat(200)}\n`);
  write('bomb/Makefile', `${bomb.join('')}E = ls\nx:\n\t$(A)\n`);
  write('open/Makefile', `X = ${'$(shell '.repeat(20_000)}git push\nx:\n\tls\n`);
  for (const name of ['json5', 'yaml', 'folded', 'clear'])
    mkdirSync(join(folder, 'pnpm', name), { recursive: true });
  write('pnpm/json5/package.json5', "{scripts: {x: 'git \\x70ush', y: 'git push'}}");
  write('pnpm/yaml/package.yaml', 'name: x\nscripts:\n  x: git push\n');
  write('pnpm/folded/package.yaml', 'scripts:\n  x: >-\n    git\n    push\n');
  write('pnpm/clear/package.yaml', 'scripts:\n  x: tsc\n');
  mkdirSync(join(folder, 'includes/mk'), { recursive: true });
  for (let at = 0; at < 250; at += 1) write(`includes/mk/${at}.mk`, at === 249 ? 'x:\n\tgit push\n' : '');
  write('includes/Makefile', 'include mk/*.mk\n');
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
    shell: 'sh -c',
    wrapped: 'sudo',
    own: 'f() { eval "$1"; }; f',
    code: 'node x.mjs',
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
    matchHolds([listed], {
      kind: 'command',
      command,
      folder,
      ...readScripts(command, folder, { HOME: folder }),
    }).length > 0
  );
}

describe('a package of pnpm and a makefile with many files', () => {
  it.each(['json5', 'yaml', 'folded'])('are held where a script may run the command: %s', (name) => {
    expect(isHeld(`cd pnpm/${name} && pnpm run x`)).toBe(true);
    expect(isHeld(`pnpm --dir pnpm/${name} x`)).toBe(true);
  });

  it('are let through without it', () => {
    expect(isHeld('cd pnpm/clear && pnpm run x')).toBe(false);
  });

  it('are held after 200 files', () => {
    expect(isHeld('make -C includes x')).toBe(true);
    expect(readScripts('make x', join(folder, 'includes'))).toMatchObject({
      unread: join(folder, 'includes/Makefile'),
    });
  });
});

describe('the arguments of a script of npm', () => {
  it.each([
    "npm run shell -- 'git push'",
    "npm run shell 'git push'",
    'npm run wrapped git push',
    "npm run own 'git push'",
    "npm run code -- --name='git push'",
    "npm test --script-shell=./x 'git push'",
    "npm_config_script_shell=./x npm test 'git push'",
    'npm() { eval "$2"; }; npm test \'git push\'',
    "alias npm=eval; npm test 'git push'",
    "cd $X && npm test 'git push'",
    "ls | xargs npm test 'git push'",
    'npm test "$(git push)"',
    "npm test '$(git push)'",
    "npm exec -- 'git push'",
    "npx other 'git push'",
  ])('are held where it may run them: %s', (command) => {
    expect(isHeld(command)).toBe(true);
  });

  it.each([
    "npm test 'git push'",
    "npm test -- -x 'git push'",
    'npm run test git push',
    "npm run build -- --name='git push'",
    "cd sub && npm t 'git push' | tail -5",
    "npx vitest run 'git push'",
    "vitest run x 'git push'",
  ])('are not held where it only reads them: %s', (command) => {
    expect(isHeld(command)).toBe(false);
  });
});

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
    // The path is in a variable, a pattern or a substitution.
    '$PWD/ship.sh',
    '$(pwd)/ship.sh',
    '"$HOME/sub/../ship.sh"',
    '~/ship.sh',
    '~+/ship.sh',
    'F=ship.sh; sh $F',
    'D=sub; E=$D/ship.sh; sh "$E"',
    'cd "$PWD/sub"; ../ship.sh',
    'sh ./sh*',
    './sh?p.sh',
    'sh {x,ship}.sh',
    'for f in *.sh; do sh $f; done',
    'PATH=.:$PATH ship.sh',
    'export PATH=$PWD:$PATH; ship.sh',
    "sh -c 'F=ship.sh; sh $F'",
    'T=release; npm run $T',
    'T=deploy; make $T',
    'npm run rel*',
    // Options with a value.
    'bash -o pipefail ship.sh',
    'bash --init-file note -i -c true',
    'make -sC . tag',
    // An argument of another program.
    'trap ./ship.sh EXIT',
    'flock x ./ship',
    'watch ./ship.sh',
    'flock x sh note',
    'git bisect run ./ship.sh',
    "git -c alias.p='!sh note' p",
    "git -c core.editor='sh note' commit",
    'git difftool -x ./ship.sh',
    "vim -c ':!./ship.sh'",
    'find . -name ship.sh -exec {} \\;',
    "find . -name '*.sh' -exec sh {} \\;",
    "find . -name '*.sh' | xargs -n1 sh",
    'ls *.sh | xargs -n1 sh',
    `python3 -c "import os; os.system('./ship.sh')"`,
    'chmod +x note; flock x ./note',
    'bin/g push',
    // A copy of the file.
    'cp ship.sh aa; sh aa',
    'mv note aa; sh aa',
    'ln -s ship.sh aa; ./aa',
    'install -m755 note bb && ./bb',
    'cat note > cc; sh cc',
    'cat note | tee cc; sh cc',
    'dd if=note | sh',
    // A text that becomes a command.
    '$(cat note)',
    '$(<note)',
    'x=$(cat note); $x',
    'env $(cat note)',
    'xargs env < note',
    'cat note | xargs env',
    'exec < note; sh',
    'while read -r l; do $l; done < note',
    'mapfile -t a < note; ${a[0]}',
    // Large and deep ones.
    'sh large.sh',
    'sh deep/0.sh',
    // Makefiles and package.json.
    'make -f other.mk a',
    'make -fother.mk',
    'make --file=including.mk a',
    'make -f pattern.mk x.y',
    'make -f reads.mk x',
    'make -f prefix.mk',
    'make -f variable.mk T=push',
    'cd life && npm t',
    'npm --prefix life it',
    'npm -C life ins',
    'cd life; npm i',
    'node --run release',
    'make -kf other.mk a',
    'make -Bfother.mk a',
    'make --fil=other.mk a',
    'make --file other.mk a',
    'make -n -f reads.mk',
    'make -f other.mk a -n',
    'docker exec -i c sh < ship.sh',
    'rbash < note',
    'su < note',
    'sudo -s < note',
    'env -C sub ./ship.sh',
    'env --chdir=sub ../note',
    'sudo -D sub ./ship.sh',
    'git -c core.fsmonitor=./ship status',
    'git -c x.y=./ship status',
    'git fetch --upload-pack=./ship x',
    'GIT_PROXY_COMMAND=./ship git fetch',
    'bash ship.sh -n',
    'bash -n +n ship.sh',
    "find . -name '*.sh' -exec bash {} -n \\;",
    // A name from a list.
    'find tools -type f -exec sh {} \\;',
    'find tools -name go -exec {} \\;',
    'find . -type f -perm -100 -exec {} \\;',
    'find tools -type f -execdir sh {} +',
    `find tools -type f -exec bash -c 'sh "$1"' _ {} \\;`,
    'find tools -type f | xargs -n1 sh',
    'find tools -type f | xargs -I% %',
    'find tools -type f | while read s; do sh "$s"; done',
    'while read -r f; do bash "$f"; done < <(find tools -type f)',
    'mapfile -t a < <(find tools -type f); sh "${a[0]}"',
    'for s in $(find tools -type f); do sh "$s"; done',
    'for s in $(ls tools); do tools/$s; done',
    'for s in `ls tools`; do tools/$s; done',
    'ls tools | while read s; do sh tools/$s; done',
    's=$(ls tools | head -1); tools/$s',
    'sh tools/$(ls tools)',
    'cd tools && sh $(ls | head -1)',
    'for f in $(cd tools; ls); do sh tools/$f; done',
    'fd . tools -x sh {}',
    'run-parts --regex . tools',
    'cd tools/plain && for f in *; do sh $f; done',
    'cd tools/plain && for f in ./*; do sh $f; done',
    'cd tools/plain; a=(./t*); sh "${a[0]}"',
    // A file that the call writes.
    "cat > Makefile <<'X'\na:\n\tgit push\nX\nmake a",
    "printf 'a:\\n\\tgit push\\n' | tee new.mk; make -f new.mk",
    "echo 'x: ; git push' > own.mk; make -f local.mk",
    `echo '{"scripts":{"x":"git push"}}' > package.json; npm run x`,
    `sed -i 's/vitest run/git push/' package.json && npm test`,
    `jq '.scripts.test="git push"' package.json > t && mv t package.json && npm test`,
    `npm pkg set scripts.test="git push"; npm test`,
    'git apply <<\'X\'\n--- a/package.json\n+++ b/package.json\n+"test": "git push"\nX\nnpm test',
    "echo 'git push' > clean/x; sh -c 'find clean -type f -exec {} +'",
  ])('are read: %s', (command) => {
    expect(isHeld(command)).toBe(true);
  });

  it.each([
    'cat ship.sh',
    'bash -n *.sh',
    'for f in *.sh; do bash -n "$f"; done',
    "find . -name '*.sh' -exec bash -n {} \\;",
    "find . -name '*.sh' | xargs -n1 bash -n",
    'make -n -f other.mk a',
    'npm publish --help',
    'sudo tee x < note',
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
    'make -f other.mk c',
    'make -f variable.mk T=status',
    'cd ok && npm run release',
    '(cd ok; npm run release)',
    'npm --prefix ok run release',
    'cd life && npm view x',
    'F=ship.sh; cat $F',
    'bash -n ship.sh',
    'shellcheck ship.sh',
    'shellcheck $(git ls-files)',
    'vim "$(git ls-files)"',
    'tar czf x.tgz $(git ls-files)',
    'ruff check $(git ls-files)',
    '[ -z "$(git status --porcelain)" ] && echo clean',
    'sudo cat ship.sh',
    'npx prettier --write ship.sh',
    'git add ship.sh',
    'git diff note | cat',
    "find . -name '*.sh' | xargs shellcheck",
    "find . -name '*.sh' -exec chmod +x {} +",
    'ls *.sh | xargs -n1 basename',
    'cp ship.sh bb; sh cc',
    '. "$NVM_DIR/nvm.sh" && nvm use',
    'code note',
    'eslint note',
    'sh large-clean.sh',
    '$CC -c note',
    'PATH=$PWD/bin:$PATH; PATH=$PATH:x ls',
    'find clean -type f -exec sh {} \\;',
    'for s in $(ls clean); do clean/$s; done',
    'for s in $(ls tools); do echo "$s"; done',
    'find tools -type f | xargs -n1 cat',
    'find tools -type f | xargs sh -c \'wc "$@"\' _',
    'find tools -type f -exec bash -n {} \\;',
    'ls tools | head; $CC -c note',
    'ls tools; for f in clean/*; do sh $f; done',
    'ROOT=$(cd . && pwd); sh "$ROOT/clean/x"',
    'SHA=$(git rev-parse HEAD); sh clean/x $SHA',
    'for f in *; do cat "$f"; done',
    "echo 'git push' >> notes; make test",
    "cat > README.md <<'X'\ngit push\nX\nnpm test",
    'cat package.json; npm test; echo git push',
    `sed -i 's/1.0/1.1/' package.json && npm test && git status`,
  ])('are not held without a held command: %s', (command) => {
    expect(isHeld(command)).toBe(false);
  });

  it('are looked for in so many entries of folders and no more', () => {
    const files = patternFiles(() => false);
    const many = join(folder, 'many');
    expect(files.of('[a-z]*', many)).toHaveLength(1000);
    for (let pass = 0; pass < 100; pass += 1) files.of('[a-z]*', many);
    expect(files.isOver()).toBe(false);
    for (let pass = 0; pass < 40; pass += 1) files.of(`f*${'?'.repeat(pass)}*`, many);
    expect(files.isOver()).toBe(true);
    expect(files.of('f[1-3]*', many)).toEqual([]);
    const late = Array.from({ length: 40 }, (_, pass) => `many/f*${'?'.repeat(pass)}*`).join(' ');
    expect(readScripts(`ls ${late}`, folder).unread).toBeNull();
    expect(readScripts(`ls ${late}; sh many/f9*`, folder).unread).not.toBeNull();
  });

  it.each([
    ['npm run x', 'marked', { scripts: ['git push'], unread: null }],
    ['bun run x', 'comments', { scripts: ['scripts\nx\ngit "push"'], unread: null }],
    ['make x', 'huge', { scripts: [], unread: 'huge/Makefile' }],
    ['make x', 'bomb', { scripts: [], unread: 'bomb/Makefile' }],
  ])('reads %s in the folder %s', (command, name, expected) => {
    const { scripts, unread } = readScripts(command, join(folder, name));
    expect({ scripts: scripts.map(({ text }) => text), unread: unread && relative(folder, unread) }).toEqual(
      expected,
    );
  });

  it('reads a call of the shell that a makefile leaves open', () => {
    expect(readScripts('make x', join(folder, 'open')).scripts.map(({ text }) => text.slice(-11))).toContain(
      'git push\nls',
    );
  });

  it('do not grow a script without end', () => {
    const script = `${"x='git push';".repeat(600)}eval ${'"$x";'.repeat(600)}`;
    const { scripts } = readScripts(script, folder);
    expect(Math.max(0, ...scripts.map(({ text }) => text.length))).toBeLessThan(512 * 1024);
    expect(isHeld(script)).toBe(true);
  });

  it('are named with the command', () => {
    expect(readScripts('make deploy', folder)).toEqual({
      scripts: [{ path: join(folder, 'Makefile'), text: 'echo done\ngcc -O2 x.c\ngit push --tags' }],
      unread: null,
      written: null,
    });
  });
});
