import { readFileSync } from 'node:fs';

const SCRIPT = readFileSync(new URL('../../assets/report/report.js', import.meta.url), 'utf8');

/** The steps that the script of a report's page finds in a record, without a page. */
export const pageSteps = new Function('document', 'addEventListener', `${SCRIPT}\nreturn stepsOf;`)(
  { querySelectorAll: () => [] },
  () => undefined,
) as (entries: readonly unknown[], sealed: boolean) => { state: string; assurance: string | null }[];

/** What the script of a page finds wrong with one line of a record. */
export const pageLine = new Function('document', 'addEventListener', `${SCRIPT}\nreturn readLine;`)(
  { querySelectorAll: () => [] },
  () => undefined,
) as (text: string) => Promise<{ fault: string | null }>;
