import type { LintReporter } from '../report.ts';
import { gitlab, json, jsonl, sarif } from './json.ts';
import { compact, stylish } from './stylish.ts';
import { checkstyle, github, junit } from './xml.ts';

/** Every format by its `--format` name. A new one is a new file and a line here. */
export const REPORTERS = {
  stylish,
  compact,
  json,
  jsonl,
  sarif,
  github,
  gitlab,
  junit,
  checkstyle,
} satisfies Record<string, LintReporter>;

export type Format = keyof typeof REPORTERS;
