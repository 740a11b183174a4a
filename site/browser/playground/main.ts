/** The playground: what the visitor chooses, and what is shown of it. */
import { Gpu, HashnestError, type SchemeName } from 'hashnest';
import { binsOf } from './bins.ts';
import { drawHistogram, drawTable } from './drawings.ts';
import { type Choice, experiment, type Outcome, takesLoad } from './experiment.ts';
import { KernelError, runKernel } from './kernel.ts';
import type { KeyKind } from './workload.ts';

const part = <T extends Element>(selector: string): T => document.querySelector(`#playground ${selector}`) as T;
const form = part<HTMLFormElement>('form');
const status = part<HTMLElement>('.status');
const results = part<HTMLElement>('.results');
const editor = part<HTMLTextAreaElement>('textarea');
const kernelButton = part<HTMLButtonElement>('.run-kernel');
const kernelOutput = part<HTMLElement>('.kernel-output');

let opening: Promise<Gpu> | undefined;
let last: Outcome | undefined;

/** The GPU, opened again after it was lost: a kernel that does not end can cost it. */
async function openGpu(): Promise<Gpu> {
  const open = await opening?.catch(() => undefined);
  try {
    open?.assertAlive();
    if (open) return open;
  } catch {
    last = undefined;
  }
  opening = Gpu.open();
  return opening;
}

/** Says that there is nothing to run on, and what to do about it. */
function refuse(reason: string): void {
  part<HTMLElement>('.no-webgpu').hidden = false;
  part<HTMLElement>('.no-webgpu .reason').textContent = reason;
  for (const element of [form, results, part<HTMLElement>('.kernel')]) element.hidden = true;
}

function choice(): Choice {
  const data = new FormData(form);
  return {
    scheme: data.get('scheme') as SchemeName,
    keys: data.get('keys') as KeyKind,
    items: Number(data.get('items')),
    loadFactor: Number(part<HTMLInputElement>('input[name=load]').value),
    seed: Number(data.get('seed')) >>> 0,
  };
}

/** One thing at a time: buttons rest while something runs, and what goes wrong is said. */
async function busy(work: () => Promise<void>): Promise<void> {
  const buttons = [part<HTMLButtonElement>('.run'), kernelButton];
  for (const button of buttons) button.disabled = true;
  status.classList.remove('failed');
  try {
    await work();
  } catch (error) {
    status.classList.add('failed');
    status.textContent = error instanceof HashnestError ? error.message : String(error);
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}

async function run(): Promise<void> {
  const tell = (what: string): void => {
    status.textContent = `${what} …`;
  };
  tell('opening the GPU');
  const gpu = await openGpu();
  last?.map.destroy();
  last = undefined;
  const outcome = await experiment(gpu, choice(), tell);
  last = outcome;
  show(outcome);
  const { wrong, choice: chosen } = outcome;
  const answers = 2 * chosen.items;
  status.textContent =
    wrong === 0
      ? `All ${answers.toLocaleString('en')} answers are right.`
      : `${wrong} of ${answers} answers are wrong.`;
  status.classList.toggle('failed', wrong > 0);
}

/** Puts a number into the page: as people read it, and as it is. */
function put(name: string, value: number, text: string): void {
  const element = part<HTMLDataElement>(`data[data-name=${name}]`);
  element.value = String(value);
  element.textContent = text;
}

function show({ choice: { items }, map, present, absent, times }: Outcome): void {
  put('keys', map.size, map.size.toLocaleString('en'));
  put('slots', map.capacitySlots, map.capacitySlots.toLocaleString('en'));
  put('load', map.loadFactor, map.loadFactor.toFixed(3));
  put('bytes', map.tableBytes, bytesText(map.tableBytes));
  put('key-bytes', map.tableBytes / items, `${(map.tableBytes / items).toFixed(1)} bytes a key`);
  put('attempts', map.report.attempts, String(map.report.attempts));
  put('probes-present', present.averageProbes, present.averageProbes.toFixed(2));
  put('probes-absent', absent.averageProbes, absent.averageProbes.toFixed(2));
  for (const [name, { medianMs }] of Object.entries(times)) {
    put(`time-${name}`, medianMs, timeText(medianMs));
    put(`rate-${name}`, (1000 * items) / medianMs, rateText((1000 * items) / medianMs));
  }
  part<HTMLElement>('.timer').textContent =
    times.build.timer === 'wall'
      ? 'This browser has no GPU timestamps: the wall clock around each submission is used.'
      : 'GPU time, the median of three passes.';
  results.hidden = false;
  drawHistogram(part<SVGSVGElement>('.histogram'), binsOf(present.probes, absent.probes));
  drawTable(part<HTMLCanvasElement>('canvas'), present.slots, present.probes, map.capacitySlots);
}

const rateText = (perSecond: number): string =>
  perSecond >= 1e9
    ? `${(perSecond / 1e9).toFixed(1)} G/s`
    : `${(perSecond / 1e6).toFixed(perSecond >= 1e8 ? 0 : 1)} M/s`;
const timeText = (ms: number): string => (ms >= 1 ? `${ms.toFixed(2)} ms` : `${(1000 * ms).toFixed(0)} µs`);
const bytesText = (bytes: number): string =>
  bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e3).toFixed(1)} kB`;

async function runEdited(): Promise<void> {
  const gpu = await openGpu();
  if (!last) await run();
  const { map, keys } = last as Outcome;
  kernelOutput.hidden = false;
  kernelOutput.classList.remove('failed');
  try {
    const words = await runKernel(gpu, map, keys.slice(), editor.value);
    const sum = words.reduce((total, word) => total + word, 0);
    kernelOutput.dataset.words = words.join(' ');
    kernelOutput.textContent = `sum ${sum.toLocaleString('en')}\n${[...words.subarray(0, 256)].join(' ')} …`;
  } catch (error) {
    if (!(error instanceof KernelError)) throw error;
    kernelOutput.classList.add('failed');
    kernelOutput.textContent = error.message;
  }
}

/** Schemes without a load to choose say so. */
function fitLoad(): void {
  const takes = takesLoad(choice().scheme);
  const range = part<HTMLInputElement>('input[name=load]');
  range.disabled = !takes;
  part<HTMLOutputElement>('output').textContent = takes ? Number(range.value).toFixed(2) : 'its own';
}

async function start(): Promise<void> {
  if (!navigator.gpu) {
    refuse('This browser has no WebGPU.');
    return;
  }
  let gpu: Gpu;
  try {
    gpu = await openGpu();
  } catch (error) {
    refuse(error instanceof Error ? error.message : String(error));
    return;
  }
  const { vendor, architecture, description, software } = gpu.info;
  const name = [description || vendor, architecture].filter(Boolean).join(', ') || 'a GPU without a name';
  const kind = software ? ', a software GPU: a CPU does the work, so its rates say nothing about GPUs' : '';
  part<HTMLElement>('.gpu').textContent = `This GPU is ${name}${kind}.`;
  if (!software) part<HTMLSelectElement>('select[name=items]').value = '1000000';
  fitLoad();
  form.addEventListener('input', fitLoad);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void busy(run);
  });
  kernelButton.addEventListener('click', () => void busy(runEdited));
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => last && show(last));
  await busy(run);
}

void start();
