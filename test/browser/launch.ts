import { type Browser, chromium } from 'playwright-core';
import { unpackChromium } from './unpackChromium.ts';

// With any of these missing, the adapter is null or screenshots stay blank.
const SWITCHES = [
  '--headless=new',
  '--no-sandbox',
  '--enable-unsafe-webgpu',
  '--enable-features=Vulkan',
  '--use-vulkan=swiftshader',
  '--use-angle=swiftshader',
  '--use-webgpu-adapter=swiftshader',
  '--enable-unsafe-swiftshader',
  '--ignore-gpu-blocklist',
  '--enable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  // Not needed, but SwiftShader takes seconds to compile kernels with much workgroup memory otherwise; see src/gpu/node.ts.
  '--disable-dawn-features=use_vulkan_zero_initialize_workgroup_memory_extension',
];

/** Starts a Chromium whose WebGPU runs on the CPU. It needs no installed browser, driver or library. */
export async function launchChromium(): Promise<Browser> {
  const { executablePath, env } = await unpackChromium();
  return chromium.launch({ executablePath, args: SWITCHES, env: { ...process.env, ...env } });
}
