import { type HiddenCharacter, hiddenInDocument, type LocateInBlock } from '../protocol/hidden.ts';
import type { ProtocolDocument } from '../protocol/model.ts';
import { lineIndex, placeBetween } from '../protocol/position.ts';

/**
 * The hidden characters for which a document is rejected, each with its place. The code that computes places
 * is loaded only if there are any.
 */
export async function findHidden(document: ProtocolDocument): Promise<HiddenCharacter[]> {
  const isClean = hiddenInDocument(document, ({ valuePlace }) => valuePlace).length === 0;
  return isClean ? [] : hiddenInDocument(document, await placesIn(document));
}

async function placesIn({ source }: ProtocolDocument): Promise<LocateInBlock> {
  const [{ locateInJson }, { locateInYaml }] = await Promise.all([
    import('../lint/facts/json-places.ts'),
    import('../lint/facts/yaml-places.ts'),
  ]);
  return ({ format, valuePlace }, { path, isKey, at, length }) => {
    if (format === 'line' || format === 'shorthand') return valuePlace;
    const { start, end } = valuePlace;
    const locate = format === 'json' ? locateInJson : locateInYaml;
    const found = locate(source.slice(start.offset, end.offset), path);
    const range = isKey ? found?.key : found?.inside(at, at + length);
    if (!range) return valuePlace;
    return placeBetween(lineIndex(source), start.offset + range[0], start.offset + range[1]);
  };
}
