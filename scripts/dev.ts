// `npm run dev -- ARGS`: the command line from source, without a build.
import { main, processIo } from '../src/cli/main.ts';

const io = processIo();
if (process.env.npm_lifecycle_event === 'dev') io.calledAs = () => ['npm', 'run', 'dev', '--'];
process.exitCode = await main(process.argv.slice(2), io);
