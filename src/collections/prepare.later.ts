/** Rehearses calls of collections, to compile what they need. */
import { type Gpu, requireWhole } from '../gpu/index.ts';
import { type KeyType, u32 } from '../keys/index.ts';
import { drawKeys } from '../table/drawnKeys.ts';
import { planItems } from '../table/settings.ts';
import { requireKnownType, type ValueType } from '../table/values.ts';
import type { Calls, Named, Prepared, PrepareOptions } from './prepare.ts';
import { recordSearches, rehearseCalls, roomOn } from './rehearseCalls.ts';

/** Compiles what a build from so many items, and a search in what it builds, will need. */
export async function prepareCalls<K, Options extends Named<K> & PrepareOptions, Made extends Prepared>(
  gpu: Gpu,
  options: Options,
  { settings, columns, build, search, record }: Calls<Options & { readonly key: KeyType<K> }, Made>,
): Promise<void> {
  requireWhole(options.items, 'items');
  // Who names no type of keys means u32.
  const { items, ...rest } = { ...options, key: options.key ?? (u32 as unknown as KeyType<K>) };
  const known = { ...rest, items } as Options & { readonly key: KeyType<K> };
  const wordsOf = valueWords(rest.value, columns?.(known) ?? []);
  const table = settings(known);
  const { key } = table;
  // Schemes that work on the host would do so for items that are all the same.
  const { on } = planItems(gpu, table, items).build;
  const count = on === 'host' ? Math.min(1, items) : items;
  await rehearseCalls(gpu, count, async (idle) => {
    const context = key.hasContext ? { context: roomOn(idle, 1) } : {};
    const keys = roomOn(idle, count, key.words);
    const values =
      typeof wordsOf === 'number'
        ? roomOn(idle, count, wordsOf)
        : Object.fromEntries(wordsOf.map(([name, words]) => [name, roomOn(idle, count, words)]));
    const input = { keys, values, count, ...context } as never;
    const made = await build(idle, input, rest as never);
    await search(made, { ...drawKeys(key, 1, 1), type: key as KeyType<never> });
    recordSearches(made);
    const encoder = idle.device.createCommandEncoder();
    record?.(made, encoder, { queries: keys, count: 1, ...context });
    if (on === 'gpu') made.encodeRebuild(encoder, input);
    made.destroy();
  });
}

/** Words of a value, or of those of every name; who names no type means u32. */
function valueWords(given: unknown, names: readonly string[]): number | readonly (readonly [string, number])[] {
  const wordsOf = (type: unknown): number => {
    if (type !== undefined) requireKnownType(type as ValueType);
    return (type as ValueType | undefined)?.words ?? 1;
  };
  if (names.length === 0) return wordsOf(given);
  return names.map((name) => [name, wordsOf((given as Readonly<Record<string, unknown>> | undefined)?.[name])]);
}
