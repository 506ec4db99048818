// Writes kairos-protocols.vsix. The same sources and lock file give the same bytes: entries of the archive have one date.
import { createVSIX } from '@vscode/vsce';

process.env.SOURCE_DATE_EPOCH ??= '946684800';
await createVSIX({ packagePath: 'kairos-protocols.vsix', dependencies: false, allowMissingRepository: true });
