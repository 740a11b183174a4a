/** What the device is and who provides it. */
export interface GpuInfo {
  readonly vendor: string;
  readonly architecture: string;
  readonly device: string;
  readonly description: string;
  /** True where a CPU does the work. */
  readonly software: boolean;
}

/** The parts of WebGPU's adapter description that are worth showing. */
export function describe(info: Partial<GPUAdapterInfo> = {}): GpuInfo {
  const { vendor = '', architecture = '', device = '', description = '', isFallbackAdapter = false } = info;
  const names = [vendor, architecture, device, description].join(' ');
  const software = isFallbackAdapter || /swiftshader|llvmpipe|lavapipe|softpipe|basic render/i.test(names);
  return { vendor, architecture, device, description, software };
}
