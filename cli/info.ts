import type { Command } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { finishCommand } from './command.ts';
import { withGpu } from './device.ts';
import { grouped } from './textTable.ts';

/** Limits that decide how large tables can be and how kernels are cut. */
const LIMITS = [
  'maxBufferSize',
  'maxStorageBufferBindingSize',
  'maxStorageBuffersPerShaderStage',
  'maxUniformBuffersPerShaderStage',
  'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupSizeX',
  'maxComputeWorkgroupsPerDimension',
] as const;

export function addInfo(program: Command): void {
  finishCommand(
    program.command('info').description('tell which GPU is used, whether it is a real one, and what it can do'),
    (options, output) =>
      withGpu(options, async (gpu) => {
        const { vendor, architecture, device, description, software } = gpu.info;
        const features = [...gpu.device.features].sort();
        const limits = Object.fromEntries(LIMITS.map((name) => [name, gpu.limits[name]]));
        const adapter = { vendor, architecture, device, description, software };
        const lines: [string, string][] = [
          ['hashnest', packageJson.version],
          ['GPU', software ? 'software (on the CPU)' : 'real'],
          ['vendor', vendor],
          ['architecture', architecture],
          ['device', device],
          ['driver', description],
          ['features', features.join(', ')],
          ...LIMITS.map((name): [string, string] => [name, grouped(gpu.limits[name])]),
        ];
        const width = Math.max(...lines.map(([name]) => name.length));
        output.say(lines.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n'));
        output.write({ version: packageJson.version, adapter, features, limits });
      }),
  );
}
