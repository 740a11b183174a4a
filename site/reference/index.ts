/** Pages of the API reference: one an entry point, one a class, and one for types where there are many. */
import { escapeHtml, highlight, render } from '../markdown.ts';
import { linkFrom, type Page } from '../page.ts';
import {
  type Declared,
  type EntryPoint,
  type Exported,
  type Kind,
  type Member,
  type Mention,
  readEntryPoints,
  type Said,
} from './exports.ts';
import { formatCode } from './format.ts';

/** More types than this have a page of their own. */
const MOST_TYPES = 40;

const KINDS: readonly [Kind, string][] = [
  ['class', 'Classes'],
  ['function', 'Functions'],
  ['value', 'Values'],
  ['type', 'Types'],
];
const MEMBERS: readonly [Member['kind'], string][] = [
  ['static', 'Static calls'],
  ['call', 'Calls'],
  ['property', 'Properties'],
];

const shortName = (entry: EntryPoint): string => entry.name.split('/').at(-1) as string;
/** The collections of `hashnest/bare` are those of `hashnest`, which have pages. */
const hasOwnPages = (entry: EntryPoint): boolean => shortName(entry) !== 'bare';

/** Where a class has its page. */
const classPath = (entry: EntryPoint, name: string): string =>
  `api/${hasOwnPages(entry) ? shortName(entry) : 'hashnest'}/${name}.html`;

/** Where an export is explained, by `entry point/name`. */
type Places = ReadonlyMap<string, string>;

const keyOf = ({ entry, name }: Mention): string => `${entry}/${name}`;

/** All pages of the reference. */
export function referencePages(): Page[] {
  const entries = readEntryPoints();
  const places = placesOf(entries);
  const code = formatAll(entries);
  const context = { places, code };
  return [
    overview(entries),
    ...entries.flatMap((entry) => {
      const types = entry.exports.filter(({ kind }) => kind === 'type');
      const isParted = types.length > MOST_TYPES;
      return [
        entryPage(entry, isParted, context),
        ...(isParted ? [typesPage(entry, types, context)] : []),
        ...(hasOwnPages(entry)
          ? entry.exports.filter(({ kind }) => kind === 'class').map((c) => classPage(entry, c, context))
          : []),
      ];
    }),
  ];
}

interface Context {
  readonly places: Places;
  /** Formatted. */
  readonly code: ReadonlyMap<Declared, string>;
}

function placesOf(entries: readonly EntryPoint[]): Places {
  const places = new Map<string, string>();
  for (const entry of entries) {
    const isParted = entry.exports.filter(({ kind }) => kind === 'type').length > MOST_TYPES;
    for (const { name, kind } of entry.exports) {
      const key = keyOf({ entry: entry.name, name });
      if (kind === 'class') places.set(key, classPath(entry, name));
      else places.set(key, `api/${shortName(entry)}${kind === 'type' && isParted ? '-types' : ''}.html#${name}`);
    }
  }
  return places;
}

function formatAll(entries: readonly EntryPoint[]): ReadonlyMap<Declared, string> {
  const exported = entries.flatMap((entry) => entry.exports);
  const pieces = [
    ...exported.map((declared) => ({ declared, code: declared.code, isMember: false })),
    ...exported.flatMap(({ members }) =>
      members.map((declared) => ({ declared, code: declared.code, isMember: true })),
    ),
  ];
  const formatted = formatCode(pieces);
  return new Map(pieces.map(({ declared }, i) => [declared, formatted[i] as string]));
}

function overview(entries: readonly EntryPoint[]): Page {
  const path = 'api/index.html';
  const rows = entries.map((entry) => {
    const link = `<a href="${linkFrom(path, `api/${shortName(entry)}.html`)}"><code>${entry.name}</code></a>`;
    return `<h2 id="${shortName(entry)}">${link}</h2>\n${prose(entry.said)}${
      hasOwnPages(entry)
        ? nameList(
            entry.exports.filter(({ kind }) => kind !== 'type'),
            entry,
            path,
          )
        : ''
    }`;
  });
  const html = `<p class="lead">All that is public, from the comments in the code. There is one module for each entry point of the package.</p>\n${rows.join('\n')}`;
  const headings = entries.map((entry) => ({ level: 2, text: entry.name, id: shortName(entry) }));
  return { path, section: 'API', title: 'API', label: 'Overview', html, headings };
}

function nameList(exports: readonly Exported[], entry: EntryPoint, from: string): string {
  const links = exports.map(({ name, kind }) => {
    const to = kind === 'class' ? classPath(entry, name) : `api/${shortName(entry)}.html#${name}`;
    return `<li><a href="${linkFrom(from, to)}"><code>${name}</code></a></li>`;
  });
  return `<ul class="names">\n${links.join('\n')}\n</ul>\n`;
}

function entryPage(entry: EntryPoint, isParted: boolean, context: Context): Page {
  const path = `api/${shortName(entry)}.html`;
  const parts = KINDS.flatMap(([kind, title]) => {
    const exports = entry.exports.filter((exported) => exported.kind === kind);
    if (exports.length === 0) return [];
    const id = title.toLowerCase();
    const body =
      kind === 'class'
        ? classList(entry, exports, path)
        : kind === 'type' && isParted
          ? `<p><a href="${linkFrom(path, `api/${shortName(entry)}-types.html`)}">${exports.length} types</a> have a page of their own.</p>`
          : exports.map((exported) => declaration(exported, path, context)).join('\n');
    return [{ id, title, html: `<h2 id="${id}">${title}</h2>\n${body}` }];
  });
  const again = entry.again.map((mentioned) => mention(mentioned, path, context.places));
  const html = `${prose(entry.said)}${parts.map((part) => part.html).join('\n')}${
    again.length > 0 ? `<h2 id="also">Also exported</h2>\n<p>${again.join(', ')}</p>` : ''
  }`;
  const headings = [
    ...parts.map(({ id, title }) => ({ level: 2, id, text: title })),
    ...entry.exports
      .filter(({ kind }) => kind !== 'class' && !(isParted && kind === 'type'))
      .map(({ name }) => ({ level: 3, id: name, text: name })),
  ];
  return { path, section: 'API', title: entry.name, html, headings };
}

function classList(entry: EntryPoint, classes: readonly Exported[], path: string): string {
  const rows = classes.map(({ name, said }) => {
    const to = linkFrom(path, classPath(entry, name));
    return `<tr><td id="${name}"><a href="${to}"><code>${name}</code></a></td><td>${line(said)}</td></tr>`;
  });
  return `<div class="scroll"><table><tbody>\n${rows.join('\n')}\n</tbody></table></div>`;
}

function typesPage(entry: EntryPoint, types: readonly Exported[], context: Context): Page {
  const path = `api/${shortName(entry)}-types.html`;
  const html = types.map((type) => declaration(type, path, context)).join('\n');
  const headings = types.map(({ name }) => ({ level: 3, id: name, text: name }));
  return { path, section: 'API', title: `Types of ${entry.name}`, html, headings };
}

function classPage(entry: EntryPoint, exported: Exported, context: Context): Page {
  const path = classPath(entry, exported.name);
  const head = (context.code.get(exported) ?? '').replace(/\s*\{\s*\}$/, '');
  const parts = MEMBERS.flatMap(([kind, title]) => {
    const members = exported.members.filter((member) => member.kind === kind);
    if (members.length === 0) return [];
    const id = title.toLowerCase().replaceAll(' ', '-');
    const body = members.map((member) =>
      declaration(member, path, context, `${kind === 'static' ? 'static-' : ''}${member.name}`),
    );
    return [{ id, title, members, html: `<h2 id="${id}">${title}</h2>\n${body.join('\n')}` }];
  });
  return {
    path,
    section: 'API',
    title: exported.name,
    html: `${highlight(`import { ${exported.name} } from '${entry.name}';`, 'ts')}
${prose(exported.said)}${highlight(head, 'ts')}
${parts.map((part) => part.html).join('\n')}`,
    headings: parts.flatMap(({ id, title, members }) => [
      { level: 2, id, text: title },
      ...members.map(({ name, kind }) => ({
        level: 3,
        id: `${kind === 'static' ? 'static-' : ''}${name}`,
        text: `${exported.name}.${name}`,
      })),
    ]),
  };
}

function declaration(declared: Declared, path: string, { places, code }: Context, id = declared.name): string {
  const mentions = declared.mentions.map((mentioned) => mention(mentioned, path, places));
  return `<h3 id="${escapeHtml(id)}"><code>${escapeHtml(declared.name)}</code></h3>
${prose(declared.said)}${highlight(code.get(declared) ?? '', 'ts', isMember(declared) ? 'declare class C {' : undefined)}
${mentions.length > 0 ? `<p class="mentions">${mentions.join(', ')}</p>` : ''}`;
}

const isMember = (declared: Declared): declared is Member =>
  MEMBERS.some(([kind]) => kind === (declared as Partial<Member>).kind);

function mention(mentioned: Mention, path: string, places: Places): string {
  return `<a href="${linkFrom(path, places.get(keyOf(mentioned)) as string)}"><code>${mentioned.name}</code></a>`;
}

const keep = (href: string): string => href;

const prose = ({ text, examples }: Said): string =>
  render(text, keep).html + examples.map((example) => highlight(example, 'ts')).join('');

/** The first sentence of a comment. */
const line = ({ text }: Said): string => render(text.split(/(?<=\.)\s/)[0] ?? '', keep).html.replaceAll(/<\/?p>/g, '');
