import { readFile } from 'node:fs/promises';
import { packageFile } from '../base/package-root.ts';
import type { PageAssets } from '../report/page.ts';

/** The style and script that come with kairos. */
export async function loadPageAssets(): Promise<PageAssets> {
  const [css = '', script = '', viewScript = ''] = await Promise.all(
    ['report.css', 'report.js', 'view.js'].map((file) =>
      readFile(packageFile(`assets/report/${file}`), 'utf8'),
    ),
  );
  return { css, script, viewScript };
}
