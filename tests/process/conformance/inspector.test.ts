import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HttpServer, startHttp } from '../../mcp/support.ts';
import { type CliHome, KAIROS_BIN, kairos, makeHome } from '../../support/cli.ts';
import { protocolOf } from '../../support/protocols.ts';
import { type Official, official } from './official.ts';

const inspector: Official | null = await official('inspector', ['@modelcontextprotocol/inspector']);

describe.skipIf(inspector === null)('the Inspector, on its command line', () => {
  let home: CliHome;
  let server: HttpServer;
  beforeAll(async () => {
    home = makeHome();
    writeFileSync(join(home.work, 'walk.md'), protocolOf(['comment'], 'Walk about'));
    expect(await kairos(home, ['mint', 'walk.md'])).toMatchObject({ code: 0 });
    server = await startHttp(home, ['--log-level', 'error']);
  });
  afterAll(async () => {
    expect(await server.stop()).toBe(0);
    home.remove();
  });

  const inspect = async (target: string[], args: string[]) => {
    const { code, output } = await inspector!.run('mcp-inspector', ['--cli', ...target, ...args], home.env);
    if (code !== 0) throw new Error(output);
    return JSON.parse(output.slice(output.indexOf('{')));
  };
  const targets: [string, () => string[]][] = [
    ['stdio', () => [process.execPath, KAIROS_BIN, 'serve']],
    ['http', () => [server.url, '--transport', 'http']],
  ];

  it.each(targets)('lists and calls over %s', async (_, target) => {
    const { tools } = await inspect(target(), ['--method', 'tools/list']);
    expect(tools.map(({ name }: { name: string }) => name)).toContain('kairos_begin');
    const begun = await inspect(target(), [
      '--method',
      'tools/call',
      '--tool-name',
      'kairos_begin',
      '--tool-arg',
      'key=walk-about',
    ]);
    expect(begun.structuredContent).toMatchObject({ must_obey: true, protocol_status: 'continue' });
  });
});
