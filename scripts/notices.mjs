// Which libraries are inside the bundles, with their licences.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The licence texts of all packages whose files went into some bundles, by name. Throws for a package that names no licence.
 *
 * @param {string} root folder of the project
 * @param {Iterable<string>} inputs paths of bundled files, relative to `root` (keys of esbuild's `metafile.inputs`)
 */
export function licencesOf(root, inputs) {
  const folders = new Set(
    [...inputs].flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []),
  );
  const sections = [...folders].map((folder) => {
    const {
      name,
      version,
      licenses,
      license = licenses?.[0]?.type,
    } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    if (typeof license !== 'string') throw new Error(`${name} names no licence in its package.json`);
    const file = readdirSync(join(root, folder)).find((each) => /^licen[cs]e/i.test(each));
    const text = file === undefined ? '' : `\n${readFileSync(join(root, folder, file), 'utf8').trim()}\n`;
    return `${name} ${version} (${license})\n${text}`;
  });
  return ['Libraries that are bundled with kairos\n', ...sections.toSorted()].join(`\n${'-'.repeat(80)}\n\n`);
}
