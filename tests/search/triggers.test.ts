import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { triggerPhrases } from '../../src/search/document.ts';

describe('triggerPhrases', () => {
  it('reads list items, quotes and plain lines', () => {
    const markdown = [
      '- "ship the release"',
      '* cut a release',
      '3. **publish** it',
      '- [ ] push to npm',
      '> we are ready to go out',
      'plain words',
      '',
      '---',
    ].join('\n');
    expect(triggerPhrases(markdown)).toEqual([
      'ship the release',
      '"ship the release"',
      'cut a release',
      'publish it',
      'push to npm',
      'we are ready to go out',
      'plain words',
    ]);
  });

  it('reads each quoted phrase of a line, in any quotes', () => {
    const phrases = triggerPhrases(
      'Says "ship it", “go out”, „raus damit“, «en avant», 「出荷」 or `deploy`',
    );
    for (const phrase of ['ship it', 'go out', 'raus damit', 'en avant', '出荷', 'deploy']) {
      expect(phrases).toContain(phrase);
    }
  });

  it('parts alternatives on one line', () => {
    expect(triggerPhrases('- ship it / go out | publish; push')).toEqual([
      'ship it',
      'go out',
      'publish',
      'push',
    ]);
  });

  it('gives each phrase once, at most 256, none without a letter or digit', () => {
    expect(triggerPhrases('- a b\n- a b\r\n- a b')).toEqual(['a b']);
    expect(triggerPhrases(Array.from({ length: 1000 }, (_, at) => `- n${at}`).join('\n'))).toHaveLength(256);
    fc.assert(
      fc.property(fc.string(), (markdown) => {
        for (const phrase of triggerPhrases(markdown)) expect(phrase).toMatch(/[\p{L}\p{N}]/u);
      }),
    );
  });
});
