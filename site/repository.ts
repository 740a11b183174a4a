/** The repository that the site is made from: its files, and where they are on the web. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const described: { version: string; repository: { url: string } } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);
const url = described.repository.url.replace(/^git\+|\.git$/g, '');

export const repository = {
  root,
  url,
  version: described.version,
  /** Where a file or folder is on the web. */
  fileUrl: (path: string): string =>
    `${url}/${statSync(join(root, path)).isDirectory() ? 'tree' : 'blob'}/main/${path}`,
  has: (path: string): boolean => existsSync(join(root, path)),
  read: (path: string): string => readFileSync(join(root, path), 'utf8'),
  /** The files of a folder whose names end like this, in the order of their names. */
  list: (folder: string, ending: string): string[] =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(ending))
      .sort()
      .map((name) => `${folder}/${name}`),
};
