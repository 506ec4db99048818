import { all, any, askedForHelp, first, has, not, option, starts, type Test } from './arguments.ts';
import type { SimpleCommand } from './commands.ts';

/** What makes a command run until it is stopped, for example `tail -f`; null for no known reason. */
export function neverEnds(command: SimpleCommand): string | null {
  const { name, background, wrappers } = command;
  if (name === null || background || wrappers.includes('timeout')) return null;
  return RULES.find((rule) => rule[0] === name && rule[2](command))?.[1] ?? null;
}

const leaves = any(
  option('d', '--detach', '--wait'),
  starts('--exit-code-from'),
  starts('--abort-on-'),
  has('--no-start'),
);
const develops = first('dev', 'serve', 'watch');
const runs: Test = ({ args }) =>
  args[0] === 'run' && ['dev', 'start', 'serve', 'watch'].includes(args[1] ?? '');

const RULES: [name: string, what: string, applies: Test][] = [
  ['tail', 'tail -f', all(any(option('f', '--follow'), option('F')), not(starts('--pid')))],
  ['journalctl', 'journalctl -f', has('-f', '--follow')],
  ['watch', 'watch', not(any(askedForHelp, option('g', '--chgexit'), option('e', '--errexit')))],
  ['ping', 'ping without -c', not(any(option('c'), option('w'), askedForHelp))],
  ['kubectl', 'kubectl port-forward', first('port-forward', 'proxy')],
  ['kubectl', 'kubectl logs -f', all(has('logs'), has('-f', '--follow', '--follow=true'))],
  ['kubectl', 'kubectl get --watch', all(has('get'), has('-w', '--watch', '--watch=true'))],
  ['docker', 'docker logs -f', all(has('logs'), has('-f', '--follow'))],
  ['docker', 'docker compose up', all(first('compose'), has('up'), not(leaves))],
  ['docker', 'docker stats', all(first('stats'), not(has('--no-stream')))],
  ['docker-compose', 'docker-compose up', all(has('up'), not(leaves))],
  ['npm', 'npm start', any(first('start'), runs)],
  ['yarn', 'yarn start', any(first('start'), develops, runs)],
  ['pnpm', 'pnpm start', any(first('start'), develops, runs)],
  ['python', 'python -m http.server', has('http.server')],
  ['python3', 'python3 -m http.server', has('http.server')],
];
