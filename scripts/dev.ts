// `npm run dev -- ARGS`: the command line from source, without a build.
import { main, processIo } from '../src/cli/main.ts';

process.exitCode = await main(process.argv.slice(2), processIo());
