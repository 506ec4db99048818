/** Whether an environment variable is set to anything but a word for no. */
export function isFlagSet(value: string | undefined): boolean {
  return value !== undefined && !['', '0', 'false'].includes(value.toLowerCase());
}
