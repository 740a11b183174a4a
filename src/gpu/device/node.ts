/**
 * WebGPU in Node and Bun, and in Deno where its own finds no GPU: Dawn from the npm package `webgpu`, with a software driver where the machine has
 * no GPU. Both packages are optional, so they are looked up when this runs. Bundles for browsers have `notNode.ts` in its place.
 */

import { NoGpuError } from '../errors.ts';
import { describe } from './info.ts';
import { nativeMeans } from './native.ts';
import type { FoundAdapter, OpenOptions } from './open.ts';
import { unpackSwiftShader } from './swiftshader.ts';

interface Dawn {
  create(toggles: readonly string[]): GPU;
}

// Dawn aborts the process when an instance is collected while anything made from it lives, and at exit if it was collected
// before. One instance per set of toggles and drivers serves every call, and is never let go.
const instances = new Map<string, GPU>();

// The environment decides which drivers Dawn sees, and it is the same for all calls: so they take turns.
let lastOpening: Promise<unknown> = Promise.resolve();

// Asked once: later on, the loader that came with SwiftShader would answer to the same name.
let systemHasVulkanLoader: boolean | undefined;

/**
 * Opens the best adapter that Dawn finds, a real GPU before a CPU. Undefined where there is none.
 * Throws a NoGpuError that names the npm package to install, if one is missing.
 */
export async function openInNode({
  software = 'fallback',
  dawnToggles = [],
  powerPreference = 'high-performance',
}: OpenOptions): Promise<FoundAdapter | undefined> {
  const opening = lastOpening.then(() => open(software, dawnToggles, powerPreference));
  lastOpening = opening.catch(() => {});
  return opening.catch((cause) => {
    throw new NoGpuError(cause instanceof Error ? cause.message : String(cause), { cause });
  });
}

async function open(
  software: 'fallback' | 'only' | 'never',
  toggles: readonly string[],
  power: GPUPowerPreference,
): Promise<FoundAdapter | undefined> {
  const dawn = await importDawn();
  // Without a loader Dawn finds nothing on Linux, and says so on standard error in words that help nobody.
  const systemMayHaveGpu = process.platform !== 'linux' || hasVulkanLoader();
  if (software !== 'only' && systemMayHaveGpu) {
    const found = await requestAdapter(dawn, toggles, 'system', power);
    if (found && (software === 'fallback' || !describe(found.adapter.info).software)) return found;
  }
  if (software === 'never') return undefined;
  if (process.platform !== 'linux' || process.arch !== 'x64') return requestAdapter(dawn, toggles, 'fallback', power);
  return withSwiftShader(() => requestAdapter(dawn, withoutSlowZeroing(toggles), 'swiftshader', power));
}

/**
 * Lets Dawn clear workgroup memory with a loop of its own. Asked to do it, SwiftShader compiles one store per word, and a
 * kernel that uses 16 KB takes more than a second instead of 30 ms.
 */
function withoutSlowZeroing(toggles: readonly string[]): readonly string[] {
  // Dawn heeds only the last list of that name, so what the caller wants off goes into the same one.
  const list = 'disable-dawn-features=';
  const off = toggles.filter((toggle) => toggle.startsWith(list)).map((toggle) => toggle.slice(list.length));
  return [
    ...toggles.filter((toggle) => !toggle.startsWith(list)),
    list + [...off, 'use_vulkan_zero_initialize_workgroup_memory_extension'].join(),
  ];
}

async function importDawn(): Promise<Dawn> {
  const url = process.getBuiltinModule('node:url');
  const entry = findPackageEntry('webgpu');
  if (!entry) throw new Error('WebGPU outside of browsers needs the npm package webgpu: run `npm install webgpu`');
  const specifier = url.pathToFileURL(entry).href;
  try {
    return await import(/* @vite-ignore */ /* webpackIgnore: true */ specifier);
  } catch (cause) {
    throw new Error(`the npm package webgpu does not load on this machine: ${cause}`, { cause });
  }
}

async function requestAdapter(
  dawn: Dawn,
  toggles: readonly string[],
  drivers: 'system' | 'fallback' | 'swiftshader',
  powerPreference: GPUPowerPreference,
): Promise<FoundAdapter | undefined> {
  const key = JSON.stringify([drivers, ...toggles]);
  const gpu = instances.get(key) ?? dawn.create(toggles);
  instances.set(key, gpu);
  const adapter = await gpu.requestAdapter({
    powerPreference,
    forceFallbackAdapter: drivers === 'fallback',
  });
  return adapter ? { adapter, keepAlive: [gpu, adapter] } : undefined;
}

/** Runs `action` while SwiftShader is the only Vulkan driver that Dawn can see. */
async function withSwiftShader(action: () => Promise<FoundAdapter | undefined>): Promise<FoundAdapter> {
  const path = process.getBuiltinModule('node:path');
  const entry = findPackageEntry('@sparticuz/chromium');
  if (!entry) {
    throw new Error(
      'no GPU was found. For a software one, which needs no driver, run `npm install @sparticuz/chromium@147.0.0`',
    );
  }
  // The entry is build/cjs/index.cjs.
  const { loaderPath, icdPath } = unpackSwiftShader(path.resolve(entry, '../../..'));
  const means = nativeMeans();
  if (!hasVulkanLoader() && !means.loadVulkan(loaderPath)) throw new Error(`${loaderPath} cannot be loaded`);

  // The first name is known to every loader; newer ones prefer the second.
  const { VK_ICD_FILENAMES, VK_DRIVER_FILES } = process.env;
  means.setVariable('VK_ICD_FILENAMES', icdPath);
  means.setVariable('VK_DRIVER_FILES', icdPath);
  try {
    const found = await action();
    if (found) return found;
    // A worker thread has a copy of the environment, which Dawn does not see.
    const { isMainThread } = process.getBuiltinModule('node:worker_threads');
    throw new Error(
      isMainThread
        ? `Dawn does not accept the software GPU in ${icdPath}`
        : 'a software GPU in a worker thread needs `new Worker(file, { env: SHARE_ENV })`',
    );
  } finally {
    means.setVariable('VK_ICD_FILENAMES', VK_ICD_FILENAMES);
    means.setVariable('VK_DRIVER_FILES', VK_DRIVER_FILES);
  }
}

/** Whether this Linux system has a Vulkan loader of its own. */
function hasVulkanLoader(): boolean {
  systemHasVulkanLoader ??= nativeMeans().loadVulkan('libvulkan.so.1');
  return systemHasVulkanLoader;
}

/** The file that `import name` would load, seen from this file or from the user's project; undefined if not installed. */
function findPackageEntry(name: string): string | undefined {
  const { createRequire } = process.getBuiltinModule('node:module');
  for (const seenFrom of [() => import.meta.url, () => `${process.cwd()}/`]) {
    try {
      return createRequire(seenFrom()).resolve(name);
    } catch {
      // Not installed there, or the working folder is gone.
    }
  }
  return undefined;
}
