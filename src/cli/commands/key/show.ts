import { join } from 'node:path';
import { loadSealingKey, ownKeyFingerprint, SEALING_KEY_FILE } from '../../../host/keys/sealing-key.ts';
import type { Handler } from '../../command.ts';
import { openHost } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { keyValues } from '../../terminal/layout.ts';

/** `kairos key show`. With `--json`: `{algorithm, fingerprint, public_key, file}`. */
export const keyShowCommand: Handler<[], { pem?: boolean }> = async (call) => {
  const { options, io, output } = call;
  const { folders } = await openHost(call);
  const { publicKey } = await loadSealingKey(folders, io.cwd);
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const fingerprint = await ownKeyFingerprint({ folders }, io.cwd);
  const file = join(folders.data, SEALING_KEY_FILE);
  if (output.json) output.object({ algorithm: 'ed25519', fingerprint, public_key: pem, file });
  else if (options.pem === true) output.document(pem);
  else {
    const rows = [
      ['fingerprint', fingerprint ?? ''],
      ['file', file],
      ['public key', pem.trimEnd()],
    ] as const;
    output.print(await keyValues(rows, { color: output.color }));
  }
  return EXIT.ok;
};
