import { KairosError } from '../../../base/errors.ts';
import type { Handler } from '../../command.ts';
import type { TrustOptions } from './options.ts';

/** `kairos trust`: grants, lists (`--list`) or revokes (`--revoke`) trust. */
export const trustCommand: Handler<[string | undefined], TrustOptions> = async (call) => {
  const { args, options } = call;
  const [target] = args;
  const { list, revoke, digest } = options;
  if ([list, revoke, digest].filter((option) => option !== undefined).length > 1) {
    throw usage('--list, --revoke and --digest exclude each other');
  }
  if (list) {
    if (target !== undefined) throw usage('--list accepts no target');
    const { listTrust } = await import('./list.ts');
    return listTrust(call);
  }
  if (target === undefined) throw usage('missing target');
  if (revoke) {
    const { revokeTrust } = await import('./revoke.ts');
    return revokeTrust(call, target);
  }
  const { grantTrust } = await import('./grant.ts');
  return grantTrust(call, target);
};

function usage(message: string): KairosError {
  return new KairosError('USAGE', message, {
    hint: 'kairos trust FILE|URI|SLUG, kairos trust --list, or kairos trust --revoke FILE|URI|SLUG|DIGEST',
  });
}
