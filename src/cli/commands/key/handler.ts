import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { programName } from '../../../base/command-line.ts';
import { KairosError } from '../../../base/errors.ts';
import { escapeForTerminal } from '../../../base/escape.ts';
import {
  changeKey,
  type KeptKey,
  type KeyChange,
  keyOfAgent,
  newKey,
  publicForms,
  readKeyFile,
} from '../../../host/keys/change-key.ts';
import {
  AGENT_KEY_FILE,
  loadSealingKey,
  retiredKeys,
  SEALING_KEY_FILE,
} from '../../../host/keys/sealing-key.ts';
import type { Call, Handler } from '../../command.ts';
import { openHost } from '../../context.ts';
import { EXIT } from '../../io.ts';
import { keyValues } from '../../terminal/layout.ts';

/** `kairos key show`. With `--json`: `{algorithm, fingerprint, public_key, ssh, held_by, file, retired[]}`. */
export const keyShowCommand: Handler<[], { pem?: boolean }> = async (call) => {
  const { options, io, output } = call;
  const { folders } = await openHost(call);
  const key = await loadSealingKey(folders, io.cwd, io.env.SSH_AUTH_SOCK);
  const isHeld = !('privateKey' in key);
  const { fingerprint, pem, ssh } = publicForms(key);
  const file = join(folders.data, isHeld ? AGENT_KEY_FILE : SEALING_KEY_FILE);
  const retired = await retiredKeys(folders);
  if (output.json) {
    output.object({
      algorithm: 'ed25519',
      fingerprint,
      public_key: pem,
      ssh,
      held_by: isHeld ? 'ssh-agent' : 'file',
      file,
      retired: retired.map(({ fingerprint: old, statement }) => ({ fingerprint: old, statement })),
    });
  } else if (options.pem === true) output.document(pem);
  else {
    const rows = [
      ['fingerprint', fingerprint],
      [isHeld ? 'in ssh-agent, named by' : 'file', file],
      ['public key', pem.trimEnd()],
      ['as an SSH key', ssh],
      ...retired.map(({ fingerprint: old }) => ['before', old] as const),
    ] as const;
    output.print(await keyValues(rows, { color: output.color }));
  }
  return EXIT.ok;
};

/** `kairos key new`. With `--json`: `{fingerprint, replaced}`. */
export const keyNewCommand: Handler<[], unknown> = async (call) => {
  const { folders } = await openHost(call);
  const files = [SEALING_KEY_FILE, AGENT_KEY_FILE].map((file) => join(folders.data, file));
  if (files.some((file) => existsSync(file))) {
    throw new KairosError('INVALID_INPUT', 'you have a sealing key already', {
      hint: `Replace it with: ${programName()} key rotate`,
    });
  }
  return reportKey(call, publicForms(await loadSealingKey(folders, call.io.cwd)).fingerprint, null);
};

/** `kairos key rotate`. With `--json`: `{fingerprint, replaced: {fingerprint, file, signed}}`. */
export const keyRotateCommand: Handler<[], { lost?: boolean }> = (call) => useKey(call, newKey());

/** `kairos key import`. With `--json`: the same as of `rotate`. */
export const keyImportCommand: Handler<
  [string | undefined],
  { agent?: string | boolean; lost?: boolean }
> = async (call) => {
  const [file] = call.args;
  const { agent } = call.options;
  const socket = call.io.env.SSH_AUTH_SOCK;
  if ((file === undefined) === (agent === undefined)) {
    throw new KairosError('USAGE', 'name a key file, or --agent for a key that ssh-agent has', {
      hint: `For example: ${programName()} key import ~/.ssh/id_ed25519, or ${programName()} key import --agent`,
    });
  }
  const kept =
    file === undefined
      ? await keyOfAgent(typeof agent === 'string' ? agent : undefined, socket)
      : await readKeyFile(resolve(call.io.cwd, file), socket);
  return useKey(call, kept);
};

async function useKey(call: Call<unknown[], { lost?: boolean }>, kept: KeptKey): Promise<number> {
  const { io } = call;
  const { folders } = await openHost(call);
  const { fingerprint, replaced } = await changeKey(folders, io.cwd, kept, {
    now: io.now(),
    agent: io.env.SSH_AUTH_SOCK,
    lost: call.options.lost === true,
  });
  return reportKey(call, fingerprint, replaced);
}

function reportKey(
  { output }: Call<unknown[]>,
  fingerprint: string,
  replaced: KeyChange['replaced'],
): number {
  if (output.json) output.object({ fingerprint, replaced });
  else {
    output.print(`Runs are sealed with ${fingerprint} from now on.`);
    if (replaced !== null) {
      output.print(
        replaced.signed
          ? `It replaces ${replaced.fingerprint}, which has signed that it does.`
          : `It replaces ${replaced.fingerprint}, which has not signed that it does: its seals stay valid, but count as those of another key.`,
      );
      if (replaced.file !== null && replaced.signed)
        output.note(
          `The previous key is kept in ${escapeForTerminal(replaced.file)}. Nothing needs it, so you can remove it.`,
        );
      output.note('Running servers seal with the previous key until you restart them.');
    }
  }
  return EXIT.ok;
}
