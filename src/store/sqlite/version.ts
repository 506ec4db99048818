/**
 * Whether this SQLite may write a WAL file together with another process: 3.51.3 and later, 3.50.7 and later of 3.50, or
 * 3.44.6 and later of 3.44. Others can corrupt it (sqlite.org, release notes of 3.51.3: the WAL-reset bug).
 */
export function isWalSafe(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  if (major !== 3) return major > 3;
  if (minor === 44) return patch >= 6;
  if (minor === 50) return patch >= 7;
  return minor > 51 || (minor === 51 && patch >= 3);
}
