import { describe, expect, it } from 'vitest';
import { elsewhereIn, leftOpen } from '../../src/protocol/import/proofs.ts';

describe('a command of an import', () => {
  it.each([
    ['On the database server, run:', 'On the database server'],
    ['Look at the disk on each web server:', 'on each web server'],
    ['On db1, run:', 'On db1'],
    ['As root:', 'As root'],
    ['As the `postgres` user, run:', 'As the `postgres` user'],
    ['(Optional) Look at the disk:', '(Optional)'],
    ['Log in to the bastion.', 'Log in to the bastion'],
    ['First `cd /srv/app`, then look:', 'cd /srv/app'],
  ])('sees below %j that a command belongs elsewhere', (before, place) => {
    expect(elsewhereIn({ label: 'Look', before, earlier: null })).toBe(place);
  });

  it.each([
    'Check how full it is:',
    'Look at the pods on the cluster:',
    'As before, look at it:',
    'In the end:',
  ])('sees no other place in %j', (before) => {
    expect(elsewhereIn({ label: 'Look', before, earlier: null })).toBeNull();
  });

  it.each([
    ['```bash\ncd /srv/app\n```', 'cd /srv/app'],
    ['```sh\nssh -i key web1\n```', 'ssh -i key web1'],
    ['`ssh web1`', 'ssh web1'],
    ['```\nsource venv/bin/activate\n```', 'source venv/bin/activate'],
    ['```sh\nexport A=1\n```', 'export A=1'],
    ['```sh\nsudo -i\n```', 'sudo -i'],
    ['Run `cd infra` first.', 'cd infra'],
    ['SSH into the box and wait.', 'SSH into'],
    ['```sh\nssh web1 uptime\n```', null],
    ['```js\nexport default x\n```', null],
    ['The code of the\nsource is here.', null],
    ['```sh\nmake test\n```', null],
  ])('sees what %j leaves open', (text, expected) => {
    expect(leftOpen(text.split('\n'))).toBe(expected);
  });

  it('finds where a command belongs that follows another one that moved', () => {
    expect(elsewhereIn({ label: 'Look', before: '', earlier: 'ssh web1' })).toBe('ssh web1');
  });
});
