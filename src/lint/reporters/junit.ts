import type { LintMessage } from '../message.ts';
import { type Reporter, reportPath, shownWords } from './reporter.ts';
import { xml } from './xml.ts';

/** JUnit's XML: a suite a document, a failed test a finding; a document without findings is a test that passed. */
export const junit: Reporter = ({ report, counts }) => {
  const suites = report.results.map(({ path, messages }) => {
    const name = reportPath(path);
    const tests =
      messages.length === 0 ? [testCase(name, 'lint', '')] : messages.map((message) => failed(name, message));
    return suite(name, tests, messages.length, 0);
  });
  for (const { path, reason } of report.failures) {
    const name = reportPath(path);
    suites.push(suite(name, [testCase(name, 'read', `<error message="${xml(shownWords(reason))}"/>`)], 0, 1));
  }
  const tests = report.results.reduce(
    (sum, { messages }) => sum + Math.max(1, messages.length),
    counts.failures,
  );
  const failures = counts.errors + counts.warnings + counts.infos;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="kairos lint" tests="${tests}" failures="${failures}" errors="${counts.failures}">\n${suites.join('')}</testsuites>\n`;
};

function suite(name: string, tests: string[], failures: number, errors: number): string {
  return `  <testsuite name="${xml(name)}" tests="${tests.length}" failures="${failures}" errors="${errors}">\n${tests.join('')}  </testsuite>\n`;
}

function failed(path: string, { ruleId, severity, reason, place: { start } }: LintMessage): string {
  const where = `${path}:${start.line}:${start.column}`;
  return testCase(
    path,
    `${ruleId} ${start.line}:${start.column}`,
    `<failure type="${severity}" message="${xml(shownWords(reason))}">${xml(where)}</failure>`,
  );
}

function testCase(path: string, name: string, content: string): string {
  return `    <testcase classname="${xml(path)}" name="${xml(name)}">${content}</testcase>\n`;
}
