// `npm run dev -- ARGS`: the command line from source, without a build.
import { runProcess } from '../src/cli/main.ts';

const isNpm = process.env.npm_lifecycle_event === 'dev';
await runProcess(isNpm ? () => ['npm', 'run', 'dev', '--'] : undefined);
