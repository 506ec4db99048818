import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { validateComment } from '../../src/proof/comment.ts';
import { NO_TOOLS } from './support.ts';

const STEP = 'Run the tests\nRun them on a clean tree, and look at **every** failure before you go on.';

function judge(text: unknown, { min = 10, previous = null as string | null, step = STEP } = {}) {
  const demand = { type: 'comment' as const, required: true, comment: { min_length: min } };
  return validateComment(demand, { text }, { stepText: step, previousComment: previous }, NO_TOOLS);
}

describe('validateComment', () => {
  test('keeps the trimmed text, cleaned', () => {
    expect(judge('  Ran 214 tests\x7f, none failed. ')).toEqual({
      ok: true,
      proof: { text: 'Ran 214 tests\ufffd, none failed.' },
    });
  });

  test.each([
    ['English', 'All steps verified and completed'],
    ['English', 'Protocol completed successfully'],
    ['German', 'Alle Prüfungen liefen durch, zwei Warnungen bleiben.'],
    ['Japanese', 'テストは全部で二百件、失敗はありませんでした。'],
    ['Chinese', '我在干净的目录里跑了所有测试,没有失败'],
    ['Korean', '테스트 이백 개를 돌렸고 실패는 없었습니다'],
    ['Arabic', 'شغلت كل الاختبارات ولم يفشل منها شيء'],
    ['Hindi', 'सभी परीक्षण चलाए और कोई विफल नहीं हुआ'],
    ['Thai', 'รันการทดสอบทั้งหมดแล้วไม่พบข้อผิดพลาด'],
    ['Russian', 'Запустил тесты на чистой копии, ошибок нет'],
  ])('a genuine account in %s passes: %s', (_, text) => {
    expect(judge(text)).toEqual({ ok: true, proof: { text } });
  });

  test('the minimal length counts grapheme clusters after trimming', () => {
    const family = '👨‍👩‍👧‍👦';
    expect(judge(`   für ${family}   `, { min: 6 })).toEqual({
      ok: false,
      code: 'COMMENT_TOO_SHORT',
      message: 'solution.comment.text has 5 characters; at least 6 are needed.',
    });
    expect(judge(`für ${family}`, { min: 5 })).toMatchObject({ ok: true });
    expect(judge('e\u0301', { min: 2 })).toEqual({
      ok: false,
      code: 'COMMENT_TOO_SHORT',
      message: 'solution.comment.text has 1 character; at least 2 are needed.',
    });
  });

  test('padding that shows nothing makes no text longer', () => {
    for (const text of [
      `fix${'\u200b'.repeat(20)}`,
      `fix${'\u{e0061}'.repeat(20)}`,
      `fix${' '.repeat(20)}it`,
    ]) {
      expect(judge(text)).toMatchObject({ code: 'COMMENT_TOO_SHORT' });
    }
  });

  test.each([
    ['one character', 'aaaaaaaaaaaaaaa'],
    ['one character with spaces', 'x x x x x x x x'],
    ['one word', 'reviewed reviewed REVIEWED, reviewed!'],
    ['one word, Japanese', '確認確認確認確認確認'],
    ['one word cut at the end', 'reviewed reviewed revi'],
    ['one phrase', 'the gate is shut. The gate is shut.'],
    ['one word, marks that change places where two meet', '\u{1d157}\u{1d165}\u0622'.repeat(8)],
    ['one word, Thai', 'ตรวจตรวจตรวจตรวจ'],
  ])('COMMENT_TRIVIAL for a repetition of %s', (_, text) => {
    expect(judge(text)).toEqual({
      ok: false,
      code: 'COMMENT_TRIVIAL',
      message:
        'solution.comment.text repeats itself. Describe once, in your own words, what was done and what the result is.',
    });
  });

  test.each([
    ['ok, all done, thanks!'],
    ['Everything is complete.'],
    ['It’s done… I’ve finished it all'],
    ['完了しました。問題ありません。'],
    ['全部已经完成了,没问题。'],
    ['Erledigt, alles in Ordnung'],
    ['C’est terminé, tout va bien'],
    ['Listo, ya está todo hecho.'],
    ['Всё готово, спасибо!'],
    ['모두 완료했습니다 문제없음'],
    ['asdf asdfgh qwerty'],
    ['N/A, n/a, none, nothing'],
    ['ＤＯＮＥ ａｌｌ ｇｏｏｄ'],
    ['OK完了しました、done!'],
  ])('COMMENT_TRIVIAL for filler: %s', (text) => {
    expect(judge(text)).toMatchObject({
      ok: false,
      code: 'COMMENT_TRIVIAL',
      message: expect.stringContaining('only states that it is done'),
    });
  });

  test.each([['!!! ??? ... ---'], ['👍🎉✅👍🎉✅🚀🚀✅🎉'], ['— — · — — ·']])(
    'COMMENT_TRIVIAL for a text without words: %s',
    (text) => {
      expect(judge(text)).toMatchObject({
        code: 'COMMENT_TRIVIAL',
        message: expect.stringContaining('no words'),
      });
    },
  );

  test.each([
    ['the label', 'Run the tests'],
    ['a part of the body', 'look at every failure'],
    ['the body in capitals and without punctuation', 'RUN THEM ON A CLEAN TREE AND LOOK AT EVERY FAILURE'],
    ['a whole line with filler around', 'Done: Run the tests. OK!'],
    ['label and body', STEP],
  ])('COMMENT_TRIVIAL for a copy of %s', (_, text) => {
    expect(judge(text)).toMatchObject({
      ok: false,
      code: 'COMMENT_TRIVIAL',
      message: expect.stringContaining('copies the step'),
    });
  });

  test('COMMENT_TRIVIAL for a copy of the comment before, and of a Japanese step', () => {
    const previous = 'Ran 214 tests, none failed.';
    expect(judge('ran 214 tests; none failed', { previous })).toMatchObject({ code: 'COMMENT_TRIVIAL' });
    expect(judge('Ran 214 tests, none failed. And the linter is clean too.', { previous })).toMatchObject({
      ok: true,
    });
    const step = 'テストを実行する\nきれいな作業ツリーで全てのテストを実行してください。';
    expect(judge('作業ツリーで全てのテストを実行', { step })).toMatchObject({ code: 'COMMENT_TRIVIAL' });
    expect(judge('作業ツリーを作り直してから二百件を流し、三件を直した', { step })).toMatchObject({
      ok: true,
    });
  });

  test('a short answer may share a word with its step', () => {
    expect(judge('1.2.3', { min: 1, step: 'State which of 1.2.3 and 1.2.4 is deployed.' })).toMatchObject({
      ok: true,
    });
  });

  test.each([
    [undefined, 'solution.comment is missing: it must be an object with text.'],
    ['text', 'solution.comment is missing: it must be an object with text.'],
    [{}, 'solution.comment.text must be a string.'],
    [{ text: ['a'] }, 'solution.comment.text must be a string.'],
  ])('MISSING_FIELD for the payload %j', (payload, message) => {
    const demand = { type: 'comment' as const, required: true, comment: { min_length: 10 } };
    expect(validateComment(demand, payload, { stepText: STEP, previousComment: null }, NO_TOOLS)).toEqual({
      ok: false,
      code: 'MISSING_FIELD',
      message,
    });
  });

  test('any repeated text stays trivial', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, unit: 'grapheme' }),
        fc.integer({ min: 2, max: 9 }),
        (unit, times) => {
          expect(judge(unit.repeat(times), { min: 1 }).ok).toBe(false);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('no stretch of eight letters or more of the step passes', () => {
    const step = fc.array(fc.stringMatching(/^[a-z]{3,9}$/), { minLength: 4, maxLength: 12 });
    fc.assert(
      fc.property(step, fc.nat(), fc.nat(), (words, from, size) => {
        const start = from % (words.length - 3);
        const copied = words.slice(start, start + 3 + (size % 3)).join(' ');
        expect(judge(copied, { min: 1, step: words.join(' ') }).ok).toBe(false);
      }),
      { numRuns: 200 },
    );
  });

  test('an account is not refused for its words', () => {
    const words = fc.uniqueArray(fc.stringMatching(/^[bcdfghjklmnpqrstvwxz]{4,8}$/), {
      minLength: 4,
      maxLength: 9,
    });
    fc.assert(
      fc.property(words, (account) => {
        expect(judge(account.join(' '))).toEqual({ ok: true, proof: { text: account.join(' ') } });
      }),
      { numRuns: 200 },
    );
  });
});
