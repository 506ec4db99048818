/** Examples at the end of a help page, by the words of the command. A test types each of them. */
export const HELP_EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  run: ['kairos run deploy.md --dry-run', 'kairos run deploy --input HOST=web1 --answers answers.yaml'],
  resume: ['kairos resume latest'],
  search: ['kairos search "put the new version on the web server"'],
  begin: ['kairos begin deploy --input HOST=web1'],
  next: ['kairos next kairos://mem/UUID --solution @solution.json'],
  answer: ['kairos answer latest', 'kairos answer latest "yes, continue"'],
  attest: ['kairos attest deploy failure "The host did not answer." --run latest'],
  proposal: ['kairos proposal list', 'kairos proposal show latest'],
  'proposal new': ['kairos proposal new latest > proposal.json'],
  'proposal validate': ['kairos proposal validate latest proposal.json'],
  'proposal submit': ['kairos proposal submit latest proposal.json'],
  'proposal approve': ['kairos proposal approve latest --key ~/.ssh/id_ed25519'],
  'proposal deny': ['kairos proposal deny latest --key ~/.ssh/id_ed25519 --reason "Not this week."'],
  'proposal request': ['kairos proposal request latest --out request.json'],
  'proposal sign': ['kairos proposal sign request.json --key ~/.ssh/id_ed25519 --out answer.json'],
  'proposal submit-answer': ['kairos proposal submit-answer answer.json'],
  'proposal list': ['kairos proposal list'],
  'proposal show': ['kairos proposal show latest'],
  'proposal policy': ['kairos proposal policy check'],
  'proposal policy check': ['kairos proposal policy check'],
  policy: ['kairos policy check'],
  'policy check': ['kairos policy check'],
  'policy test': ['kairos policy test cases.yaml'],
  'policy explain': [
    'kairos policy explain --action delete --resource-type table --resource-id users --domain db.example',
  ],
  rollback: ['kairos rollback latest 2 --dry-run'],
  trust: ['kairos trust deploy.md', 'kairos trust --list'],
  mint: ['kairos mint deploy.md', 'kairos mint protocols/ --force'],
  list: ['kairos list', 'kairos list --space ops --json'],
  show: ['kairos show deploy'],
  log: ['kairos log deploy'],
  diff: ['kairos diff deploy 1 2'],
  dump: ['kairos dump deploy > deploy.md'],
  update: ['kairos update deploy --file deploy.md', 'kairos update deploy --tags web,release'],
  delete: ['kairos delete deploy'],
  runs: ['kairos runs', 'kairos runs show latest'],
  'runs list': ['kairos runs list --protocol deploy --since 7d'],
  'runs show': ['kairos runs show latest --entries'],
  'runs export': ['kairos runs export latest --out run.jsonl'],
  'runs diff': ['kairos runs diff 3f2a 9c41'],
  'runs stats': ['kairos runs stats deploy --since 30d'],
  'runs note': ['kairos runs note latest "The host was rebooted at noon."'],
  'runs close': ['kairos runs close latest --reason "The release was called off."'],
  report: ['kairos report latest --out report.html', 'kairos report latest --format md'],
  graph: ['kairos graph deploy.md'],
  view: ['kairos view --port 8080'],
  attestation: ['kairos attestation latest'],
  verify: ['kairos verify latest', 'kairos verify --all'],
  store: ['kairos store export backup.jsonl'],
  'store export': ['kairos store export backup.jsonl'],
  'store import': ['kairos store import backup.jsonl --dry-run'],
  'store copy': ['kairos store copy old.db new.db --dry-run'],
  new: ['kairos new restart.md --title "Restart the web server"'],
  lint: ['kairos lint', 'kairos lint protocols/ --fix'],
  fmt: ['kairos fmt deploy.md --check'],
  migrate: ['kairos migrate protocols/ --diff'],
  import: ['kairos import runbook.md --out protocols --dry-run'],
  schema: ['kairos schema step-block'],
  lsp: ['kairos lsp'],
  serve: ['kairos serve', 'kairos serve --http 127.0.0.1:7777'],
  install: ['kairos install --client claude-code --print'],
  hold: ['kairos hold list'],
  'hold list': ['kairos hold list'],
  'hold test': ['kairos hold test "npm publish"'],
  'hold explain': ['kairos hold explain "npm publish"'],
  hook: ['kairos hook claude-code < event.json'],
  index: ['kairos index'],
  key: ['kairos key show'],
  'key show': ['kairos key show --pem > kairos.pem'],
  config: ['kairos config', 'kairos config set space ops'],
  'config get': ['kairos config get store'],
  'config set': ['kairos config set space ops'],
  'config unset': ['kairos config unset space'],
  'config path': ['kairos config path'],
  doctor: ['kairos doctor'],
  completion: ['kairos completion bash > ~/.local/share/bash-completion/completions/kairos'],
};

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
  const examples = HELP_EXAMPLES[words] ?? [];
  return examples.length === 0
    ? codes
    : `${codes}\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`;
}
