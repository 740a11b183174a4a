export { openSaved } from './open.ts';
export { saveTable } from './save.ts';
