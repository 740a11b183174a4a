export { drawKeys } from './drawnKeys.ts';
export { absentStats, presentStats } from './stats.wgsl.ts';
