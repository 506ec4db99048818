import { describe, expect, it } from 'vitest';
import { parseScript } from '../../src/shell/commands.ts';
import { placeholders } from '../../src/shell/placeholder.ts';

const found = (script: string) =>
  placeholders(parseScript(script)).map(({ pos, end }) => script.slice(pos, end));

describe('placeholders', () => {
  it.each([
    ['kubectl get pod <pod-name> -n <namespace>', ['<pod-name>', '<namespace>']],
    ['ssh <the host>', ['<the host>']],
    ['curl {{url}}/health', ['{{url}}']],
    ['curl "https://{{ host }}/health"', ['{{ host }}']],
    ['export TOKEN=YOUR_API_TOKEN && deploy', ['YOUR_API_TOKEN']],
    ['gh repo clone your-org/app', ['your-org']],
    ['psql -d CHANGEME', ['CHANGEME']],
    ['git clone https://host/yourGitHubUsername/site', ['yourGitHubUsername']],
    ['export KEY=replace-me && deploy', ['replace-me']],
    ['cp /path/to/backup.sql .', ['/path/to/backup.sql']],
    ['curl -H "X-Key: <API_KEY>" localhost', ['<API_KEY>']],
    ["login --user '<user-name>'", ['<user-name>']],
    ['deploy ${{ secrets.TOKEN }}', ['${{ secrets.TOKEN }']],
  ])('are found in %s', (script, expected) => {
    expect(found(script)).toEqual(expected);
  });

  it('are at the place of an inner script', () => {
    expect(found("sh -c 'kubectl get pod <pod>'")).toEqual(["sh -c 'kubectl get pod <pod>'"]);
  });

  it.each([
    'psql < dump.sql > log',
    'sort <list >sorted',
    "docker inspect --format '{{.State.Status}}' web",
    "gh pr list --template '{{range .}}{{.title}}{{end}}'",
    'echo "$YOUR_TOKEN"',
    'grep "<title>" index.html',
    "grep '<my-element>x</my-element>' index.html",
    'echo "<b>done</b>"',
    'npm run todo',
    'npm run replace-version-placeholder',
    'test -d my-app && cd my-app',
    'ls mypath/topics',
    'awk "{ print $1 }"',
    'cat <<EOF\n<name>\nEOF',
    'if [ 1 -lt 2 ]; then echo a>b; fi',
  ])('are not seen in %s', (script) => {
    expect(found(script)).toEqual([]);
  });
});
