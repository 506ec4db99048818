import type { Plugin } from 'esbuild';

export function blockShapeModule(): Promise<string>;
export function computedShapes(contents: string): Plugin;
