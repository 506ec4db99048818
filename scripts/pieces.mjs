// Decides which modules share a file. Opening a file costs as much as compiling some kilobytes, so small files are put together.

/** What opening a file costs, in bytes to compile. */
const OPENING = 7_000;

/** The entry is started so much more often than each later part. */
const ENTRY = 10;

/**
 * A plugin that bundles in such pieces. Inputs: the metafile of a bundle with splitting, its entry, what the entry always loads
 * (`first`), and modules of another bundle that load parts of this one without its entry (`others`).
 */
export function inPieces(root, metafile, { entry, first = [], others = [] }) {
  const starts = startsOf(metafile, [entry, ...first], others);
  const pieces = merged(piecesOf(metafile, starts), starts);
  return {
    name: 'pieces',
    setup({ onResolve, onLoad, resolve }) {
      // Modules that the same starts reach share a file, so each start imports all of its pieces.
      onResolve({ filter: /./ }, async ({ path, kind, pluginData, ...from }) => {
        if (!/^(?:entry-point|dynamic-import)$/.test(kind) || pluginData === 'seen') return undefined;
        const found = await resolve(path, { ...from, kind, pluginData: 'seen' });
        const file = found.path.slice(root.length);
        return isOurs(file) ? { path: file, namespace: 'start' } : undefined;
      });
      onLoad({ filter: /./, namespace: 'start' }, ({ path }) => {
        const at = starts.findIndex(({ file }) => file === path);
        const files = pieces.filter(({ by }) => by[at]).flatMap((piece) => piece.files.filter(isOurs));
        const imports = files.map((file) => `import '${root}${file}';\n`).join('');
        return { contents: `${imports}export * from '${root}${path}';`, resolveDir: root };
      });
    },
  };
}

const isOurs = (file) => file.startsWith('src/');

/** Each module that is loaded on its own: what it loads, and what each of its callers has loaded before. */
function startsOf({ inputs }, [entry, ...first], others) {
  const starts = new Map();
  const imports = (files, isLater) =>
    [...files].flatMap((file) =>
      inputs[file].imports
        .filter(({ kind, external }) => !external && (kind === 'dynamic-import') === isLater)
        .map(({ path }) => path),
    );
  const loadsOf = (files) => closure(files, (each) => imports([each], false));
  const add = (file, roots = [file]) => {
    if (starts.has(file)) return;
    const loads = loadsOf(roots);
    starts.set(file, { file, loads, callers: [], before: null });
    for (const later of imports(loads, true)) {
      add(later);
      starts.get(later).callers.push(starts.get(file));
    }
  };
  add(entry, [entry, ...first]);
  const firsts = [entry, ...imports(loadsOf(others), true)].map((file) => starts.get(file));
  for (const start of firsts) start.before = new Set();
  for (let changed = true; changed; ) {
    changed = false;
    for (const start of starts.values()) {
      const [one, ...more] = start.callers
        .filter(({ before }) => before !== null)
        .map(({ loads, before }) => new Set([...loads, ...before]));
      if (firsts.includes(start) || one === undefined) continue;
      const before = new Set([...one].filter((file) => more.every((each) => each.has(file))));
      changed ||= before.size !== start.before?.size;
      start.before = before;
    }
  }
  return [...starts.values()];
}

function closure(roots, next) {
  const seen = new Set(roots);
  for (const each of seen) for (const other of next(each)) seen.add(other);
  return seen;
}

const [UNUSED, LOADED, LOADED_BEFORE] = [0, 1, 2];

/** Modules that the same starts need. `by`: how each start has them; `needs`: the pieces that its modules import, and it. */
function piecesOf({ inputs, outputs }, starts) {
  const sizes = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const pieces = new Map();
  const pieceOf = new Map();
  for (const [file, { bytesInOutput }] of sizes) {
    const by = starts.map(({ loads, before }) =>
      before.has(file) ? LOADED_BEFORE : loads.has(file) ? LOADED : UNUSED,
    );
    const key = by.map((each) => each !== UNUSED).join();
    const piece = pieces.get(key) ?? { by, size: 0, files: [], needs: null };
    pieces.set(key, piece);
    piece.size += bytesInOutput;
    piece.files.push(file);
    pieceOf.set(file, piece);
  }
  for (const piece of pieces.values()) {
    const files = closure(piece.files, (file) =>
      inputs[file].imports
        .filter(({ kind, external }) => !external && kind !== 'dynamic-import')
        .map(({ path }) => path),
    );
    piece.needs = new Set([...files].flatMap((file) => pieceOf.get(file) ?? []));
  }
  return [...pieces.values()];
}

/** Puts the two pieces together that cost the fewest bytes without need for an opening, until each pair costs more. */
function merged(pieces, starts) {
  const isPackage = starts.map(({ file }) => !isOurs(file));
  const alive = new Set(pieces);
  const costs = new Map(pieces.map((piece) => [piece, new Map()]));
  const compare = (one) => {
    for (const other of alive) {
      if (other === one) continue;
      const cost = costOf(one, other, isPackage);
      costs.get(one).set(other, cost);
      costs.get(other).set(one, cost);
    }
  };
  for (const piece of pieces) compare(piece);
  for (;;) {
    let best = { cost: OPENING };
    for (const one of alive) {
      for (const [other, cost] of costs.get(one))
        if (cost < best.cost && alive.has(other)) best = { one, other, cost };
    }
    const { one, other } = best;
    if (one === undefined) return [...alive];
    alive.delete(other);
    one.size += other.size;
    one.files.push(...other.files);
    for (const need of other.needs) one.needs.add(need);
    for (const piece of alive) {
      if (piece.needs.has(other) || piece.needs.has(one)) for (const need of one.needs) piece.needs.add(need);
      piece.needs.delete(other);
    }
    one.by = one.by.map((is, at) => Math.max(is, other.by[at]));
    const changed = new Set([one]);
    for (const need of one.needs) {
      const by = need.by.map((is, at) => is || one.by[at]);
      if (by.some((is, at) => is !== need.by[at])) changed.add(need);
      need.by = by;
    }
    for (const piece of changed) compare(piece);
  }
}

/** The bytes that starts would load without need, for each opening that is saved. A package can't import pieces; its callers do. */
function costOf(one, other, isPackage) {
  let saved = 0;
  for (const [at, is] of one.by.entries())
    if (is && other.by[at] && is + other.by[at] < 2 * LOADED_BEFORE) saved += at === 0 ? ENTRY : 1;
  let bytes = 0;
  for (const [at, is] of one.by.entries()) {
    if (!is === !other.by[at]) continue;
    const has = Math.max(is, other.by[at]);
    if (bytes >= OPENING * saved || (isPackage[at] && has === LOADED)) return OPENING;
    if (isPackage[at]) continue;
    for (const need of (is ? other : one).needs) if (!need.by[at]) bytes += need.size;
  }
  return saved === 0 ? OPENING : bytes / saved;
}
