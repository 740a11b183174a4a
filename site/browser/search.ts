/** The search box that every page has: titles and headings, from a list that is loaded when somebody comes to the box. */

interface Indexed {
  readonly path: string;
  readonly title: string;
  readonly section: string;
  readonly headings: readonly (readonly [text: string, id: string])[];
}

interface Found {
  readonly url: string;
  readonly text: string;
  readonly where: string;
  readonly score: number;
}

const MOST_RESULTS = 12;

const root = document.body.dataset.root ?? '';
const box = document.querySelector('search') as HTMLElement;
const input = box.querySelector('input') as HTMLInputElement;
const list = box.querySelector('ol') as HTMLOListElement;

let loading: Promise<readonly Indexed[]> | undefined;

/** A script, not a request: pages that were opened from disk may not make any. */
const load = (): Promise<readonly Indexed[]> => {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = `${root}search-index.js`;
    script.onload = () => resolve((globalThis as unknown as { hashnestSearch: readonly Indexed[] }).hashnestSearch);
    script.onerror = reject;
    document.head.append(script);
  });
  return loading;
};

/** Every word has to occur; titles count more than headings, and beginnings more than middles. */
function find(pages: readonly Indexed[], query: string): Found[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const scoreOf = (text: string): number => {
    const lower = text.toLowerCase();
    if (!words.every((word) => lower.includes(word))) return 0;
    return lower.startsWith(words[0] as string) ? 3 - lower.length / 1000 : 1 - lower.length / 1000;
  };
  const found = pages.flatMap(({ path, title, section, headings }): Found[] => [
    { url: path, text: title, where: section, score: 2 * scoreOf(title) },
    ...headings.map(([text, id]) => ({ url: `${path}#${id}`, text, where: title, score: scoreOf(text) })),
  ]);
  return found
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST_RESULTS);
}

async function show(): Promise<void> {
  const found = find(await load(), input.value);
  list.replaceChildren(
    ...found.map(({ url, text, where }) => {
      const item = document.createElement('li');
      const link = document.createElement('a');
      const place = document.createElement('small');
      link.href = root + url;
      link.textContent = text;
      place.textContent = where;
      link.append(place);
      item.append(link);
      return item;
    }),
  );
  list.hidden = found.length === 0;
}

input.addEventListener('focus', () => void load());
input.addEventListener('input', () => void show());
box.addEventListener('keydown', (event) => {
  const links = [...list.querySelectorAll('a')];
  const at = links.indexOf(document.activeElement as HTMLAnchorElement);
  if (event.key === 'Escape') list.hidden = true;
  else if (event.key === 'Enter' && at < 0) links[0]?.click();
  else if (event.key === 'ArrowDown') (links[at + 1] ?? links[0])?.focus();
  else if (event.key === 'ArrowUp') (links[at - 1] ?? input).focus();
  else return;
  if (event.key !== 'Enter') event.preventDefault();
});
document.addEventListener('click', (event) => {
  if (!box.contains(event.target as Node)) list.hidden = true;
});
