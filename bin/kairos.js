#!/usr/bin/env node
// Agents wait for a hook at each call: it is one file.
require(process.argv[2] === 'hook' ? '../dist/hook.cjs' : '../dist/main.cjs').runProcess();
