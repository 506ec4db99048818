// Dependencies point one way (docs/architecture.md):
// cli, mcp -> operations -> host -> store -> run, gate, lint -> proof, ledger, search -> protocol -> formats -> base.
const LAYERS = {
  base: [],
  // Readers of JSON, YAML, TOML, markdown and patterns, with faults and places.
  formats: ['base'],
  shell: ['base'],
  // A hold of a protocol is written as a shell command.
  protocol: ['base', 'formats', 'shell'],
  lint: ['base', 'formats', 'protocol', 'shell'],
  ledger: ['base', 'formats', 'protocol'],
  proof: ['base', 'formats', 'protocol', 'ledger'],
  gate: ['base', 'formats', 'protocol', 'shell', 'ledger', 'proof'],
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
  mcp: ['base', 'formats', 'protocol', 'ledger', 'proof', 'gate', 'run', 'store', 'host', 'operations'],
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

/**
 * What an interface may import below `operations` as a value; types of everything are free. These turn data into words:
 * they decide nothing.
 */
const PRESENTATION = {
  'protocol/identity.ts': 'slugs and URIs of chains and steps',
  'protocol/render.ts': 'a chain as markdown',
  'protocol/terms.ts': 'the words that a help text lists',
  'protocol/scan/reference.ts': 'markdown as a tree',
  'lint/report.ts': 'counts and the verdict of a lint report',
  'lint/reporters/': 'formats of a lint report',
  'run/wording.ts': 'the fixed words of a run',
  'run/present/': 'the rows of its screens',
  'run/state.ts': 'what a state shows',
  'formats/': 'readers of text that a person or a client gave',
};

module.exports = {
  forbidden: [
    ...forbidden,
    {
      name: 'one-door',
      severity: 'error',
      comment: 'cli and mcp hold no rules: they import operations, effects (host) and presentation',
      from: { path: '^src/(?:cli|mcp)/' },
      to: {
        path: '^src/',
        pathNot: `^src/(?:(?:cli|mcp|operations|host|report|base)/|${Object.keys(PRESENTATION).join('|')})`,
        dependencyTypesNot: ['type-only'],
      },
    },
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
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
      name: 'examples-are-lazy',
      severity: 'error',
      comment: 'no run of the linter needs the examples of rules: import them dynamically',
      from: { path: '^src/', pathNot: '^src/lint/rules/examples/' },
      to: { path: '^src/lint/rules/examples/', dynamic: false },
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
