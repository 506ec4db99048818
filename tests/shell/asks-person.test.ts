import { describe, expect, it } from 'vitest';
import { parseScript } from '../../src/shell/commands.ts';
import { asksPerson, neverEnds } from '../../src/shell/never-ends.ts';

const asks = (script: string) => parseScript(script).commands.flatMap((command) => asksPerson(command) ?? []);
const endless = (script: string) =>
  parseScript(script).commands.flatMap((command) => neverEnds(command) ?? []);

describe('asksPerson', () => {
  it.each([
    ['vim notes.md', 'vim'],
    ['sudo visudo', 'visudo'],
    ['git rebase -i main', 'git rebase -i'],
    ['git commit', 'git commit without a message'],
    ['git commit --amend', 'git commit without a message'],
    ['git add -p', 'git add -p'],
    ['ssh -p 22 deploy@host', 'ssh without a command'],
    ['kubectl exec -it web -- sh', 'kubectl with a terminal'],
    ['docker exec -it db psql', 'docker with a terminal'],
    ['python3', 'python3 without a script'],
    ['psql -h db app', 'psql without a query'],
    ['kubectl -n apps edit pvc data', 'kubectl edit'],
    ['kubectl -n apps exec -it web -- sh', 'kubectl with a terminal'],
    ['git -C app add -p', 'git add -p'],
    ['top', 'top'],
    ['crontab -e', 'crontab -e'],
    ['read answer', 'read'],
    ['gh auth login', 'gh auth login'],
    ['aws configure', 'aws configure'],
    ['terraform apply', 'terraform apply without -auto-approve'],
    ['su', 'su'],
    ['sudo -i', 'sudo -i'],
  ])('knows %s', (script, what) => {
    expect(asks(script)).toEqual([what]);
  });

  it.each([
    'vim --version',
    'git rebase main',
    'git commit -m "Fix"',
    'git commit -qam Fix',
    'git commit --message="Fix"',
    'git commit --amend --no-edit',
    'ssh -p 22 deploy@host uptime',
    'ssh -i key host "df -h"',
    'ssh -fN -L 5432:db:5432 host',
    'ssh host <<EOF\nuptime\nEOF',
    'kubectl exec web -- ls',
    'docker run --rm app npm test',
    'echo "print(1)" | python3',
    'python3 check.py',
    'psql app < dump.sql',
    'psql -XAtc "select 1"',
    'psql --file=x.sql',
    'top -b -n 1',
    'crontab -l',
    'while read -r line; do echo "$line"; done < list',
    'cat list | while read -r line; do echo "$line"; done',
    'command -v vim',
    'terraform apply plan.out',
    'terraform apply -auto-approve',
    'aws configure list',
    'npm init -y',
    'bash deploy.sh',
  ])('lets %s be', (script) => {
    expect(asks(script)).toEqual([]);
  });
});

describe('neverEnds', () => {
  it.each([
    ['tail -f log', 'tail -f'],
    ['tail -n 5 -F log', 'tail -f'],
    ['watch kubectl get pods', 'watch'],
    ['kubectl port-forward svc/db 5432', 'kubectl port-forward'],
    ['kubectl logs -f web', 'kubectl logs -f'],
    ['docker compose up', 'docker compose up'],
    ['npm start', 'npm start'],
    ['npm run dev', 'npm start'],
    ['ping host', 'ping without -c'],
    ['python3 -m http.server 8000', 'python3 -m http.server'],
  ])('knows %s', (script, what) => {
    expect(endless(script)).toEqual([what]);
  });

  it.each([
    'tail -n 20 log',
    'timeout 30 tail -f log',
    'npm start & sleep 5',
    'npm run build',
    'docker compose up -d',
    'kubectl logs web',
    'ping -c 3 host',
    'watch -g cat file',
  ])('lets %s be', (script) => {
    expect(endless(script)).toEqual([]);
  });
});
