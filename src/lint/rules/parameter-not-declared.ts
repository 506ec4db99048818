import { outsideVariables } from '../../shell/variables.ts';
import type { LintRule } from '../rule.ts';
import { declaredParameters, parameterVariable } from './support/written.ts';

const PREFIX = 'KAIROS_PARAM_';

export const parameterNotDeclared: LintRule = {
  id: 'parameter-not-declared',
  family: 'proposal',
  severity: 'warning',
  summary: 'A parameter that a command reads is declared in its proposal.',
  why: 'Variables that begin with KAIROS_PARAM_ come only from an accepted proposal. A variable that no schema names is empty, or any value that the agent or user has invented.',
  check(context) {
    for (const script of context.scripts) {
      if (!script.text.includes(PREFIX)) continue;
      const template = script.block.value.proposal;
      const declared = template === undefined ? [] : declaredParameters(template).map(parameterVariable);
      for (const { name, pos, end } of outsideVariables(script.parsed) ?? []) {
        if (!name.startsWith(PREFIX) || declared.includes(name)) continue;
        const known = declared.length === 0 ? '' : `; ${declared.join(', ')} is declared`;
        context.report({
          place: script.place(pos, end),
          reason:
            template === undefined
              ? `${name} is set by an accepted proposal only, and this step has none. Add a proposal with a parameters_schema, or declare an input and read that.`
              : `No parameter of this proposal becomes ${name}, so it is empty. Declare it in parameters_schema${known}.`,
        });
      }
    }
  },
};
