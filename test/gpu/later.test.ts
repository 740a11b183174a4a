import { describe, expect, it } from 'vitest';
import { within } from '../../src/gpu/calls.ts';
import { InvalidInputError, Later, LoadError } from '../../src/gpu/index.ts';

/** A part that cannot be loaded the first few times. */
function partAfter(failures: number): { later: Later<{ answer: number }>; loads: () => number } {
  let loads = 0;
  const later = new Later(async () => {
    if (loads++ < failures) throw new TypeError('no network');
    return { answer: 42 };
  });
  return { later, loads: () => loads };
}

describe('a part that is loaded later', () => {
  it('is loaded by the first use, and used at once from then on', async () => {
    const { later, loads } = partAfter(0);
    expect([later.isLoaded, loads()]).toEqual([false, 0]);
    expect(await later.use(({ answer }) => answer)).toBe(42);
    expect([later.isLoaded, loads()]).toEqual([true, 1]);
    let isUsed = false;
    const use = later.use(() => {
      isUsed = true;
    });
    expect(isUsed).toBe(true);
    await use;
    expect(loads()).toBe(1);
  });

  it('is an error if it cannot be loaded, and the next use tries again', async () => {
    const { later } = partAfter(2);
    for (let i = 0; i < 2; i++) {
      const failure = await later.use(() => expect.fail('it is not there')).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(LoadError);
      expect(failure).toMatchObject({ code: 'load-failed', name: 'LoadError', cause: new TypeError('no network') });
    }
    expect(await later.use(({ answer }) => answer)).toBe(42);
  });

  it('serves all who use it before it is there, in their order', async () => {
    const { later, loads } = partAfter(0);
    const served: number[] = [];
    await Promise.all([0, 1, 2].map((i) => later.use(() => served.push(i))));
    expect(served).toEqual([0, 1, 2]);
    expect(loads()).toBe(1);
  });

  it('fails for all who waited for it, and is there for the next', async () => {
    const { later, loads } = partAfter(1);
    const uses = await Promise.allSettled([0, 1].map(() => later.use(() => 'never')));
    for (const use of uses) expect(use).toMatchObject({ status: 'rejected', reason: { code: 'load-failed' } });
    expect(await later.use(({ answer }) => answer)).toBe(42);
    expect(loads()).toBe(2);
  });

  it('passes on what goes wrong in its work', async () => {
    const { later } = partAfter(0);
    for (let i = 0; i < 2; i++) {
      const work = later.use(async () => {
        throw new RangeError('its own');
      });
      await expect(work).rejects.toThrow(new RangeError('its own'));
    }
  });

  it('leaves errors the name of the call that had to wait for it', async () => {
    const { later } = partAfter(1);
    const call = () =>
      within('Thing.do', () =>
        later.use(() => {
          throw new InvalidInputError('keys are wrong');
        }),
      );
    await expect(call()).rejects.toThrow('Thing.do: a part of the library could not be loaded');
    await expect(call()).rejects.toThrow('Thing.do: keys are wrong');
    await expect(call()).rejects.toThrow('Thing.do: keys are wrong');
    expect(new InvalidInputError('of nobody').message).toBe('of nobody');
  });
});
