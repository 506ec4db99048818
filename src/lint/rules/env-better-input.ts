import { nameFault } from '../../protocol/inputs.ts';
import { outsideVariables } from '../../shell/variables.ts';
import type { LintRule } from '../rule.ts';
import { nearestPlace } from './support/written.ts';

export const envBetterInput: LintRule = {
  id: 'env-better-input',
  family: 'shell',
  severity: 'info',
  summary: 'What a command works on is an input.',
  why: 'A variable of "env" comes from the shell that starts the run. kairos neither checks it nor asks for it, and no record has its value: the ledger proves that a host was drained, but not which one. An input is checked before the first step and recorded.',
  check(context) {
    for (const { block, chain: node, parsed, role } of context.scripts) {
      const proof = block.value.proof_of_work;
      if (role !== 'proof' || proof?.type !== 'shell' || proof.shell.env === undefined) continue;
      const read = new Set((outsideVariables(parsed) ?? []).map(({ name }) => name));
      for (const [at, name] of proof.shell.env.entries()) {
        if (!read.has(name) || nameFault(name) !== null || CREDENTIAL.test(name)) continue;
        if (Object.hasOwn(node.inputs, name)) continue;
        context.report({
          place: nearestPlace(context, block, ['proof_of_work', 'shell', 'env', at]),
          reason: `${name} decides what the command works on, and no record has its value. Declare ${name} in the inputs of the frontmatter, and remove it from env.`,
        });
      }
    }
  },
};

/** A secret decides who works, not on what; the environment of the machine is where it belongs. */
const CREDENTIAL =
  /(?:^|_)(?:TOKEN|KEY|PAT|PASS|PASSWD|PASSWORD|PASSPHRASE|PASSFILE|SECRET|CREDENTIALS?|AUTH|COOKIE|PIN)(?:_|$)|(?:TOKEN|SECRET|PASSWORD)S?$/;
