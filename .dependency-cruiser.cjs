// Dependencies point one way (docs/architecture.md):
// cli, mcp -> operations, config -> run, gate, lint -> proof, ledger, search, exec -> protocol -> base.
const LAYERS = {
  base: [],
  protocol: ['base'],
  shell: ['base'],
  // Interfaces of what the core needs; types only.
  ports: ['base', 'protocol', 'ledger'],
  ledger: ['base', 'protocol', 'ports'],
  proof: ['base', 'protocol', 'ports', 'ledger'],
  search: ['base', 'protocol', 'ports'],
  // Vectors of texts, from whoever makes them.
  embedding: ['base', 'ports', 'search'],
  exec: ['base', 'protocol', 'ports'],
  gate: ['base', 'protocol', 'ports', 'ledger', 'proof'],
  run: ['base', 'protocol', 'ports', 'ledger', 'proof', 'gate'],
  lint: ['base', 'protocol', 'shell'],
  // Rewriting documents: canonical form, older spellings. One edit engine, lint's.
  format: ['base', 'protocol', 'shell', 'lint'],
  // Protocols to begin with.
  templates: ['base', 'protocol'],
  // Running a step's command and telling it to the ledger: what `kairos run` and `kairos serve --execute` share.
  'run-host': ['base', 'protocol', 'ports', 'shell', 'ledger', 'exec'],
  store: ['base', 'protocol', 'ports', 'ledger', 'search'],
  config: ['base', 'protocol', 'ports', 'store', 'exec', 'gate'],
  // Second opinions on what the server obtained.
  verifier: ['base', 'ports'],
  // Whole stores: to a file, from a file, from one to another.
  moving: ['base', 'protocol', 'ports', 'ledger', 'store', 'operations', 'run'],
  operations: ['base', 'protocol', 'ports', 'ledger', 'proof', 'search', 'run', 'gate', 'lint'],
  mcp: [
    'base',
    'protocol',
    'ports',
    'ledger',
    'proof',
    'exec',
    'run',
    'run-host',
    'gate',
    'operations',
    'config',
    'store',
  ],
  cli: [
    ...[
      'base',
      'protocol',
      'ports',
      'shell',
      'ledger',
      'proof',
      'search',
      'embedding',
      'exec',
      'run',
      'run-host',
      'gate',
      'lint',
      'format',
      'templates',
      'store',
    ],
    ...['config', 'operations', 'moving', 'verifier', 'mcp'],
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
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'pure-core',
      severity: 'error',
      comment: 'deciding and judging touch no file, process, clock or network by themselves',
      from: {
        path: '^src/(?:protocol|proof|ledger|gate|search|run/(?!service/))',
        pathNot: '^src/gate/ssh/',
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
