// Writes dist/index.d.ts: the declarations of src/index.ts with those of the bundled libraries inside, since an installed
// kairos comes without them.
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';

const bundle = await rollup({
  input: 'src/index.ts',
  external: [/^node:/],
  plugins: [
    dts({
      tsconfig: 'tsconfig.json',
      includeExternal: ['zod', 'ajv', 'mdast', '@types/mdast', '@types/unist'],
    }),
  ],
  onwarn: (warning) => {
    throw new Error(warning.message);
  },
});
await bundle.write({ file: 'dist/index.d.ts' });
