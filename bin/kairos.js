#!/usr/bin/env node
import { main, processIo } from '../dist/main.js';

process.exitCode = await main(process.argv.slice(2), processIo());
// Whoever waits for its output has waited by now: what is left nobody reads, and it would keep the process for ever.
if (process.stdout.writableLength > 0) process.exit();
