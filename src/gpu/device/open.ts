import { refuse, requireOneOf, requireOptions } from '../arguments.ts';
import { NoGpuError, UnsupportedError } from '../errors.ts';
import { describe, type GpuInfo } from './info.ts';

/** How to open a device. */
export interface OpenOptions {
  /** Whether a CPU implementation will do: `'fallback'` (default) if there is no real GPU, `'only'` always, `'never'`. */
  readonly software?: 'fallback' | 'only' | 'never';
  /** `'adapter'` (default) asks for all that the adapter allows, `'default'` keeps WebGPU's own, far lower limits. */
  readonly limits?: 'adapter' | 'default';
  /** Which GPU of a machine that has several. Default `'high-performance'`. */
  readonly powerPreference?: GPUPowerPreference;
  /** Features that the device must have, beside those that the library takes where they are. Without them, opening fails. */
  readonly requiredFeatures?: readonly GPUFeatureName[];
  /** Limits that the device must have at least, by name; `limits` decides the others. Without them, opening fails. */
  readonly requiredLimits?: Readonly<Record<string, number>>;
  /** Toggles for Dawn, in Node only; benchmarks use `disable-dawn-features=timestamp_quantization`. */
  readonly dawnToggles?: readonly string[];
}

/** An open device with what has to stay referenced while it is used. */
export interface Opened {
  readonly device: GPUDevice;
  readonly info: GpuInfo;
  readonly keepAlive: readonly unknown[];
}

/** An adapter with what has to stay referenced while it is used, itself included. */
export interface FoundAdapter {
  readonly adapter: GPUAdapter;
  readonly keepAlive: readonly unknown[];
}

const LIMITS = [
  'maxBufferSize',
  'maxStorageBufferBindingSize',
  'maxStorageBuffersPerShaderStage',
  'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupSizeX',
  'maxComputeWorkgroupsPerDimension',
] as const;

const FEATURES = ['timestamp-query', 'subgroups'] as const;

const OPTIONS = ['software', 'limits', 'powerPreference', 'requiredFeatures', 'requiredLimits', 'dawnToggles'];

/** Throws unless a device can be opened so. */
export function requireOpenOptions(options: OpenOptions): void {
  requireOptions(options, OPTIONS);
  const { software = 'fallback', limits = 'adapter', powerPreference = 'low-power' } = options;
  const { requiredFeatures = [], requiredLimits = {} } = options;
  requireOneOf(software, 'software', ['fallback', 'only', 'never']);
  requireOneOf(limits, 'limits', ['adapter', 'default']);
  requireOneOf(powerPreference, 'powerPreference', ['low-power', 'high-performance']);
  if (!Array.isArray(requiredFeatures)) refuse('requiredFeatures', 'an array of names', requiredFeatures);
  if (typeof requiredLimits !== 'object' || requiredLimits === null)
    refuse('requiredLimits', 'an object', requiredLimits);
}

/** Opens the best adapter there is: the browser's or Deno's, else Dawn's, a real GPU before a software one. */
export async function openDevice(options: OpenOptions): Promise<Opened> {
  const found = (await openInBrowser(options)) ?? (await openOutsideBrowser(options));
  if (!found) {
    throw new NoGpuError(
      'no WebGPU adapter: in a browser, check that WebGPU is enabled; elsewhere, that a GPU is there',
    );
  }
  const { adapter, keepAlive } = found;
  const device = await adapter.requestDevice({ label: 'hashnest', ...wantedOf(adapter, options) });
  return { device, info: describe(adapter.info), keepAlive };
}

/** What is asked of the adapter; throws if it has not what the caller needs. */
function wantedOf({ features, limits }: GPUAdapter, options: OpenOptions) {
  const { requiredFeatures = [], requiredLimits = {} } = options;
  const lacking = requiredFeatures.filter((feature) => !features.has(feature));
  if (lacking.length > 0) throw new UnsupportedError(`this GPU has no ${lacking.join(', ')}`);
  for (const [name, least] of Object.entries(requiredLimits)) {
    const most = limits[name as keyof GPUSupportedLimits];
    if (typeof most !== 'number') throw new UnsupportedError(`WebGPU has no limit ${name}`);
    // Those that begin with min are alignments: the lower, the better.
    if (name.startsWith('min') ? least < most : least > most) {
      throw new UnsupportedError(`this GPU has ${name} ${most}, not ${least}`);
    }
  }
  const all = options.limits === 'default' ? [] : LIMITS.map((name) => [name, limits[name]] as const);
  return {
    requiredLimits: { ...requiredLimits, ...Object.fromEntries(all) },
    requiredFeatures: [...new Set([...requiredFeatures, ...FEATURES.filter((feature) => features.has(feature))])],
  };
}

async function openInBrowser({
  software = 'fallback',
  powerPreference = 'high-performance',
}: OpenOptions): Promise<FoundAdapter | undefined> {
  const gpu = (globalThis as { navigator?: { gpu?: GPU } }).navigator?.gpu;
  const adapter = await gpu?.requestAdapter({
    powerPreference,
    forceFallbackAdapter: software === 'only',
  });
  const isWanted = software !== 'never' && !isDeno();
  if (!adapter || (!isWanted && describe(adapter.info).software)) return undefined;
  return { adapter, keepAlive: [gpu, adapter] };
}

/**
 * Deno takes OpenGL on the CPU where there is no driver for Vulkan. It writes out how workgroup memory is cleared, and the compiler there takes ten
 * seconds for 4 KB, a minute for 8 KB, and so on: nobody waits that long, so Dawn is taken as in Node.
 */
const isDeno = (): boolean => 'Deno' in globalThis;

async function openOutsideBrowser(options: OpenOptions): Promise<FoundAdapter | undefined> {
  if (typeof process === 'undefined' || typeof process.getBuiltinModule !== 'function') return undefined;
  // Loaded when it is wanted: it is of no use in browsers. The build turns this into `#node`; see package.json.
  const { openInNode } = await import('./node.ts');
  return openInNode(options);
}
