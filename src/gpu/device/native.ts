/**
 * What a process does to itself so that a driver is found: it loads a Vulkan loader, and sets variables that the loader reads. Node, Deno and
 * Bun each have their own means.
 */

/** A runtime's own means. */
export interface Native {
  /** Loads a Vulkan loader for good, so that others find it by its name; false if it is not there. */
  loadVulkan(file: string): boolean;
  /** Sets a variable of the environment where native code sees it, or removes it. */
  setVariable(name: string, value: string | undefined): void;
}

/** The means of this runtime. Throws where it does not allow them. */
export function nativeMeans(): Native {
  if (process.versions.bun !== undefined) return inBun();
  return process.versions.deno !== undefined ? inDeno() : inNode;
}

const inNode: Native = {
  loadVulkan(file) {
    const { RTLD_NOW, RTLD_GLOBAL } = process.getBuiltinModule('node:os').constants.dlopen;
    const RTLD_NODELETE = 0x1000;
    try {
      process.dlopen({ exports: {} }, file, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
    } catch (error) {
      // Loaded, which is all that is wanted: Node only complains that it did not register itself as a module.
      return String(error).includes('did not self-register');
    }
    return true;
  },
  setVariable(name, value) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  },
};

/** A library that is loaded by a foreign function interface, as both of them have it. */
interface Library {
  readonly symbols: Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;
}

/** Loads a library; it stays, because nobody closes it. */
type Load = (file: string, symbols: Readonly<Record<string, object>>) => Library;

/** Deno hands variables on to the process, but does not let libraries that are no modules through `process.dlopen`. */
function inDeno(): Native {
  const { dlopen } = (globalThis as unknown as { Deno: { dlopen: Load } }).Deno;
  return { ...inNode, loadVulkan: (file) => isLoaded(() => dlopen(file, {})) };
}

/** Bun closes what is no module of its own, and keeps variables to itself. */
function inBun(): Native {
  const { dlopen } = process.getBuiltinModule('bun:ffi') as unknown as { dlopen: Load };
  const { symbols } = dlopen('libc.so.6', {
    setenv: { args: ['ptr', 'ptr', 'i32'], returns: 'i32' },
    unsetenv: { args: ['ptr'], returns: 'i32' },
  });
  const text = (characters: string): Uint8Array => new TextEncoder().encode(`${characters}\0`);
  return {
    loadVulkan: (file) => isLoaded(() => dlopen(file, { vkGetInstanceProcAddr: { args: [], returns: 'ptr' } })),
    setVariable(name, value) {
      if (value === undefined) symbols.unsetenv?.(text(name));
      else symbols.setenv?.(text(name), text(value), 1);
    },
  };
}

function isLoaded(load: () => unknown): boolean {
  try {
    load();
    return true;
  } catch (error) {
    // What is not allowed may be there all the same.
    if ((error as Error).name === 'NotCapable') throw error;
    return false;
  }
}
