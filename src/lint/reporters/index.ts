import { checkstyle } from './checkstyle.ts';
import { compact } from './compact.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { json } from './json.ts';
import { jsonl } from './jsonl.ts';
import { junit } from './junit.ts';
import type { Reporter } from './reporter.ts';
import { sarif } from './sarif.ts';
import { stylish } from './stylish.ts';

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
} satisfies Record<string, Reporter>;

export type Format = keyof typeof REPORTERS;
