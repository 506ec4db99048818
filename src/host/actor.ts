import { userInfo } from 'node:os';

/** Letters and digits of any language, and what else stands in account names. */
const UNUSUAL = /[^\p{L}\p{N}._@+-]/gu;

/**
 * Who acts: the name of the operating system's user, as the system knows it and not as $USER claims; anything unusual
 * in it becomes `_`. A user without a name (a container's, say) is `uid-1000`.
 */
export function osActor(user: () => { username: string } = userInfo): string {
  try {
    const name = user().username.replace(UNUSUAL, '_').slice(0, 64);
    if (name !== '') return name;
  } catch {
    // no entry in the user database
  }
  return `uid-${process.getuid?.() ?? 'unknown'}`;
}
