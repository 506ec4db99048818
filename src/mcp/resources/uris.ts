/** The list of protocols. Steps are `kairos://mem/<uuid>`. */
export const CHAINS_URI = 'kairos://chains';
export const STEP_TEMPLATE = 'kairos://mem/{uuid}';
export const RUN_TEMPLATE = 'kairos://run/{id}';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** Where `kairos://chains` or `kairos://chains?after=<uuid>` begins; undefined for another URI. */
export function chainsAfterUri(uri: string): string | null | undefined {
  if (uri === CHAINS_URI) return null;
  const after = /^kairos:\/\/chains\?after=(.*)$/.exec(uri)?.[1];
  return after !== undefined && isUuid(after) ? after.toLowerCase() : undefined;
}

/** The run in `kairos://run/<id>`, and the entry to begin with (`?from=<number>`), or null. */
export function runOfUri(uri: string): { runId: string; from: number } | null {
  const [, id = '', from = '0'] = /^kairos:\/\/run\/([^?]*)(?:\?from=(\d{1,9}))?$/.exec(uri) ?? [];
  return isUuid(id) ? { runId: id.toLowerCase(), from: Number(from) } : null;
}

export function isStepUri(uri: string): boolean {
  return uri.startsWith('kairos://mem/');
}
