import type { ParseResult } from './model.ts';

/** The one door to a protocol document. */
export async function parseProtocol(_source: string, _options: { path?: string } = {}): Promise<ParseResult> {
  throw new Error('being built');
}
