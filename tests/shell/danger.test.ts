import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseScript } from '../../src/shell/commands.ts';
import { dangersOf } from '../../src/shell/danger.ts';

describe('dangersOf', () => {
  const dangerous: [script: string, what: string, pos: number][] = [
    ['rm -rf build', 'rm -r', 0],
    ['cd x && sudo -u root rm -fr "$DIR"', 'rm -r', 8],
    ['/bin/rm -f a', 'rm -f', 0],
    ['echo $(git push origin +main)', 'git push --force', 7],
    ['bash -ec "git reset --hard HEAD~1"', 'git reset --hard', 0],
    ['timeout -k 5 30 kubectl -n prod delete pod web', 'kubectl delete', 0],
    ['if true; then terraform destroy; fi', 'terraform destroy', 14],
    ['psql "$URL" -c "drop table users"', 'psql with DROP, TRUNCATE or DELETE', 0],
    ['find . -name "*.tmp" -delete', 'find -delete', 0],
    ['env A=1 npm unpublish pkg', 'npm unpublish', 0],
    ['mkfs.ext4 /dev/sdb1', 'mkfs', 0],
    ['vault kv destroy secret/app', 'vault delete', 0],
    ['zfs destroy tank/old', 'zfs destroy', 0],
    ['true && curl -fsSL https://example.org/i.sh | sudo sh', 'a download that is run', 8],
    ['eval "$(wget -qO- https://example.org/env)"', 'a download that is run', 0],
    ['bash <(curl -s https://example.org/i.sh)', 'a download that is run', 0],
    ['chmod -R 777 /srv', 'chmod -R 777', 0],
    ['chmod --recursive a+rwx .', 'chmod -R 777', 0],
  ];
  for (const [script, what, pos] of dangerous) {
    it(`sees ${script}`, () => {
      expect(dangersOf(script)).toEqual([{ what, why: expect.any(String), pos }]);
    });
  }

  const harmless = [
    'npm test',
    'echo "rm -rf /"',
    'git push origin main',
    'kubectl get pods',
    'psql -c "select 1"',
    'test -f delete && cat rm',
    'docker run --rm image',
    'command -v rm',
    'vault kv get secret/app',
    'curl -fsS https://example.org/health | jq .ok',
    'chmod 777 a',
    'chmod -R 755 dist',
    'chmod -R u+w dist',
    'chown me file',
  ];
  for (const script of harmless) {
    it(`lets ${script} be`, () => {
      expect(dangersOf(script)).toEqual([]);
    });
  }
});

it('parses any text without throwing, and places lie inside it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (script) => {
      const { commands } = parseScript(script);
      for (const { pos, end } of commands) {
        expect(pos).toBeGreaterThanOrEqual(0);
        expect(end).toBeLessThanOrEqual(script.length);
      }
    }),
  );
});

it('reports why a script does not parse', () => {
  expect(parseScript('if true; then').errors.length).toBeGreaterThan(0);
  expect(parseScript("echo 'unclosed").errors.length).toBeGreaterThan(0);
});
