/** The last V8 on which our flags were tried (Node 24). A flag that V8 does not know makes it complain on standard error. */
const LAST_TRIED = 13;

/** Sets flags of V8 for the whole process, where they are known to be taken. */
export async function setEngineFlags(flags: readonly string[]): Promise<void> {
  if (Number.parseInt(process.versions.v8, 10) > LAST_TRIED) return;
  const { setFlagsFromString } = await import('node:v8');
  for (const flag of flags) setFlagsFromString(flag);
}
