import { describe, expect, it } from 'vitest';
import { Turns } from '../../src/table/turns.ts';

/** A call that notes when it begins and ends, and ends when it is told to. */
function calls() {
  const seen: string[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const work = (name: string) => (): Promise<string> => {
    seen.push(`${name} begins`);
    return new Promise((resolve, reject) => {
      ends.set(name, (error) => {
        seen.push(`${name} ends`);
        if (error) reject(error);
        else resolve(name);
      });
    });
  };
  const end = async (name: string, error?: Error) => {
    ends.get(name)?.(error);
    await new Promise(setImmediate);
  };
  return { seen, work, end };
}

describe('turns', () => {
  it('lets calls that read begin at once, before they return', async () => {
    const { seen, work, end } = calls();
    const turns = new Turns();
    const [a, b] = [turns.read(work('a')), turns.read(work('b'))];
    expect(seen).toEqual(['a begins', 'b begins']);
    await end('b');
    await end('a');
    expect(await Promise.all([a, b])).toEqual(['a', 'b']);
  });

  it('lets a call that writes begin at once if nobody else is there', async () => {
    const { seen, work, end } = calls();
    const turns = new Turns();
    const a = turns.write(work('a'));
    expect(seen).toEqual(['a begins']);
    expect(turns).toMatchObject({ isWriting: true, mustWait: true });
    await end('a');
    expect(await a).toBe('a');
    expect(turns).toMatchObject({ isWriting: false, mustWait: false });
  });

  it('keeps the order of calls: readers together, writers alone', async () => {
    const { seen, work, end } = calls();
    const turns = new Turns();
    turns.read(work('a'));
    turns.write(work('b'));
    turns.read(work('c'));
    turns.read(work('d'));
    turns.write(work('e'));
    expect(turns).toMatchObject({ isWriting: false, mustWait: true });
    for (const name of ['a', 'b', 'd', 'c', 'e']) await end(name);
    const begins = (name: string) => seen.indexOf(`${name} begins`);
    const ends = (name: string) => seen.indexOf(`${name} ends`);
    expect(begins('b')).toBeGreaterThan(ends('a'));
    expect(Math.max(begins('c'), begins('d'))).toBe(ends('b') + 2);
    expect(begins('e')).toBeGreaterThan(Math.max(ends('c'), ends('d')));
    expect(turns).toMatchObject({ isWriting: false, mustWait: false });
  });

  it('goes on after calls that fail', async () => {
    const { seen, work, end } = calls();
    const turns = new Turns();
    const [a, b, c] = [turns.write(work('a')), turns.read(work('b')), turns.write(work('c'))];
    const outcomes = Promise.allSettled([a, b, c]);
    for (const name of ['a', 'b', 'c']) await end(name, new Error(name));
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(seen).toEqual(['a', 'b', 'c'].flatMap((name) => [`${name} begins`, `${name} ends`]));
    expect(turns).toMatchObject({ isWriting: false, mustWait: false });
  });

  it('takes errors that are thrown at once for failed calls', async () => {
    const turns = new Turns();
    await expect(
      turns.write(() => {
        throw new Error('at once');
      }),
    ).rejects.toThrow('at once');
    expect(await turns.read(async () => 1)).toBe(1);
  });
});
