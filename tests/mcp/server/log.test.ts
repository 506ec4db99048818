import { Writable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLog, LOG_LEVELS, type LogLevel } from '../../../src/mcp/server/metrics.ts';

function logged(level: LogLevel, write: (log: ReturnType<typeof createLog>) => void): string {
  let text = '';
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      text += String(chunk);
      done();
    },
  });
  write(
    createLog(stream, level, { now: () => 0, redact: (line) => line.replaceAll('s3cret', '[redacted]') }),
  );
  return text;
}

describe('the log', () => {
  it('is one JSON object a line, without secrets', () => {
    expect(logged('info', (log) => log.info('begun', { by: 'ada', token: 's3cret' }))).toBe(
      '{"at":"1970-01-01T00:00:00.000Z","level":"info","event":"begun","by":"ada","token":"[redacted]"}\n',
    );
  });

  it.each(LOG_LEVELS)('writes nothing below its level (%s)', (level) => {
    const text = logged(level, (log) => {
      for (const name of LOG_LEVELS) log[name](name);
    });
    const told = text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line).level);
    expect(told).toEqual(LOG_LEVELS.slice(LOG_LEVELS.indexOf(level)));
  });

  it('is ASCII in one line for any input, and reads back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const line = logged('debug', (log) => log.warn('odd', { value }));
        expect(line).toMatch(/^[\x20-\x7e]*\n$/);
        expect(JSON.parse(line).value).toBe(value);
      }),
      { numRuns: 200 },
    );
  });
});
