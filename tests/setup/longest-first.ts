import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files whose length does not show in their size, the longest first. One of them at the end would keep one worker busy alone. */
const LONG = [
  'tests/e2e/serve-director-state.test.ts',
  'tests/e2e/serve-inputs.test.ts',
  'tests/e2e/serve-director-table.test.ts',
  'tests/docs/approval-attacks.test.ts',
  'tests/e2e/serve-director.test.ts',
  'tests/e2e/serve-execute.test.ts',
  'tests/e2e/hold.test.ts',
  'tests/process/package.test.ts',
  'tests/e2e/gate-approvals.test.ts',
  'tests/process/browser/view.test.ts',
  'tests/e2e/serve-walk.test.ts',
  'tests/e2e/planted-secret.test.ts',
  'tests/e2e/index.test.ts',
  'tests/e2e/run-mcp.test.ts',
  'tests/store/qdrant/contract.test.ts',
  'tests/protocol/costly.test.ts',
  'tests/search/quality-goals.test.ts',
  'tests/proof/costly-schemas.test.ts',
  'tests/gate/fewer-approvals.test.ts',
  'tests/lint/reporters/reporters.test.ts',
  'tests/store/qdrant/model.test.ts',
  'tests/lint/rewrite/prettier.test.ts',
  'tests/run/literal-walker.test.ts',
  'tests/protocol/scan/scan.test.ts',
  'tests/operations/templates/templates.test.ts',
];

/** Vitest's order, with these files at the beginning of their project. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = LONG.indexOf(relative(this.ctx.config.root, moduleId));
      return place === -1 ? LONG.length : place;
    };
    const sorted = await super.sort(files);
    const projects = [...new Set(sorted.map(({ project }) => project))];
    return projects.flatMap((project) =>
      sorted.filter((file) => file.project === project).sort((a, b) => placeOf(a) - placeOf(b)),
    );
  }
}
