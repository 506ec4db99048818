import { type HiddenCharacter, hiddenInDocument, type LocateInBlock } from '../protocol/hidden.ts';
import type { ProtocolDocument } from '../protocol/model.ts';
import { lineIndex, placeBetween } from '../protocol/position.ts';

/** What refuses a document because nobody sees it, each at its place. What tells places is only loaded when there is any. */
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
    if (format === 'line') return valuePlace;
    const { start, end } = valuePlace;
    const locate = format === 'json' ? locateInJson : locateInYaml;
    const found = locate(source.slice(start.offset, end.offset), path);
    const range = isKey ? found?.key : found?.inside(at, at + length);
    if (!range) return valuePlace;
    return placeBetween(lineIndex(source), start.offset + range[0], start.offset + range[1]);
  };
}
