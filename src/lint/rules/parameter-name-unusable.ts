import type { LintRule } from '../rule.ts';
import { declaredParameters, gatedSteps, keyPlaceOf, parameterVariable } from './support/written.ts';

export const parameterNameUnusable: LintRule = {
  id: 'parameter-name-unusable',
  family: 'proposal',
  severity: 'error',
  summary: 'The name of a parameter makes a unique variable.',
  why: 'A command gets its parameters as variables named KAIROS_PARAM_ and the name in capitals. A name with a hyphen makes none, and two names that differ in capitals make one: the gate denies both.',
  about: 'proposals',
  check(context) {
    for (const { block, template } of gatedSteps(context)) {
      if (block.value.proof_of_work?.type !== 'shell') continue;
      const taken = new Map<string, string>();
      for (const key of declaredParameters(template)) {
        const variable = parameterVariable(key);
        const other = variable === null ? undefined : taken.get(variable);
        if (variable !== null) taken.set(variable, key);
        if (variable !== null && other === undefined) continue;
        context.report({
          place: keyPlaceOf(context, block, ['proposal', 'parameters_schema', 'properties', key]),
          reason:
            other === undefined
              ? `The parameter ${JSON.stringify(key)} cannot become a variable of the command. Use letters, digits and _ only, no digit first.`
              : `The parameter ${JSON.stringify(key)} becomes the same variable as ${JSON.stringify(other)}. Give it a name that differs in more than capitals.`,
        });
      }
    }
  },
};
