import { describe, expect, it } from 'vitest';
import { capabilitiesOf } from '../../../src/mcp/elicitation/settings.ts';

const none = { elicitation: false, sampling: false, roots: false };

describe('what a client declared', () => {
  it.each([
    [undefined, none],
    [null, none],
    ['elicitation', none],
    [{}, none],
    [{ elicitation: {} }, { ...none, elicitation: true }],
    [{ elicitation: { form: {} } }, { ...none, elicitation: true }],
    [{ elicitation: { form: {}, url: {} } }, { ...none, elicitation: true }],
    // It can open an address, which is no answer to a prompt.
    [{ elicitation: { url: {} } }, none],
    [{ elicitation: true, sampling: 'yes', roots: [] }, none],
    [{ sampling: {} }, { ...none, sampling: true }],
    [
      { sampling: { tools: {} }, roots: { listChanged: true } },
      { ...none, sampling: true, roots: true },
    ],
  ])('%j', (declared, capabilities) => {
    expect(capabilitiesOf(declared)).toEqual(capabilities);
  });
});
