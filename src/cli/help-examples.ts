import { programName } from '../base/command-line.ts';

/** Examples of help pages, in the order of the help. A test runs each of them. */
export const HELP_EXAMPLES: readonly string[] = [
  'kairos run deploy.md --dry-run',
  'kairos run deploy --input HOST=web1 --answers answers.yaml',
  'kairos resume latest',
  'kairos search "put the new version on the web server"',
  'kairos begin deploy --input HOST=web1',
  'kairos next kairos://mem/UUID --solution @solution.json',
  'kairos answer latest',
  'kairos answer latest "yes, continue"',
  'kairos attest deploy failure "The host did not answer." --run latest',
  'kairos proposal list',
  'kairos proposal show latest',
  'kairos proposal new latest > proposal.json',
  'kairos proposal validate latest proposal.json',
  'kairos proposal submit latest proposal.json',
  'kairos proposal approve latest --key ~/.ssh/id_ed25519',
  'kairos proposal deny latest --key ~/.ssh/id_ed25519 --reason "Not this week."',
  'kairos proposal request latest --out request.json',
  'kairos proposal sign request.json --key ~/.ssh/id_ed25519 --out answer.json',
  'kairos proposal submit-answer answer.json',
  'kairos proposal policy check',
  'kairos policy check',
  'kairos policy test cases.yaml',
  'kairos policy explain --action delete --resource-type table --resource-id users --domain db.example',
  'kairos rollback latest 2 --dry-run',
  'kairos trust deploy.md',
  'kairos trust --list',
  'kairos mint deploy.md',
  'kairos mint protocols/ --force',
  'kairos list',
  'kairos list --space ops --json',
  'kairos show deploy',
  'kairos log deploy',
  'kairos diff deploy 1 2',
  'kairos dump deploy > deploy.md',
  'kairos update deploy --file deploy.md',
  'kairos update deploy --tags web,release',
  'kairos delete deploy',
  'kairos runs',
  'kairos runs show latest',
  'kairos runs list --protocol deploy --since 7d',
  'kairos runs show latest --entries',
  'kairos runs export latest --out run.jsonl',
  'kairos runs diff 3f2a 9c41',
  'kairos runs stats deploy --since 30d',
  'kairos runs note latest "The host was rebooted at noon."',
  'kairos runs close latest --reason "The release was called off."',
  'kairos runs prune --older-than 90d --dry-run',
  'kairos report latest --out report.html',
  'kairos report latest --format md',
  'kairos graph deploy.md',
  'kairos graph latest --format svg --out run.svg',
  'kairos view --port 8080',
  'kairos attestation latest',
  'kairos verify latest',
  'kairos verify --all',
  'kairos store export backup.jsonl',
  'kairos store import backup.jsonl --dry-run',
  'kairos store copy old.db new.db --dry-run',
  'kairos new restart.md --title "Restart the web server"',
  'kairos lint',
  'kairos lint protocols/ --fix',
  'kairos fmt deploy.md --check',
  'kairos migrate protocols/ --diff',
  'kairos import runbook.md --out protocols --dry-run',
  'kairos export deploy.md --skill --out skills',
  'kairos schema step-block',
  'kairos lsp',
  'kairos serve',
  'kairos serve --http 127.0.0.1:7777',
  'kairos install claude-code --print',
  'kairos gateway --name github -- npx -y @modelcontextprotocol/server-github',
  'kairos hold list',
  'kairos hold test "npm publish"',
  'kairos hold explain "npm publish"',
  'kairos hook claude-code < event.json',
  'kairos index',
  'kairos key show',
  'kairos key show --pem > kairos.pem',
  'kairos key new',
  'kairos key rotate',
  'kairos key import ~/.ssh/id_ed25519',
  'kairos config',
  'kairos config set space ops',
  'kairos config get store',
  'kairos config unset space',
  'kairos config path',
  'kairos doctor',
  'kairos completion bash > ~/.local/share/bash-completion/completions/kairos',
];

/** At most two for a page. */
function examplesOf(words: string): string[] {
  const start = `kairos ${words}`;
  return HELP_EXAMPLES.filter((line) => line === start || line.startsWith(`${start} `)).slice(0, 2);
}

/** Exit codes that only some commands have. */
const RUN_CODES = `
Exit codes:
  0    the run is sealed as a success
  1    a proof failed, or the run is sealed as a failure
  2    usage, or input that cannot be used
  3    input is needed; the questions are on standard output
  4    you stopped; the run stays open
  124  the command of a step timed out
  130  Ctrl-C; 128 + n for another signal`;

/** The end of a command's help page: its exit codes, and examples. */
export function helpEnd(words: string): string {
  const codes = words === 'run' || words === 'resume' ? `${RUN_CODES}\n` : '';
  const examples = examplesOf(words);
  return examples.length === 0
    ? codes
    : `${codes}\nExamples:\n${examples.map((line) => `  ${programName()}${line.slice('kairos'.length)}`).join('\n')}`;
}
