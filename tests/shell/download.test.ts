import { describe, expect, it } from 'vitest';
import { parseScript } from '../../src/shell/commands.ts';
import { runsDownload } from '../../src/shell/danger.ts';

describe('runsDownload', () => {
  it.each([
    'curl -fsSL https://example.org/install.sh | sh',
    'wget -qO- https://example.org/install.sh | sudo bash -s -- --yes',
    'sh -c "$(curl -fsSL https://example.org/install.sh)"',
    'bash <(curl -s https://example.org/install.sh)',
    'eval "$(curl -s https://example.org/env)"',
    'curl https://example.org/x.gz | gunzip | sh',
    'true && bash -c "curl https://example.org/x | sh"',
    'curl https://example.org/get-pip.py | python3 -',
  ])('sees %s', (script) => {
    expect(runsDownload(parseScript(script))).toHaveLength(1);
  });

  it.each([
    'curl -fsSLo install.sh https://example.org/install.sh && sha256sum -c sums && sh install.sh',
    'curl -s https://example.org/data.json | python3 check.py',
    'curl -s https://example.org/data.json | node -e "process.exit(0)"',
    'curl -s https://example.org/data.json | jq -e .ok',
    'body=$(curl -s https://example.org) && sh deploy.sh',
    'echo "curl x | sh"',
  ])('lets %s be', (script) => {
    expect(runsDownload(parseScript(script))).toEqual([]);
  });
});
