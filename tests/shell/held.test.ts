import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { globs } from '../../src/base/command-line.ts';
import { findHeld } from '../../src/shell/held.ts';
import { mayContain, readCommandPattern, sameCommand, splitFolder } from '../../src/shell/same-command.ts';
import { scriptFiles } from '../../src/shell/started.ts';
import { runs } from '../support/thorough.ts';

const PUSH = readCommandPattern('git push')!;
/** The lists of `held-commands.txt`: what is held, what only seems so, and what a reader of the command can't see. */
const COMMANDS = new Map(
  readFileSync(new URL('held-commands.txt', import.meta.url), 'utf8')
    .split('\n# ')
    .slice(1)
    .map((part) => {
      const [kind = '', ...commands] = part.trim().split('\n');
      return [kind, commands] as const;
    }),
);
const certainty = (script: string, pattern = 'git push') =>
  findHeld(script, readCommandPattern(pattern)!)?.certainty ?? null;

describe('a command pattern', () => {
  it('is one simple command without expansions', () => {
    expect(PUSH).toEqual({ text: 'git push', name: 'git', words: ['push'], options: [], values: [] });
    for (const text of ['', 'a; b', 'a | b', '$x push', 'git push &', 'sudo git push', 'if'])
      expect(readCommandPattern(text)).toBeNull();
  });

  it.each([
    ['npm publish --tag latest', 'npm publish --tag=latest', 'same'],
    ['npm publish --tag latest', 'npm --tag latest publish', 'same'],
    ['git push --force', 'git push origin --force', 'same'],
    ['git push -f', 'git push -uf origin', 'same'],
    ['git push --force', 'git push', null],
    ['npm run deploy*', 'npm run deploy:prod', 'same'],
    ['npm run deploy*', 'npm run test', null],
    ['terraform apply', 'terraform -chdir=prod apply -auto-approve', 'same'],
    ['kubectl delete', 'kubectl -n prod delete pod x', 'same'],
    ['rm', 'rm -rf build', 'same'],
    ['terraform apply', 'terraform apply -help', null],
    ['kubectl delete', 'kubectl delete --help', null],
    ['deploy prod', 'deploy prod --help', 'same'],
    ['kubectl delete', 'kubectl -n "$NS" get pods', null],
    ['kubectl delete', 'kubectl -n $NS get pods', 'possible'],
    ['npm publish', 'npm --prefix "$d" test', null],
    ['npm publish', 'npm --prefix "$d" publish', 'same'],
    ['kubectl -n prod delete', 'kubectl -n prod delete pod x', 'same'],
    ['kubectl -n prod delete', 'kubectl -n "$NS" delete pod x', 'possible'],
    ['npm publish', 'npm "$d"', 'possible'],
    ['dropdb', '"$EDITOR" README.md', null],
    ['dropdb', '$CC -o x x.c', null],
    ['dropdb', 'X=dropdb; $X live', 'possible'],
    ['dropdb', "export X=dropdb; sh -c '$X live'", 'possible'],
    ['dropdb -f', '$X -f live', 'possible'],
  ])('%s covers %s: %s', (pattern, script, expected) => {
    expect(certainty(script, pattern)).toBe(expected);
  });

  it.each([
    ...['command -v psql', 'psql --help', 'psql --version', 'git commit -m psql', 'git checkout psql'],
    ...['docker run --name psql -d postgres', 'kubectl get pod psql', 'systemctl status psql'],
    ...['apt-get install -y psql', 'npm install psql', 'cargo test psql', 'ping psql', 'ssh psql uptime'],
  ])('of one word is no more than a name in: %s', (script) => {
    expect(certainty(script, 'psql')).toBeNull();
  });

  it.each([
    ...['docker exec db psql -c x', 'docker run --rm psql', 'ssh db psql', 'kubectl exec p -- psql'],
    ...['mywrapper psql -c x', 'npx psql', 'find . -exec psql {} \\;', 'xargs psql', 'git bisect run psql'],
    ...['gcloud compute ssh x --command psql', 'go run ./cmd/psql', 'git rebase -x psql', 'su -c psql'],
  ])('of one word is run by: %s', (script) => {
    expect(certainty(script, 'psql')).toBe('possible');
  });

  it.each([
    ...['git add bin/deploy.sh', 'git log -p deploy.sh', 'vim deploy.sh', 'shellcheck bin/deploy.sh'],
    ...['sed -n 1,5p deploy.sh', 'find . -name deploy.sh', 'bash -n deploy.sh', 'scp deploy.sh h:'],
  ])('of a script is not run by: %s', (script) => {
    expect(certainty(script, 'sh deploy.sh')).toBeNull();
  });

  it.each([
    ...['./bin/deploy.sh', '. deploy.sh', 'find . -name deploy.sh -exec sh {} \\;', 'flock x ./deploy.sh'],
    ...['git bisect run ./deploy.sh', 'vim -c "!./deploy.sh"', 'ssh h sh deploy.sh', 'bash -x deploy.sh'],
    ...[
      'tar -cf x.tar -I ./deploy.sh .',
      'tar -xf x.tar --to-command ./deploy.sh',
      'rsync -e ./deploy.sh a h:b',
    ],
  ])('of a script is run by: %s', (script) => {
    expect(certainty(script, 'sh deploy.sh')).not.toBeNull();
  });
});

describe('a held command is found', () => {
  it.each([
    'git push',
    'cd x && git push origin main',
    'git -C dir push',
    'git --no-pager push',
    '/usr/bin/git push',
    '\\git push',
    `g"it" 'push'`,
    "$'git' push",
    'git pu\\\nsh',
    `sh -c 'git push'`,
    'bash -lc "git push"',
    'env A=1 git push',
    'env -S "git push"',
    'sudo -u x git push',
    'eval "git push"',
    'alias p="git push"; p',
    'f() { git push; }; f',
    'trap "git push" EXIT',
    'echo $(git push)',
    'timeout 5 git push',
    'nohup git push &',
    'git -c alias.p=push p',
    "git -c alias.p='!git push' p",
    'if true; then git push; fi',
    'busybox sh -c "git push"',
    'su -c "git push" me',
    'GIT_DIR=x git push',
    'git push || true',
    '`git push`',
    'bash <<EOF\ngit push\nEOF',
    "sh <<< 'git push'",
  ])('for certain in %s', (script) => {
    expect(certainty(script)).toBe('same');
  });

  it.each([
    'echo push | xargs git',
    'G=git; $G push',
    'X="git push"; $X',
    '{git,push}',
    'git $X',
    'git pus{h,}',
    'echo "git push" | sh',
    `python3 -c "import os; os.system('git push')"`,
    'python3 - <<EOF\nrun(["git", "push"])\nEOF',
    'if git push',
    'eval "$(decode git)"',
  ])('as possible in %s', (script) => {
    expect(certainty(script)).toBe('possible');
  });

  it.each([
    'git status',
    'git commit -m push',
    'git commit -m "do not git push"',
    'git log $X',
    'xargs git add',
    'echo git push',
    'grep -r "git push" .',
    'cat <<EOF\ngit push\nEOF',
    '$X foo',
    'node -e "console.log(1)"',
    'if true',
  ])('not in %s', (script) => {
    expect(certainty(script)).toBeNull();
  });

  it.each([...COMMANDS])('%s', (kind, commands) => {
    const isHeld = (command: string) => findHeld(command.replaceAll('|NL|', '\n'), PUSH) !== null;
    expect(commands.filter((command) => isHeld(command) !== (kind === 'held'))).toEqual([]);
  });

  it('behind any number of wrappers', () => {
    const wrapper = fc.constantFrom('sudo ', 'env A=1 ', 'nohup ', 'time ', 'command ', 'exec ');
    fc.assert(
      fc.property(fc.array(wrapper, { maxLength: 4 }), (wrappers) => {
        expect(certainty(`${wrappers.join('')}git push`)).toBe('same');
      }),
    );
  });

  it('only where it can be', () => {
    for (const [kind, commands] of COMMANDS)
      for (const command of kind === 'held' ? commands : [])
        expect([command, mayContain(command.replaceAll('|NL|', '\n'), 'git push')]).toEqual([command, true]);
    const word = fc.constantFrom(
      ...[
        'git',
        'Git',
        'push',
        'sh',
        '-c',
        'ln',
        'env',
        'alias',
        'p=push',
        'GIT_CONFIG_VALUE_0=push',
        'xargs',
        'g',
        'it',
      ],
      ...[
        ' ',
        ' ',
        ' ',
        '\n',
        '\\\n',
        ';',
        '|',
        '&&',
        "'",
        '"',
        '\\',
        '(',
        ')',
        '$',
        '`',
        '<<X',
        '<(',
        '>',
        '.',
        '/',
        '-',
      ],
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 14 }), (words) => {
        const script = words.join('');
        expect(mayContain(script, 'git push') || findHeld(script, PUSH) === null).toBe(true);
      }),
      { numRuns: runs(3000) },
    );
  });

  it('as possible, where the search ends early, by the name of the program', () => {
    const cut = (script: string) => findHeld(script, PUSH, () => true);
    expect([cut('cd x; git status'), cut('cd x; ls')]).toEqual([
      { certainty: 'possible', text: 'cd x; git status' },
      null,
    ]);
    const padded = (text: string) => certainty(`${'true; '.repeat(100_000)}${text}`);
    expect([padded('git status'), padded('ls')]).toEqual(['possible', null]);
    expect(certainty(`${'xargs '.repeat(5000)}git push`)).toBe('possible');
  });

  it('and never throws for any script', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...`git push$'"\`|&;(){}<>*-=\\\n `) }), (script) => {
        const found = findHeld(script, PUSH);
        expect(found === null || found.certainty.length > 0).toBe(true);
      }),
    );
  });
});

describe('the same command', () => {
  it('has the same words, with any spacing, quotes and comments', () => {
    expect(sameCommand('git  push origin "main"', 'git push origin main # now')).toBe(true);
    // Only the second one needs the shell parser.
    expect(sameCommand('A=b git push >x', "A=b git\\\n 'push' >x")).toBe(true);
    expect(sameCommand('git push', 'git push -f')).toBe(false);
    expect(sameCommand('npm test', 'npm test && git push')).toBe(false);
    expect(sameCommand('echo *', 'echo "*"')).toBe(false);
    expect(sameCommand('echo "$A"', 'echo $A')).toBe(false);
  });

  it('may follow a change of folder', () => {
    expect(splitFolder('cd /a/b && git push && ls')).toEqual({ folder: '/a/b', command: 'git push && ls' });
    for (const command of ['git push', 'cd $X && ls', 'cd - && ls', 'cd a || ls'])
      expect(splitFolder(command)).toEqual({ folder: null, command });
  });
});

it('lists the script files that a script runs', () => {
  const script = 'sudo ./x.sh; sh a.sh -x; . ./b; cat ./c.sh; bash -c "sh d.sh"; sh -x e.sh; sh $F';
  expect(scriptFiles(script)).toEqual(['./x.sh', 'a.sh', './b', 'd.sh', 'e.sh']);
});

it('matches texts with gaps', () => {
  expect(['a*c', '*', 'a*b*c', 'abc'].map((pattern) => globs(pattern, 'abc'))).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(['a*b', 'ab', '*abcd', 'a*bc*bc'].map((pattern) => globs(pattern, 'abc'))).toEqual(
    Array(4).fill(false),
  );
});

it('finds an option with one dash or two', () => {
  const approve = readCommandPattern('terraform apply -auto-approve')!;
  expect(findHeld('terraform apply --auto-approve', approve)).not.toBeNull();
  expect(findHeld('terraform apply -auto-approve', approve)).not.toBeNull();
  expect(findHeld('terraform apply -auto', approve)).toBeNull();
});
