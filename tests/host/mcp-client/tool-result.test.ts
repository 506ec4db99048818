import { describe, expect, it } from 'vitest';
import { redactValue } from '../../../src/base/json.ts';
import { toolResult } from '../../../src/host/mcp-client/call-tool.ts';

const text = (value: string) => ({ type: 'text', text: value });

describe('toolResult', () => {
  it.each([
    ['structured content first', { content: [text('x')], structuredContent: { a: 1 } }, { a: 1 }],
    ['a single text that is JSON', { content: [text('[1, 2]')] }, [1, 2]],
    ['a single text that is not', { content: [text('[1, 2')] }, '[1, 2'],
    ['several texts', { content: [text('1'), text('2')] }, [text('1'), text('2')]],
    ['another kind of content', { content: [{ type: 'image', data: '' }] }, [{ type: 'image', data: '' }]],
    ['nothing', {}, []],
  ])('%s', (_name, raw, expected) => {
    expect(toolResult(raw)).toEqual(expected);
  });
});

describe('redactValue', () => {
  it('reaches every text and key and nothing else', () => {
    const value = { a: ['ax', 1, null, true, { ax: 'bax' }], b: 1.5 };
    expect(redactValue(value, (item) => item.replaceAll('ax', '*'))).toEqual({
      a: ['*', 1, null, true, { '*': 'b*' }],
      b: 1.5,
    });
  });
});
