// Moves the imports of schemes behind all others in the files that programs import from. Bundlers write modules in the order of the
// imports, and gzip finds what was there before no further back than 32 kB: the engine compresses better if no scheme stands in its middle.
import type { Plugin } from 'rolldown';

const SCHEME = /\/schemes\//;

/** Orders the imports of every entry point that is written. */
export const schemesLast = (): Plugin => ({
  name: 'schemes-last',
  renderChunk(code, { isEntry, fileName }) {
    if (!isEntry || !fileName.endsWith('.js')) return null;
    const imports = this.parse(code).body.filter(({ type }) => type === 'ImportDeclaration');
    const texts = imports.map(({ start, end }) => code.slice(start, end));
    const ordered = [...texts.filter((text) => !SCHEME.test(text)), ...texts.filter((text) => SCHEME.test(text))];
    return `${ordered.join('\n')}${code.slice(imports.at(-1)?.end ?? 0)}`;
  },
});
