import { durationsOf, type RunReport } from './model.ts';
import { visibleText } from './page.ts';
import type { ReportStep } from './steps.ts';

/** Runs as JUnit's XML: a suite each, with a case for each step. */
export function reportJunit(reports: readonly RunReport[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${reports.map(suite).join('')}</testsuites>\n`;
}

function suite(report: RunReport): string {
  const { title, runId, begunAt, steps, verification } = report;
  const failures = steps.filter(({ state }) => state === 'failed').length;
  const skipped = steps.filter(isSkipped).length;
  const broken = verification.status === 'broken' ? 1 : 0;
  const damage =
    broken === 0
      ? ''
      : `    <testcase name="record" classname="${attribute(title)}"><error message="the record is damaged">${escaped(verification.findings.map(({ message }) => message).join('\n'))}</error></testcase>\n`;
  return [
    `  <testsuite name="${attribute(title)}" id="${attribute(runId)}" timestamp="${attribute(begunAt)}" tests="${steps.length + broken}" failures="${failures}" errors="${broken}" skipped="${skipped}" time="${seconds(durationsOf(report).total)}">\n`,
    ...steps.map((step) => testCase(step, title)),
    damage,
    '  </testsuite>\n',
  ].join('');
}

function testCase(step: ReportStep, title: string): string {
  const { number, label, state, workingMs, waitingMs } = step;
  const head = `    <testcase name="${attribute(`${number} ${label}`)}" classname="${attribute(title)}" time="${seconds(workingMs + waitingMs)}">`;
  const output = [
    ...step.commands.map(({ stdout, stderr }) => `${stdout}${stderr}`),
    ...step.attempts.map(({ proof }) => (typeof proof?.stdout === 'string' ? proof.stdout : '')),
  ].join('');
  const inside = [
    state === 'failed' ? `<failure message="${attribute(reasonOf(step))}"/>` : '',
    isSkipped(step) ? `<skipped message="${attribute(step.skippedBecause ?? state)}"/>` : '',
    output === '' ? '' : `<system-out>${escaped(output)}</system-out>`,
  ].join('');
  return `${head}${inside}</testcase>\n`;
}

function isSkipped({ state }: ReportStep): boolean {
  return state !== 'proven' && state !== 'failed';
}

function reasonOf({ attempts }: ReportStep): string {
  const last = attempts.findLast(({ accepted }) => !accepted);
  return last === undefined
    ? 'not proven'
    : [last.code, last.reason].filter((part) => part !== null).join(': ');
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

function escaped(text: string): string {
  return visibleText(text).replace(
    /[&<>]/g,
    (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign] ?? sign,
  );
}

function attribute(text: string): string {
  return escaped(text.replace(/\s+/g, ' ')).replaceAll('"', '&quot;');
}
