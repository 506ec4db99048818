import { html, raw } from 'hono/html';
import { sha256Base64 } from '../base/canonical.ts';
import { escapeForTerminal } from '../base/escape.ts';

/** A piece of a page; everything that is put into one is escaped. */
export type Html = ReturnType<typeof html>;

/** The style and the script that every page brings along. */
export interface PageAssets {
  css: string;
  script: string;
  /** What a served page runs besides. */
  viewScript: string;
}

/** Text of authors, commands and agents: what would not show, or would show otherwise than it is, becomes visible. */
export function shown(text: string): string {
  return escapeForTerminal(text, { keepNewlines: true, keepTabs: true });
}

/**
 * A whole page in one file, that loads nothing and runs no script but its own. `live`: it is served by `kairos view`, which it
 * may ask what has changed and send answers to.
 */
export async function pageOf(
  title: string,
  body: Html,
  { css, script: check, viewScript }: PageAssets,
  live = false,
): Promise<string> {
  const script = live ? `${check}\n${viewScript}` : check;
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${sha256Base64(css)}'`,
    `script-src 'sha256-${sha256Base64(script)}'`,
    "base-uri 'none'",
    live ? "form-action 'self'" : "form-action 'none'",
    ...(live ? ["connect-src 'self'"] : []),
  ].join('; ');
  const page = await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="${live ? 'same-origin' : 'no-referrer'}">
<title>${shown(title)}</title>
<style>${raw(css)}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<main id="content">
${body}
</main>
<script>${raw(script)}</script>
</body>
</html>
`;
  return String(page);
}
