/** Packages that are looked up when they are needed: beside this program, wherever it is installed. */

/** A package that a contestant needs is not there. */
export class MissingPackage extends Error {
  override readonly name = 'MissingPackage';

  constructor(specifier: string) {
    const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
    super(`needs the package ${name}: npm install --no-save ${name}`);
  }
}

/** Imports a package by its name, which no bundler sees. Throws a `MissingPackage` if it is not installed. */
export async function optional<Module>(specifier: string): Promise<Module> {
  try {
    return (await import(/* @vite-ignore */ specifier)) as Module;
  } catch (error) {
    if ((error as { code?: string }).code === 'ERR_MODULE_NOT_FOUND') throw new MissingPackage(specifier);
    throw error;
  }
}
