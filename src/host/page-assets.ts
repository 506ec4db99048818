import { readFile } from 'node:fs/promises';
import { packageFile } from '../base/package-root.ts';
import type { PageAssets } from '../report/page.ts';

/** The style and script that come with kairos. */
export async function loadPageAssets(): Promise<PageAssets> {
  const [css, script] = await Promise.all(
    ['assets/report/report.css', 'assets/report/report.js'].map((file) =>
      readFile(packageFile(file), 'utf8'),
    ),
  );
  return { css: css ?? '', script: script ?? '' };
}
