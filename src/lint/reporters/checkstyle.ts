import { type Reporter, reportPath, shownWords } from './reporter.ts';
import { xml } from './xml.ts';

/** The XML of Checkstyle, which many build servers read. */
export const checkstyle: Reporter = ({ report }) => {
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
