import type { ChainContent } from '../../src/protocol/model.ts';

export interface WrittenProtocol {
  title: string;
  domain: string;
  triggers: string[];
  description: string;
  steps: string[];
}
export function readProtocols(): WrittenProtocol[];
export function toContent(protocol: WrittenProtocol, slug: string): ChainContent;
export function readQueries(): Record<string, { query: string; title: string | null }[]>;
