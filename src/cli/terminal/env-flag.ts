/** Whether an environment variable is set, and not to a word for no. */
export function isFlagSet(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value.toLowerCase());
}
