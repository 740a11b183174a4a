import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';

const CONTENT_TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.wasm': 'application/wasm',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** What a server serves: texts by path, and folders by the start of the path. */
export interface Site {
  readonly texts: Readonly<Record<string, string>>;
  readonly folders: Readonly<Record<string, string>>;
}

/** A running server. Its address counts as a secure context, which WebGPU needs. */
export interface Server {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves a site on a free port of this machine only. */
export async function serve(site: Site): Promise<Server> {
  const server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname));
    const content = await read(site, path);
    if (content === undefined) {
      response.writeHead(404).end();
      return;
    }
    const type = CONTENT_TYPES[extname(path) || '.html'] ?? 'application/octet-stream';
    response.writeHead(200, { 'content-type': type }).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function read({ texts, folders }: Site, path: string): Promise<string | Buffer | undefined> {
  if (texts[path] !== undefined) return texts[path];
  for (const [start, dir] of Object.entries(folders)) {
    if (path.startsWith(start)) return readFile(join(dir, path.slice(start.length))).catch(() => undefined);
  }
  return undefined;
}
