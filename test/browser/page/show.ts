import type { GpuInfo } from '../../../src/index.ts';
import type { ConformanceResult } from './protocol.ts';

/** Shows which GPU is in use, or why there is none. */
export function showGpu(info: GpuInfo | Error): void {
  const names = 'name' in info ? [info.message] : [info.vendor, info.architecture, info.device, info.description];
  const software = 'software' in info && info.software ? ' (software)' : '';
  elementOf('gpu').textContent = names.filter(Boolean).join(' · ') + software;
}

/** Adds one result to the list and counts it. */
export function showResult(name: string, result: ConformanceResult, all: Record<string, ConformanceResult>): void {
  const passed = result.failure === undefined;
  const row = document.createElement('li');
  row.className = passed ? 'passed' : 'failed';
  row.append(
    textElement('outcome', passed ? 'passed' : 'failed'),
    textElement('name', name),
    textElement('milliseconds', `${result.milliseconds.toFixed(0)} ms`),
  );
  if (!passed) row.append(textElement('failure', result.failure ?? ''));
  elementOf('results').append(row);

  const results = Object.values(all);
  const failed = results.filter(({ failure }) => failure !== undefined).length;
  elementOf('count').textContent = `${results.length - failed} passed, ${failed} failed`;
}

function textElement(className: string, text: string): HTMLElement {
  const element = document.createElement('span');
  element.className = className;
  element.textContent = text;
  return element;
}

function elementOf(id: string): HTMLElement {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element ${id}`);
  return element;
}
