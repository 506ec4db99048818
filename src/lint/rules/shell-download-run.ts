import { runsDownload } from '../../shell/danger.ts';
import type { LintRule } from '../rule.ts';

export const shellDownloadRun: LintRule = {
  id: 'shell-download-run',
  family: 'shell',
  severity: 'warning',
  summary: 'What is downloaded is checked before it is run.',
  why: 'People trust a protocol by reading its commands. A script that is fetched while the step runs was not among them: it can be another one tomorrow, and half of one when the connection breaks.',
  check(context) {
    for (const script of context.scripts) {
      for (const { pos, end } of runsDownload(script.parsed)) {
        context.report({
          place: script.place(pos, end),
          reason:
            'This runs any code that the server sends today. Download to a file, compare its checksum (sha256sum --check), then run that file.',
        });
      }
    }
  },
};
