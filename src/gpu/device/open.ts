import { NoGpuError } from '../errors.ts';
import { describe, type GpuInfo } from './info.ts';

/** How to open a device. */
export interface OpenOptions {
  /** Whether a CPU implementation will do: `'fallback'` (default) if there is no real GPU, `'only'` always, `'never'`. */
  readonly software?: 'fallback' | 'only' | 'never';
  /** `'adapter'` (default) asks for all that the adapter allows, `'default'` keeps WebGPU's own, far lower limits. */
  readonly limits?: 'adapter' | 'default';
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

/** Opens the best adapter there is: the browser's, else Dawn's in Node, a real GPU before a software one. */
export async function openDevice(options: OpenOptions): Promise<Opened> {
  const found = (await openInBrowser(options)) ?? (await openOutsideBrowser(options));
  if (!found) {
    throw new NoGpuError(
      'no WebGPU adapter. In a browser, check that WebGPU is enabled; in Node, run `npm install webgpu`, and on a machine without a GPU also `npm install @sparticuz/chromium@147.0.0`, which brings a software one',
    );
  }
  const { adapter, keepAlive } = found;
  const requiredLimits =
    options.limits === 'default' ? {} : Object.fromEntries(LIMITS.map((name) => [name, adapter.limits[name]]));
  const device = await adapter.requestDevice({
    label: 'hashnest',
    requiredLimits,
    requiredFeatures: FEATURES.filter((feature) => adapter.features.has(feature)),
  });
  return { device, info: describe(adapter.info), keepAlive };
}

async function openInBrowser({ software = 'fallback' }: OpenOptions): Promise<FoundAdapter | undefined> {
  const gpu = (globalThis as { navigator?: { gpu?: GPU } }).navigator?.gpu;
  const adapter = await gpu?.requestAdapter({
    powerPreference: 'high-performance',
    forceFallbackAdapter: software === 'only',
  });
  if (!adapter || (software === 'never' && describe(adapter.info).software)) return undefined;
  return { adapter, keepAlive: [gpu, adapter] };
}

async function openOutsideBrowser(options: OpenOptions): Promise<FoundAdapter | undefined> {
  if (typeof process === 'undefined' || typeof process.getBuiltinModule !== 'function') return undefined;
  // Loaded when it is wanted: it is of no use in browsers. The build turns this into `#node`; see package.json.
  const { openInNode } = await import('./node.ts');
  return openInNode(options);
}
