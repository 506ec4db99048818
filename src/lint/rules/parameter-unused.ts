import type { LintRule } from '../rule.ts';
import { declaredParameters, gatedSteps, keyPlaceOf, parameterVariable } from './support/written.ts';

export const parameterUnused: LintRule = {
  id: 'parameter-unused',
  family: 'proposal',
  severity: 'info',
  summary: 'A command uses the parameters of its proposal.',
  why: 'People approve a proposal by its parameters. They approve unused parameters without effect, and the command does something that they have not seen.',
  about: 'proposals',
  check(context) {
    for (const { block, template } of gatedSteps(context)) {
      const proof = block.value.proof_of_work;
      // With none in sight, the program that is called may read them.
      if (proof?.type !== 'shell' || !proof.shell.cmd.includes('KAIROS_PARAM_')) continue;
      for (const key of declaredParameters(template)) {
        const variable = parameterVariable(key);
        if (variable === null || new RegExp(`${variable}(?![A-Za-z0-9_])`).test(proof.shell.cmd)) continue;
        context.report({
          place: keyPlaceOf(context, block, ['proposal', 'parameters_schema', 'properties', key]),
          reason: `The command does not use the parameter ${JSON.stringify(key)}. Use it as $${variable}, or remove it from the schema.`,
        });
      }
    }
  },
};
