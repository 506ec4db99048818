import { isAbsolute } from 'node:path';
import { KairosError } from '../../../base/errors.ts';
import { packageFile } from '../../../base/package-root.ts';
import { checkSpace } from '../../../base/space.ts';
import type { Call, CommonOptions } from '../../command.ts';
import { parseOnly } from '../../program.ts';
import { checkServeOptions } from '../../serve-options.ts';
import { absoluteLocation } from '../../store-location.ts';
import { serveDefinition } from '../serve/command.ts';
import type { ServeOptions } from '../serve/options.ts';
import type { ServerStart } from './clients.ts';
import type { InstallOptions } from './options.ts';

/**
 * How a client is to start the server, and the options that the server reads there. A project's file is for everybody who
 * has kairos on their path. The user's own names this very program: clients with a window often do not see the path that a
 * shell has. Throws USAGE or INVALID_INPUT for what `kairos serve` would refuse, or read otherwise.
 */
export function serverStart(
  { options, io }: Pick<Call<[string[]], InstallOptions>, 'options' | 'io'>,
  extra: readonly string[],
): { start: ServerStart; read: ServeOptions & CommonOptions } {
  const { store, space, project } = options;
  const own = [
    'serve',
    ...(store === undefined ? [] : ['--store', absoluteLocation(store, io.cwd)]),
    ...(space === undefined ? [] : ['--space', space]),
    ...extra,
  ];
  const read = parseOnly<ServeOptions>(serveDefinition, own, io);
  if (read.http !== undefined) {
    throw new KairosError('USAGE', '--http has no meaning for a server that the client itself starts', {
      hint: 'Such a server is spoken to on its standard input and output. Start one with kairos serve --http yourself, and give its URL to the client.',
    });
  }
  checkServeOptions(read);
  if (read.space !== undefined) checkSpace(read.space);
  if (project === undefined) refuseRelative(read);
  const start =
    project === undefined
      ? { command: process.execPath, args: [packageFile('bin/kairos.js'), ...own] }
      : { command: 'kairos', args: own };
  return { start, read };
}

/** Clients start the user's own server wherever they like; one of a project starts there. */
function refuseRelative({ store, workdir, root = [], policy }: ServeOptions & CommonOptions): void {
  const paths = [
    ['--workdir', workdir],
    ...root.map((path) => ['--root', path]),
    ['--policy', policy],
    ['--store', store !== undefined && isRelativeStore(store) ? store : undefined],
  ] as const;
  for (const [flag, path] of paths) {
    if (path === undefined || isAbsolute(path)) continue;
    throw new KairosError(
      'USAGE',
      `${flag} ${JSON.stringify(path)} is relative, to a folder that the client chooses`,
      {
        hint: 'Write the path in full.',
      },
    );
  }
}

function isRelativeStore(store: string): boolean {
  return absoluteLocation(store, '/a') !== absoluteLocation(store, '/b');
}
