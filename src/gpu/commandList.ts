/**
 * Commands that are kept on the host until all of their pipelines are compiled. To those who record it is an encoder. Whoever
 * submits by himself needs the pipelines at once, and gets them one after the other while everybody waits; what the host
 * face submits can have them compiled on other threads, side by side.
 */
import type { Program } from './program.ts';

type Command<Encoder> = (encoder: Encoder) => void;

/** What the library uses of a command encoder. */
export class CommandList {
  readonly #commands: Command<GPUCommandEncoder>[] = [];
  readonly #programs = new Set<Program>();

  beginComputePass(descriptor?: GPUComputePassDescriptor): PassList {
    const pass = new PassList(this.#programs);
    this.#commands.push((encoder) => pass.encode(encoder.beginComputePass(descriptor)));
    return pass;
  }

  copyBufferToBuffer(from: GPUBuffer, fromOffset: number, to: GPUBuffer, toOffset: number, bytes: number): void {
    this.#commands.push((encoder) => encoder.copyBufferToBuffer(from, fromOffset, to, toOffset, bytes));
  }

  clearBuffer(buffer: GPUBuffer): void {
    this.#commands.push((encoder) => encoder.clearBuffer(buffer));
  }

  /** The kernels that are not compiled yet. */
  get pending(): readonly Program[] {
    return [...this.#programs].filter(({ isCompiled }) => !isCompiled);
  }

  encode(encoder: GPUCommandEncoder): void {
    for (const command of this.#commands) command(encoder);
  }
}

/** What the library uses of a compute pass. */
export class PassList {
  readonly #commands: Command<GPUComputePassEncoder>[] = [];

  constructor(readonly programs: Set<Program>) {}

  /** In place of `setPipeline`: there may be none yet. */
  setProgram(program: Program): void {
    this.programs.add(program);
    this.#commands.push((pass) => pass.setPipeline(program.pipeline));
  }

  setBindGroup(index: number, group: GPUBindGroup, offsets: number[]): void {
    this.#commands.push((pass) => pass.setBindGroup(index, group, offsets));
  }

  dispatchWorkgroups(x: number, y = 1): void {
    this.#commands.push((pass) => pass.dispatchWorkgroups(x, y));
  }

  dispatchWorkgroupsIndirect(grids: GPUBuffer, offset: number): void {
    this.#commands.push((pass) => pass.dispatchWorkgroupsIndirect(grids, offset));
  }

  end(): void {}

  encode(pass: GPUComputePassEncoder): void {
    for (const command of this.#commands) command(pass);
    pass.end();
  }
}
