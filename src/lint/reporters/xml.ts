import { escapeForTerminal } from '../../base/escape.ts';
import type { LintMessage } from '../message.ts';
import { type LintReporter, reportPath, shownWords } from '../report.ts';

/** Characters that XML 1.0 can't contain, not even escaped (section 2.2). */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;
const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/**
 * Text for an attribute or an element of XML 1.0. Characters that it can't contain are shown as `U+001B`; characters that a terminal would obey
 * or hide become references.
 */
function xml(text: string): string {
  return text
    .replace(FORBIDDEN, (char) => `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`)
    .replace(/[&<>"'\t\n\r]/g, (char) => ENTITIES[char]!)
    .replace(/[^\x00-\x7e]/gu, (char) =>
      escapeForTerminal(char) === char ? char : `&#x${char.codePointAt(0)!.toString(16)};`,
    );
}

/** JUnit's XML: a suite a document, a failed test a finding; a document without findings is a test that passed. */
export const junit: LintReporter = ({ report, counts }) => {
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

/** The XML of Checkstyle, which many build servers read. */
export const checkstyle: LintReporter = ({ report }) => {
  const files = report.results.map(({ path, messages }) =>
    element(
      reportPath(path),
      messages.map(({ place: { start }, severity, reason, ruleId }) =>
        error(start.line, start.column, severity, reason, `kairos.${ruleId}`),
      ),
    ),
  );
  const failed = report.failures.map(({ path, reason }) =>
    element(reportPath(path), [error(1, 1, 'error', reason, 'kairos')]),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<checkstyle version="4.3">\n${[...files, ...failed].join('')}</checkstyle>\n`;
};

function element(path: string, errors: string[]): string {
  return `  <file name="${xml(path)}">\n${errors.join('')}  </file>\n`;
}

function error(line: number, column: number, severity: string, message: string, source: string): string {
  return `    <error line="${line}" column="${column}" severity="${severity}" message="${xml(shownWords(message))}" source="${xml(source)}"/>\n`;
}
