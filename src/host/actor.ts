import { userInfo } from 'node:os';

/** Letters and digits of any language, and other characters of account names. */
const UNUSUAL = /[^\p{L}\p{N}._@+-]/gu;

/**
 * The current user: the name from the operating system, not from $USER; unusual characters become `_`. A user
 * without a name (a container's, for example) is `uid-1000`.
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
