#!/usr/bin/env node
import { main } from '../dist/main.js';

process.exitCode = await main(process.argv.slice(2), {
  // Opening it costs more than many a call takes.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: process.cwd(),
  now: () => Date.now(),
});
// Whoever waits for its output has waited by now: what is left nobody reads, and it would keep the process for ever.
if (process.stdout.writableLength > 0) process.exit();
