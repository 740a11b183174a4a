import { NoGpuError } from '../errors.ts';
import { openInNode } from './node.ts';

/** What the device is and who provides it. */
export interface GpuInfo {
  readonly vendor: string;
  readonly architecture: string;
  readonly device: string;
  readonly description: string;
  /** True where a CPU does the work. */
  readonly software: boolean;
}

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
  const found = (await inBrowser(options)) ?? (await inNode(options));
  if (!found) {
    throw new NoGpuError(
      'no WebGPU adapter. In a browser, check that WebGPU is enabled; in Node, run `npm install webgpu`, and on a machine without a GPU also `npm install @sparticuz/chromium@147.0.0`, which brings a software one',
    );
  }
  const { adapter, software, keepAlive } = found;
  const requiredLimits =
    options.limits === 'default' ? {} : Object.fromEntries(LIMITS.map((name) => [name, adapter.limits[name]]));
  const device = await adapter.requestDevice({
    label: 'hashnest',
    requiredLimits,
    requiredFeatures: FEATURES.filter((feature) => adapter.features.has(feature)),
  });
  return { device, info: describe(adapter.info, software), keepAlive: [adapter, ...keepAlive] };
}

/** The parts of WebGPU's adapter description that are worth showing. */
export function describe(info: GPUAdapterInfo | undefined, software = info?.isFallbackAdapter ?? false): GpuInfo {
  const { vendor = '', architecture = '', device = '', description = '' } = info ?? {};
  return { vendor, architecture, device, description, software };
}

interface FoundAdapter {
  readonly adapter: GPUAdapter;
  readonly software: boolean;
  readonly keepAlive: readonly unknown[];
}

async function inBrowser({ software = 'fallback' }: OpenOptions): Promise<FoundAdapter | undefined> {
  const gpu = (globalThis as { navigator?: { gpu?: GPU } }).navigator?.gpu;
  if (!gpu) return undefined;
  const adapter = await gpu.requestAdapter({
    powerPreference: 'high-performance',
    forceFallbackAdapter: software === 'only',
  });
  if (!adapter) return undefined;
  const isSoftware = adapter.info.isFallbackAdapter || /swiftshader|llvmpipe/i.test(adapter.info.architecture);
  return isSoftware && software === 'never' ? undefined : { adapter, software: isSoftware, keepAlive: [gpu] };
}

async function inNode(options: OpenOptions): Promise<FoundAdapter | undefined> {
  if (typeof process === 'undefined' || !process.versions?.node) return undefined;
  try {
    const { software = 'fallback', dawnToggles = [] } = options;
    return await openInNode({ software, dawnToggles: [...dawnToggles] });
  } catch (cause) {
    throw new NoGpuError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}
