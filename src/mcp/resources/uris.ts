/** The list of protocols. Steps are `kairos://mem/<uuid>`. */
export const CHAINS_URI = 'kairos://chains';
export const STEP_TEMPLATE = 'kairos://mem/{uuid}';
export const RUN_TEMPLATE = 'kairos://run/{id}';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The id in `kairos://run/<id>`, or null. */
export function runIdOf(uri: string): string | null {
  const id = /^kairos:\/\/run\/(.*)$/.exec(uri)?.[1];
  return id !== undefined && UUID.test(id) ? id.toLowerCase() : null;
}

export function isStepUri(uri: string): boolean {
  return uri.startsWith('kairos://mem/');
}
