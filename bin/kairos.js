#!/usr/bin/env node
import { main } from '../dist/main.js';

/** A folder that was deleted meanwhile has no path any more; the shell remembers the one it had. */
function workingDirectory() {
  try {
    return process.cwd();
  } catch {
    return process.env.PWD || '/';
  }
}

process.exitCode = await main(process.argv.slice(2), {
  // Opening it costs more than many a call takes.
  get stdin() {
    return process.stdin;
  },
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  cwd: workingDirectory(),
  now: () => Date.now(),
});
// Whoever waits for its output has waited by now: what is left nobody reads, and it would keep the process for ever.
if (process.stdout.writableLength > 0) process.exit();
