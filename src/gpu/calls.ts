/** Which call of the library is checking its arguments, so that an error can say so. */

/** Empty between calls. Arguments are checked before anything is waited for, so no two calls are in here at once. */
let current = '';

/** What an error about an argument begins with. */
export const where = (): string => current;

/** Runs a call of that name; what it calls in turn is a part of it. */
export const within = <T>(name: string, call: () => T): T => (current ? call() : resume(`${name}: `, call));

/** Goes on with a call that had to wait before all its arguments were checked. */
export function resume<T>(begun: string, call: () => T): T {
  current = begun;
  try {
    return call();
  } finally {
    current = '';
  }
}

/** Has methods of a class run under the name of the class and their own, `HashMap.get`: those that are named, else every one. */
export function nameCalls(type: { readonly prototype: object }, name: string, named?: readonly string[]): void {
  for (const owner of [type, type.prototype]) {
    for (let at = owner; at !== Function.prototype && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
      for (const [method, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
        if (named && !named.includes(method)) continue;
        if (typeof value !== 'function' || method === 'constructor' || (at !== owner && Object.hasOwn(owner, method))) {
          continue;
        }
        Object.defineProperty(owner, method, {
          configurable: true,
          writable: true,
          value(...args: unknown[]) {
            return within(`${name}.${method}`, () => value.apply(this, args));
          },
        });
      }
    }
  }
}
