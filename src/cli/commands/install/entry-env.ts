import { parse as parseJson } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import type { InstallClient } from './clients.ts';

/** The variables that a server's entry gives to it, of a configuration that has been read before. */
export function entryEnv(text: string, client: InstallClient, name: string): Record<string, unknown> {
  const root: unknown =
    client.format === 'json'
      ? parseJson(text.replace(/^\ufeff/, ''), [], { allowTrailingComma: true })
      : parseToml(text, { integersAsBigInt: 'asNeeded' });
  const path = [client.key, name, client.envKey ?? 'env'];
  const found = path.reduce((value, key) => asObject(value)[key], root);
  return asObject(found);
}

function asObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
