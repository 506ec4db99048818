// Dependencies point one way (docs/architecture.md):
// cli, mcp -> operations -> host -> store -> run, gate, lint -> proof, ledger, search -> protocol -> formats -> base.
const LAYERS = {
  base: [],
  // Readers of JSON, YAML, TOML, markdown and patterns, with faults and places.
  formats: ['base'],
  protocol: ['base', 'formats'],
  shell: ['base'],
  lint: ['base', 'formats', 'protocol', 'shell'],
  ledger: ['base', 'formats', 'protocol'],
  proof: ['base', 'formats', 'protocol', 'ledger'],
  gate: ['base', 'formats', 'protocol', 'ledger', 'proof'],
  run: ['base', 'formats', 'protocol', 'ledger', 'proof', 'gate'],
  search: ['base', 'formats', 'protocol'],
  store: ['base', 'formats', 'protocol', 'ledger', 'search'],
  // Effects: commands, files, keys, trust, settings, SSH, MCP servers that kairos calls.
  host: [
    'base',
    'formats',
    'protocol',
    'shell',
    'ledger',
    'proof',
    'gate',
    'run',
    'search',
    'store',
    'report',
  ],
  // The one door: one file for each verb.
  operations: [
    'report',
    ...['base', 'formats', 'protocol', 'shell', 'ledger', 'proof', 'gate', 'run', 'search', 'store', 'lint'],
    'host',
  ],
  // A run as people look at it: page, markdown, graph; shared by `report` and `view`.
  report: ['base', 'formats', 'protocol', 'shell', 'ledger', 'proof', 'gate', 'run', 'store'],
  mcp: ['base', 'formats', 'protocol', 'ledger', 'proof', 'run', 'store', 'host', 'operations'],
  cli: [
    ...['base', 'formats', 'protocol', 'shell', 'ledger', 'proof', 'gate', 'run', 'search', 'store', 'lint'],
    ...['host', 'operations', 'report', 'mcp'],
  ],
};

const forbidden = Object.entries(LAYERS).map(([layer, allowed]) => ({
  name: `${layer}-looks-down`,
  severity: 'error',
  comment: `src/${layer} may import ${allowed.length === 0 ? 'nothing else' : allowed.join(', ')} and itself`,
  from: { path: `^src/${layer}/` },
  to: { path: '^src/', pathNot: `^src/(?:${[layer, ...allowed].join('|')})/` },
}));

module.exports = {
  forbidden: [
    ...forbidden,
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'pure-core',
      severity: 'error',
      comment: 'deciding and judging touch no file, process, clock or network by themselves',
      from: {
        path: '^src/(?:base|formats|protocol|shell|ledger|proof|gate|run|search|report)/',
        pathNot: '^src/(?:base/package-root\\.ts|search/embedding/)',
      },
      to: { path: '^(?:node:)?(?:fs|child_process|net|http|https|os|process)(?:/|$)' },
    },
    {
      name: 'layers-are-listed',
      severity: 'error',
      comment: 'a new folder gets its place in LAYERS first',
      from: {
        path: '^src/',
        pathNot: `^src/(?:${Object.keys(LAYERS).join('|')})/|^src/(?:bench|index)\\.ts$`,
      },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.js', '.mjs', '.json'] },
  },
};
